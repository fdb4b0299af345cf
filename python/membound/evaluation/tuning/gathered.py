"""What each question of a half was answered without floors: enough to tell what any would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from membound._core import floor_of
from membound.evaluation.survey.answers import OPEN, ranked_under

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from membound.evaluation.survey.answers import Recall
    from membound.evaluation.survey.posed import Posed
    from membound.evaluation.survey.sets import Conversation
    from membound.policy import MemoryPolicy
    from membound.trace import Trace

__all__ = ["Gathered", "Row", "gather"]

Row = tuple[tuple[float, ...], bool]
"""A record's features, in the order of the weights, and whether it answers."""


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """One question that has an answer.

    Attributes:
        floor: the name of its floor.
        gold: how many records answer it.
        best: the best lexical at home.
        rows: what is near enough to the best, in the order of equal scores.
        foreign: the best lexical where nothing answers it.
        complete: whether the rows are all there are.
    """

    set: str
    floor: str
    gold: int
    best: float
    rows: tuple[Row, ...]
    foreign: tuple[float, ...]
    complete: bool


def gather(
    posed: Sequence[Posed], recall: Recall, policy: MemoryPolicy, relative_floor: float
) -> Iterator[Gathered | None]:
    """Ask each question once at home and elsewhere; None for those that nothing answers.

    Args:
        posed: the questions.
        recall: what recalls.
        policy: under which it is asked, without floors.
        relative_floor: the lowest that will be looked at.
    """
    near = ranked_under(policy, floors=OPEN, relative_floor=relative_floor)
    for some in posed:
        if not some.gold:
            yield None
            continue

        def ask(conversation: Conversation, text: str = some.question.text) -> Trace:
            return recall(conversation, text, mode="foundation-v2", policy=near).trace

        trace = ask(some.home)
        abroad = (ask(place.conversation) for place in some.elsewhere)
        yield Gathered(
            set=some.set,
            floor=floor_of(some.question.text),
            gold=len(some.gold),
            best=_best(trace),
            rows=_rows(some, trace),
            foreign=tuple(_best(other) for other in abroad),
            complete=len(trace.rankings) == trace.candidate_count - trace.filtered.irrelevant,
        )


def _best(trace: Trace) -> float:
    return 0.0 if trace.weighing is None else trace.weighing.best


def _rows(posed: Posed, trace: Trace) -> tuple[Row, ...]:
    """Return features in the order in which the core ranks what scores the same."""
    # Of a data set, these texts are all of one form: they sort as the moments do.
    changed = {record.id: record.updated_at for record in posed.home.records}
    ids = sorted(ranking.memory_id for ranking in trace.rankings)
    ids.sort(key=changed.__getitem__, reverse=True)
    features = {
        ranking.memory_id: msgspec.structs.astuple(ranking.features)[:-1]
        for ranking in trace.rankings
    }
    return tuple((features[id], id in posed.gold) for id in ids)
