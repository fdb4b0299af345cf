"""Questions as they are posed: at home and elsewhere; and how the answers to one are judged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from membound.evaluation.survey.elsewhere import Elsewhere, Places
from membound.evaluation.survey.groups import Asked
from membound.evaluation.survey.outcomes import Foreign, Outcome
from membound.evaluation.survey.report import Why
from membound.evaluation.survey.sets import Conversation, Question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from membound.evaluation.survey.answers import Answer, Answerer
    from membound.evaluation.survey.sets import DataSet
    from membound.trace import Trace

__all__ = ["Posed", "pose"]

_EXPLAINED = 20


class Posed(msgspec.Struct, frozen=True, kw_only=True):
    """One question with where it is asked.

    Attributes:
        gold: the records that answer it, by the ids that they have in the store.
    """

    set: str
    question: Question
    home: Conversation
    gold: frozenset[str]
    elsewhere: tuple[Elsewhere, ...]

    def asked(self) -> Asked:
        """Return what the report tells of it."""
        return Asked(
            set=self.set,
            id=self.question.id,
            conversation=self.home.name,
            language=self.question.language,
            category=self.question.category,
            gold_ids=tuple(self.home.given_ids[id] for id in sorted(self.gold)),
            elsewhere=tuple(f"{place.set}: {place.conversation.name}" for place in self.elsewhere),
        )

    def answers(self, answer: Answerer) -> tuple[Answer, ...]:
        """Ask at home, then elsewhere."""
        places = (self.home, *(place.conversation for place in self.elsewhere))
        return tuple(answer(place, self.question.text) for place in places)

    def judge(self, answers: Sequence[Answer]) -> Outcome:
        """Hold what was answered against the ids that answer the question."""
        at_home, *foreign = answers
        return Outcome(
            gold=len(self.gold),
            ranks=tuple(n for n, id in enumerate(at_home.ranked, 1) if id in self.gold),
            scores=at_home.scores,
            places=tuple(n for n, id in enumerate(at_home.listed, 1) if id in self.gold),
            selected=tuple(self.home.given_ids[id] for id in at_home.selected),
            hits=len(self.gold.intersection(at_home.selected)),
            characters=at_home.characters,
            elsewhere=tuple(
                Foreign(
                    kind=place.kind,
                    injected=bool(answer.selected),
                    best=max(answer.scores, default=-math.inf),
                )
                for place, answer in zip(self.elsewhere, foreign, strict=True)
            ),
        )

    def why(self, answers: Mapping[str, Answer]) -> Why:
        """Tell by what the variants' answers came about."""
        about = self.gold.union(*(answer.selected for answer in answers.values()))
        return Why(
            text=self.question.text,
            records={
                self.home.given_ids[record.id]: record.content
                for record in self.home.records
                if record.id in about
            },
            explained={
                name: self._explained(answer.trace)
                for name, answer in answers.items()
                if answer.trace is not None
            },
        )

    def _explained(self, trace: Trace) -> str:
        """Explain the first places, by the given ids."""
        shown = tuple(
            msgspec.structs.replace(ranking, memory_id=self.home.given_ids[ranking.memory_id])
            for ranking in trace.rankings[:_EXPLAINED]
        )
        lists = ("selected_ids", "duplicate_ids", "excluded_ids", "truncated_ids")
        named = {
            name: tuple(self.home.given_ids[id] for id in getattr(trace, name))
            for name in (*lists, "hidden_text_ids")
        }
        return msgspec.structs.replace(trace, rankings=shown, **named).explain()


def pose(
    sets: Sequence[DataSet], *, seed: int, unanswerable: AbstractSet[str]
) -> tuple[Posed, ...]:
    """Pose every question of some sets; what nothing answers anywhere is asked at home only."""
    places = Places(sets, seed)
    return tuple(
        _posed(some, question, places, unanswerable) for some in sets for question in some.questions
    )


def _posed(
    some: DataSet, question: Question, places: Places, unanswerable: AbstractSet[str]
) -> Posed:
    home = some.conversations[question.conversation]
    given = () if question.category in unanswerable else question.gold_ids
    return Posed(
        set=some.name,
        question=question,
        home=home,
        gold=frozenset(home.record_ids[name] for name in given),
        elsewhere=places.of(some.name, question) if given else (),
    )
