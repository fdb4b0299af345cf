"""The search: one number after the other, each moved to where the goal is nearest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from membound.evaluation.survey.groups import macro
from membound.ranking import RankingFloors, RankingPolicy, RankingWeights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from membound.evaluation.tuning.gathered import Gathered, Row
    from membound.evaluation.tuning.goal import Goal

__all__ = ["LEAST_RELATIVE_FLOOR", "Found", "search"]

_FLOORS: Final = tuple(step / 200 for step in range(50, 131))
_RELATIVE_FLOORS: Final = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
_FOLLOWING_FLOORS: Final = (0.0, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1.0)
_WEIGHTS: Final = (0.0, 0.02, 0.04, 0.06, 0.1, 0.15)
LEAST_RELATIVE_FLOOR: Final = _RELATIVE_FLOORS[0]

_ROUNDS: Final = 5
_DECIMALS: Final = 9
_LEVELS: Final = {
    "relative_floor": _RELATIVE_FLOORS,
    "following_floor": _FOLLOWING_FLOORS,
}


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search chose.

    Attributes:
        ranking: the chosen numbers.
        tried: how many choices were weighed.
        rounds: how often all numbers were gone over.
        worth: what the choice is worth by what was answered without floors.
    """

    ranking: RankingPolicy
    tried: int
    rounds: int
    worth: float


def search(start: RankingPolicy, gathered: Sequence[Gathered], goal: Goal, limit: int) -> Found:
    """Choose the numbers that are worth most; of equal ones, what it was, else the middle one.

    Numbers of which the questions say nothing stay as they are: floors of writings in which none
    is asked, weights of features that no two records of an answer differ in.
    """
    worth = _Worth(gathered, goal, limit)
    steps = dict(_steps(gathered))
    chosen, tried, rounds, moved = start, 0, 0, True
    while moved and rounds < _ROUNDS:
        rounds += 1
        moved = False
        for name, values in steps.items():
            present = _number(chosen, name)
            options = {
                value: option
                for value in dict.fromkeys((present, *values))
                if (option := _with(chosen, name, value)) is not None
            }
            worths = {
                value: round(worth.of(option), _DECIMALS) for value, option in options.items()
            }
            best = _best(worths, present)
            moved |= best != present
            chosen, tried = options[best], tried + len(options)
    told = round(worth.of(chosen), _DECIMALS)
    return Found(ranking=chosen, tried=tried, rounds=rounds, worth=told)


def _best(worths: dict[float, float], present: float) -> float:
    most = max(worths.values())
    equal = sorted(value for value, worth in worths.items() if worth == most)
    return present if present in equal else equal[(len(equal) - 1) // 2]


def _steps(gathered: Sequence[Gathered]) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield each number that the questions say something of, with what it may be."""
    asked = {some.floor for some in gathered}
    yield from ((name, _FLOORS) for name in RankingFloors.__struct_fields__ if name in asked)
    yield from _LEVELS.items()
    for at, name in enumerate(RankingWeights.__struct_fields__):
        differs = any(len({row[0][at] for row in some.rows}) > 1 for some in gathered)
        if name != "lexical" and differs:
            yield name, _WEIGHTS


def _number(ranking: RankingPolicy, name: str) -> float:
    holders = (ranking, ranking.floors, ranking.weights)
    value: float = next(getattr(some, name) for some in holders if hasattr(some, name))
    return value


def _with(ranking: RankingPolicy, name: str, value: float) -> RankingPolicy | None:
    """Return the numbers with one changed; None where no weight is left for words."""
    if value == _number(ranking, name):
        return ranking
    if name in _LEVELS:
        return msgspec.structs.replace(ranking, **{name: value})
    if name in RankingFloors.__struct_fields__:
        floors = msgspec.structs.replace(ranking.floors, **{name: value})
        return msgspec.structs.replace(ranking, floors=floors)
    weights = msgspec.structs.asdict(ranking.weights) | {name: value}
    del weights["lexical"]
    lexical = round(1 - math.fsum(weights.values()), _DECIMALS)
    if lexical <= 0:
        return None
    changed = RankingWeights(lexical=lexical, **weights)
    return msgspec.structs.replace(ranking, weights=changed)


class _Worth:
    """What numbers are worth, from what was answered without floors."""

    def __init__(self, gathered: Sequence[Gathered], goal: Goal, limit: int) -> None:
        self._sets: dict[str, list[Gathered]] = {}
        for some in gathered:
            self._sets.setdefault(some.set, []).append(some)
        self._goal = goal
        self._limit = limit
        self._weights: RankingWeights | None = None
        self._ordered: dict[str, list[list[tuple[float, bool]]]] = {}

    def of(self, ranking: RankingPolicy) -> float:
        """Return the mean worth of the sets."""
        self._order(ranking.weights)
        floors = msgspec.structs.asdict(ranking.floors)
        return macro([[self._of_set(name, ranking, floors)] for name in self._sets]) or 0.0

    def _of_set(self, name: str, ranking: RankingPolicy, floors: dict[str, float]) -> float:
        recalls, injected, precisions = [], [], []
        for some, rows in zip(self._sets[name], self._ordered[name], strict=True):
            floor = floors[some.floor]
            level = _level(some.best, floor, ranking)
            found, taken = (0, 0) if level is None else _selected(rows, level, self._limit)
            recalls.append(found / some.gold)
            precisions.append(found / taken if taken else 0.0)
            if some.foreign:
                over = sum(best > 0 and best >= floor for best in some.foreign)
                injected.append(over / len(some.foreign))
        return self._goal.worth(*(macro([some]) or 0.0 for some in (recalls, injected, precisions)))

    def _order(self, weights: RankingWeights) -> None:
        """Put the rows of all questions in the order of their final scores."""
        if weights != self._weights:
            by = msgspec.structs.astuple(weights)
            self._ordered = {
                name: [_ordered(some.rows, by) for some in gathered]
                for name, gathered in self._sets.items()
            }
            self._weights = weights


def _ordered(rows: Sequence[Row], weights: Sequence[float]) -> list[tuple[float, bool]]:
    """Return lexical and whether it answers, best first; the sum is taken as the core does."""

    def final_score(row: Row) -> float:
        total = 0.0
        for feature, weight in zip(row[0], weights, strict=True):
            total += feature * weight
        return min(total, 1.0)

    ranked = sorted(rows, key=final_score, reverse=True)
    return [(features[0], answers) for features, answers in ranked]


def _level(best: float, floor: float, ranking: RankingPolicy) -> float | None:
    """Return what a record needs where the best has so much; None where that is not enough."""
    if best == 0 or best < floor:
        return None
    return min(best, max(ranking.relative_floor * best, ranking.following_floor * floor))


def _selected(rows: Sequence[tuple[float, bool]], level: float, limit: int) -> tuple[int, int]:
    """Return how many of the first that reach a level answer, and how many those are."""
    taken = found = 0
    for lexical, answers in rows:
        if lexical > 0 and lexical >= level:
            taken += 1
            found += answers
            if taken == limit:
                break
    return found, taken
