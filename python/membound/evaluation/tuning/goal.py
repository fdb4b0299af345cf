"""The goal: recall of the selection, less what injection and a lack of precision cost."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from membound.evaluation.survey.groups import macro
from membound.evaluation.survey.intervals import Difference, bounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from membound.evaluation.survey.groups import Group, Values

__all__ = ["PENALTY", "Goal"]

PENALTY: Final = 2.0
"""What each point beyond a target costs, in points of recall."""


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """What is sought: of each set its worth, and of some sets the mean of theirs.

    Attributes:
        injection: up to so much false injection costs nothing.
        precision: down to so little precision costs nothing.
    """

    injection: float
    precision: float = 0.0

    def worth(self, recall: float, injected: float, precision: float) -> float:
        """Return the worth of a set's means."""
        beyond = max(0.0, injected - self.injection) + max(0.0, self.precision - precision)
        return recall - PENALTY * beyond

    def worth_of(self, group: Group, values: Values) -> float | None:
        """Return the worth of a group; None without questions that have answers."""
        return macro([[self._worth(values, part)] for part in _parts(group, values)])

    def gain(
        self, group: Group, before: Values, after: Values, *, seed: int, times: int
    ) -> Difference | None:
        """Return how much more a group is worth, by a paired bootstrap over its questions."""
        parts = _parts(group, before)
        if not parts:
            return None

        def gained(numbers: Sequence[Sequence[int]]) -> float:
            some = (self._worth(after, part) - self._worth(before, part) for part in numbers)
            return math.fsum(some) / len(numbers)

        draws = zip(*(_drawn(part, seed, times) for part in parts), strict=True)
        return bounded(gained(parts), [gained(draw) for draw in draws])

    def _worth(self, values: Values, numbers: Sequence[int]) -> float:
        recall, injected, precision = (
            macro([[some for n in numbers if (some := values[metric][n]) is not None]]) or 0.0
            for metric in ("recall", "falseInjection", "precision")
        )
        return self.worth(recall, injected, precision)


def _parts(group: Group, values: Values) -> list[list[int]]:
    """Return of each set the questions that have an answer; a set without any does not count."""
    recalls = values["recall"]
    parts = ([n for n in part if recalls[n] is not None] for part in group.parts)
    return [part for part in parts if part]


def _drawn(part: Sequence[int], seed: int, times: int) -> Iterable[list[int]]:
    random = Random(f"{seed} {part[0]}")  # noqa: S311 — the same on every run
    return (random.choices(part, k=len(part)) for _ in range(times))
