"""Curves: recall of the selection against false injection, as the floor is moved."""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from membound.evaluation.survey.groups import Group
    from membound.evaluation.survey.outcomes import Outcome

__all__ = ["Point", "curve"]

_STEPS: Final = 50
_ROUNDING: Final = 1e-9


class Point(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The lowest floor that keeps false injection at or below a step, and what it gives."""

    floor: float | None
    recall: float
    false_injection: float


class _Shares:
    """Weights at floors: how much weight lies at a floor or above it."""

    def __init__(self, weighted: Iterable[tuple[float, float]]) -> None:
        ordered = sorted(weighted)
        self.floors = [floor for floor, _ in ordered]
        above = list(accumulate((weight for _, weight in reversed(ordered)), initial=0.0))
        self._from = above[::-1]

    def at_least(self, floor: float) -> float:
        return self._from[bisect_left(self.floors, floor)]


def curve(group: Group, outcomes: Sequence[Outcome], *, limit: int) -> tuple[Point, ...]:
    """Move the floor over all recorded scores; sets count the same, whatever their size.

    A record that answers is selected while its score reaches the floor and fewer than `limit`
    before it do: between two floors, so no selection has to be made again. The budget of
    characters is left out.
    """
    kept: list[tuple[float, float]] = []
    crowded: list[tuple[float, float]] = []
    foreign: list[tuple[float, float]] = []
    asked = [[outcomes[n] for n in part if outcomes[n].gold] for part in group.parts]
    asked = [some for some in asked if some]
    abroad = [[outcome for outcome in some if outcome.elsewhere] for some in asked]
    abroad = [some for some in abroad if some]
    for some in asked:
        weight = 1 / len(asked) / len(some)
        for outcome in some:
            for place in outcome.places:
                high, low = _floors(outcome.scores, place, limit)
                kept.append((high, weight / outcome.gold))
                crowded.append((min(low, high), weight / outcome.gold))
    for some in abroad:
        weight = 1 / len(abroad) / len(some)
        for outcome in some:
            bests = [other.best for other in outcome.elsewhere]
            foreign += ((best, weight / len(bests)) for best in bests)
    return tuple(_points(_Shares(kept), _Shares(crowded), _Shares(foreign))) if abroad else ()


def _floors(scores: Sequence[float], place: int, limit: int) -> tuple[float, float]:
    """Return the highest floor that still selects a place, and the highest that crowds it out."""
    before = sorted(scores[: place - 1], reverse=True)
    return scores[place - 1], before[limit - 1] if len(before) >= limit else -math.inf


def _points(kept: _Shares, crowded: _Shares, foreign: _Shares) -> Iterable[Point]:
    floors = sorted({*kept.floors, *foreign.floors, math.inf} - {-math.inf})
    shares = [foreign.at_least(floor) for floor in floors]
    last = -1
    for step in range(_STEPS + 1):
        most = step / _STEPS + _ROUNDING
        at = min(bisect_left(shares, -most, key=lambda share: -share), len(shares) - 1)
        if at != last:
            floor = floors[at]
            yield Point(
                floor=None if math.isinf(floor) else round(floor, 6),
                recall=round(kept.at_least(floor) - crowded.at_least(floor), 6),
                false_injection=round(shares[at], 6),
            )
        last = at
