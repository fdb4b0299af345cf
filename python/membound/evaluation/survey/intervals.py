"""Paired bootstrap: how far a difference may come from the choice of questions."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from membound.evaluation.survey.groups import macro

if TYPE_CHECKING:
    from collections.abc import Sequence

    from membound.evaluation.survey.groups import Group, Values

__all__ = ["COMPARED", "Comparison", "Difference", "Resampling", "bounded"]

COMPARED: Final = ("recall", "precision", "falseAbstention", "falseInjection", "ndcgAt8")
"""The metrics whose differences have an interval."""

_TAIL = 0.025


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One variant's mean less another's, with the bounds of 95 % of the resampled differences."""

    difference: float
    low: float
    high: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A variant less another over the questions that both answered, in the order of the groups."""

    variant: str
    against: str
    questions: int
    differences: tuple[dict[str, Difference | None], ...]


class Resampling:
    """Two variants over the same draws of questions, made with replacement within each set."""

    def __init__(self, values: Values, others: Values, *, seed: int, times: int) -> None:
        self._values = values
        self._others = others
        self._seed = seed
        self._times = times
        self._drawn: dict[tuple[str, tuple[int, ...]], list[float]] = {}

    def differences(self, group: Group) -> dict[str, Difference | None]:
        """Compare over the questions that a metric says something about for both."""
        return {metric: self._difference(metric, group) for metric in COMPARED}

    def _difference(self, metric: str, group: Group) -> Difference | None:
        parts = [part for part in group.parts if self._paired(metric, part)]
        mean = macro([self._paired(metric, part) for part in parts])
        if mean is None:
            return None
        drawn = (self._resampled(metric, part) for part in parts)
        return bounded(mean, [math.fsum(some) / len(some) for some in zip(*drawn, strict=True)])

    def _paired(self, metric: str, part: tuple[int, ...]) -> list[float]:
        values, others = self._values[metric], self._others[metric]
        pairs = ((values[number], others[number]) for number in part)
        return [one - other for one, other in pairs if one is not None and other is not None]

    def _resampled(self, metric: str, part: tuple[int, ...]) -> list[float]:
        """Return the mean of each draw; the same part is drawn once, whatever the group."""
        key = (metric, part)
        if key not in self._drawn:
            paired = self._paired(metric, part)
            random = Random(f"{self._seed} {part[0]}")  # noqa: S311 — the same on every run
            draws = (random.choices(paired, k=len(paired)) for _ in range(self._times))
            self._drawn[key] = [math.fsum(draw) / len(draw) for draw in draws]
        return self._drawn[key]


def bounded(mean: float, drawn: Sequence[float]) -> Difference:
    """Return a difference of means with the bounds of 95 % of those that were drawn."""
    means = sorted(drawn)
    at = math.floor(_TAIL * len(means))
    return Difference(
        difference=round(mean, 6), low=round(means[at], 6), high=round(means[-1 - at], 6)
    )
