"""What each question of a half was answered without floors: enough to tell what any would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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

_BEST_ALONE: Final = 1.0


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """One question that has an answer.

    Attributes:
        floor: the name of its floor.
        gold: how many records answer it.
        rows: what is near enough to the best, in the order of equal scores.
        foreign: the best lexical where nothing answers it.
        complete: whether the rows are all there are.
    """

    set: str
    floor: str
    gold: int
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
    nearest = ranked_under(policy, floors=OPEN, relative_floor=_BEST_ALONE)
    for some in posed:
        if not some.gold:
            yield None
            continue

        def ask(conversation: Conversation, under: MemoryPolicy, text: str) -> Trace:
            return recall(conversation, text, mode="foundation-v2", policy=under).trace

        text = some.question.text
        trace = ask(some.home, near, text)
        abroad = (ask(place.conversation, nearest, text) for place in some.elsewhere)
        yield Gathered(
            set=some.set,
            floor=floor_of(text),
            gold=len(some.gold),
            rows=_rows(some, trace),
            foreign=tuple(_best(other) for other in abroad),
            complete=len(trace.rankings) == trace.candidate_count - trace.filtered.irrelevant,
        )


def _best(trace: Trace) -> float:
    return max((ranking.features.lexical for ranking in trace.rankings), default=0.0)


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
