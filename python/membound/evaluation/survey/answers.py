"""Answers: what each path of recall says to a question in a conversation, and how long it takes."""

from __future__ import annotations

import math
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from membound.errors import IndexUnavailableError
from membound.policy import MemoryPolicy
from membound.request import retrieval_request
from membound.retrieval import retrieve_among
from membound.store import MemoryStore
from membound.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from membound.evaluation.survey.sets import Conversation, DataSet
    from membound.request import RelevanceMode
    from membound.retrieval import RetrievalResult
    from membound.tokens import Tokenizer
    from membound.trace import Ranking

__all__ = ["LIMIT", "PATHS", "Answer", "AnswerPath", "Answerer", "answering", "fill"]

AnswerPath = Literal["records", "file", "memory"]
PATHS: Final[tuple[AnswerPath, ...]] = ("records", "file", "memory")
LIMIT: Final = 8

_PATIENCE = 600.0
_POSTINGS = 2**32


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was ranked, best first, with the score that a floor is held against, and selected."""

    ranked: tuple[str, ...]
    scores: tuple[float, ...]
    selected: tuple[str, ...]
    characters: int
    seconds: float
    from_memory: bool = False
    trace: Trace | None = None

    def same_ids(self, other: Answer) -> bool:
        """Whether both rank and select the same records in the same order."""
        return (self.ranked, self.selected) == (other.ranked, other.selected)


Answerer: TypeAlias = "Callable[[Conversation, str], Answer]"


def fill(folder: str, sets: Sequence[DataSet], tokenizer: Tokenizer) -> None:
    """Make a store of every record of all sets; conversations are told apart by recall alone.

    Raises:
        IndexUnavailableError: the store has no index to answer from.
    """
    with MemoryStore.open(
        folder, durability="relaxed", postings_bytes=0, tokenizer=tokenizer
    ) as store:
        store.import_records(
            record
            for some in sets
            for conversation in some.conversations.values()
            for record in conversation.records
        )
        if not store.wait_until_ready(_PATIENCE):
            raise IndexUnavailableError("it was not filled in time, or cannot be made here")


@contextmanager
def answering(
    path: AnswerPath, folder: str, now: datetime | None
) -> Iterator[Callable[[RelevanceMode], Answerer]]:
    """Yield what answers in a mode by one path, at a moment or at each conversation's own.

    Raises:
        IndexUnavailableError: the index or its postings cannot answer.
    """
    if path == "records":
        yield lambda mode: partial(_from_records, _json_of(), now, mode)
        return
    most = _POSTINGS if path == "memory" else 0
    with MemoryStore.open(folder, durability="relaxed", postings_bytes=most) as store:
        if not store.wait_until_ready(_PATIENCE):
            raise IndexUnavailableError("it was not filled in time, or cannot be made here")
        if path == "memory" and not store.warm_up(_PATIENCE):
            raise IndexUnavailableError("its postings do not fit in memory")
        yield lambda mode: partial(_from_store, store, now, mode)


def _from_store(
    store: MemoryStore,
    now: datetime | None,
    mode: RelevanceMode,
    conversation: Conversation,
    text: str,
) -> Answer:
    def recall() -> RetrievalResult:
        return store.retrieve(
            text,
            now=now or conversation.moment,
            workspace=conversation.workspace,
            limit=LIMIT,
            relevance_mode=mode,
        )

    return _timed(recall)


def _json_of() -> Callable[[Conversation], list[bytes]]:
    known: dict[str, list[bytes]] = {}

    def json_of(conversation: Conversation) -> list[bytes]:
        if conversation.workspace not in known:
            known[conversation.workspace] = [some.to_json() for some in conversation.records]
        return known[conversation.workspace]

    return json_of


def _from_records(
    json_of: Callable[[Conversation], list[bytes]],
    now: datetime | None,
    mode: RelevanceMode,
    conversation: Conversation,
    text: str,
) -> Answer:
    records = json_of(conversation)

    def recall() -> RetrievalResult:
        request = retrieval_request(
            text,
            now=now or conversation.moment,
            workspace=conversation.workspace,
            limit=LIMIT,
            policy=MemoryPolicy(),
            relevance_mode=mode,
        )
        return retrieve_among(request, records, "disabled")

    return _timed(recall)


def _timed(recall: Callable[[], RetrievalResult]) -> Answer:
    """Time what a host waits for: the records and the block."""
    start = perf_counter()
    found = recall()
    records, context = found.records, found.context
    seconds = perf_counter() - start
    return Answer(
        ranked=tuple(ranking.memory_id for ranking in found.trace.rankings),
        scores=tuple(map(_score, found.trace.rankings)),
        selected=tuple(record.id for record in records),
        characters=len(context),
        seconds=seconds,
        from_memory=found.from_memory,
        trace=found.trace,
    )


def _score(ranking: Ranking) -> float:
    """Return what a floor is held against; a hint of the query's admits whatever the floor."""
    return math.inf if ranking.features.type_affinity > 0 else ranking.features.lexical
