"""How recall would change under another tokenizer: the same questions, asked by both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from membound.request import retrieval_request
from membound.retrieval import retrieve_among
from membound.tokens import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from membound.records import MemoryRecord
    from membound.session import Session

__all__ = ["Question", "RecallChange", "RecallComparison", "compare_recall", "own_questions"]

_MOST_QUESTIONS = 100
_MOST_JUDGED = 1_000_000
"""So many records are judged in all, whatever the number of records: seconds, not minutes."""
_FEWEST_QUESTIONS = 10
_MOST_EXAMPLES = 3
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s)|[\u3002\uff01\uff1f]|\n|$)")


class Question(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is asked, and from where."""

    query: str
    workspace: str | None = None
    project: str | None = None
    project_identity: str | None = None


class RecallChange(msgspec.Struct, frozen=True, kw_only=True):
    """A query whose selection is another one: the ids before and after, best first."""

    query: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class RecallComparison(msgspec.Struct, frozen=True, kw_only=True):
    """For how many queries the selection is the same under another tokenizer, and how it differs.

    Attributes:
        before: the store's tokenizer.
        after: the other one.
        same: the same records, in whatever order.
        other: others, where both select some.
        emptied: some before, none after.
        filled: none before, some after.
        examples: the first few of each kind that is not the same.
    """

    before: Tokenizer
    after: Tokenizer
    same: int
    other: int
    emptied: int
    filled: int
    examples: tuple[RecallChange, ...]

    @property
    def queries(self) -> int:
        """How many were asked."""
        return self.same + self.other + self.emptied + self.filled


def compare_recall(
    session: Session, after: Tokenizer, questions: Iterable[Question], now: datetime
) -> RecallComparison:
    """Asks each question by both, over the records as they are; nothing is changed."""
    before = session.settings.tokenizer
    records = session.load() if before != after else []

    def selected(question: Question, tokenizer: Tokenizer) -> tuple[str, ...]:
        asked: dict[str, Any] = msgspec.structs.asdict(question)
        request = retrieval_request(
            asked.pop("query"), now=now, policy=session.policy, tokenizer=tokenizer, **asked
        )
        return retrieve_among(request, records, "disabled").trace.selected_ids

    changes: dict[str, list[RecallChange]] = {"other": [], "emptied": [], "filled": []}
    same = 0
    for question in questions:
        was, becomes = selected(question, before), selected(question, after)
        if set(was) == set(becomes):
            same += 1
            continue
        kind = "filled" if not was else "emptied" if not becomes else "other"
        changes[kind].append(RecallChange(query=question.query, before=was, after=becomes))
    return RecallComparison(
        before=before,
        after=after,
        same=same,
        examples=tuple(one for some in changes.values() for one in some[:_MOST_EXAMPLES]),
        **{kind: len(some) for kind, some in changes.items()},
    )


def own_questions(records: Iterable[MemoryRecord]) -> tuple[Question, ...]:
    """Makes questions of a store's own records, always the same of the same ones.

    Of some, their subjects, tags and first sentences are asked, from where the record belongs.
    """
    living = [one for one in records if _is_plain(one)]
    most = _MOST_JUDGED // max(1, len(living))
    most = max(_FEWEST_QUESTIONS, min(_MOST_QUESTIONS, most))
    made = dict.fromkeys(question for one in living for question in _questions(one))
    step = max(1, -(-len(made) // most))
    return tuple(made)[::step]


def _is_plain(record: MemoryRecord) -> bool:
    ended = (record.deleted_at, record.disabled_at, record.superseded_at, record.agent_context)
    return record.authority == "reference" and not any(ended)


def _questions(record: MemoryRecord) -> Iterator[Question]:
    sentence = _SENTENCE.search(record.content)
    texts = [record.subject, " ".join(record.tags), sentence and sentence.group().strip()]
    for text in filter(None, texts):
        yield Question(
            query=text,
            workspace=record.workspace,
            project=record.project,
            project_identity=record.project_identity,
        )
