"""Halves: the questions to choose by, and those to try the choice on, told apart by hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from membound.evaluation.survey.elsewhere import order_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from membound.evaluation.survey.sets import DataSet

__all__ = ["Halves", "halved"]

Halves = tuple[tuple["DataSet", ...], tuple["DataSet", ...]]

_SEVERAL: Final = 4
"""From so many conversations on each half has one that answers and another one that does not."""


def halved(sets: Sequence[DataSet], seed: int) -> Halves:
    """Part some sets in two: by conversation where a set has several, else by question.

    Conversations of one name are about the same thing, in whatever sets: they stay together.
    """
    sides: dict[str, int] = {}
    for some in sets:
        if len(some.conversations) >= _SEVERAL:
            _take_sides(some, seed, sides)
    one, other = ([_half(some, seed, sides, side) for some in sets] for side in (0, 1))
    return tuple(one), tuple(other)


def _take_sides(some: DataSet, seed: int, sides: dict[str, int]) -> None:
    """Give conversations that have no side yet one in turn; those that are asked come first."""
    asked = {question.conversation for question in some.questions}
    known = [sides[name] for name in some.conversations if name in sides]
    first = int(2 * sum(known) < len(known))
    new = sorted(
        (name for name in some.conversations if name not in sides),
        key=lambda name: (name not in asked, order_of(seed, "half", name)),
    )
    sides.update((name, (first + at) % 2) for at, name in enumerate(new))


def _half(some: DataSet, seed: int, sides: dict[str, int], side: int) -> DataSet:
    return msgspec.structs.replace(
        some,
        conversations={
            name: conversation
            for name, conversation in some.conversations.items()
            if sides.get(name, side) == side
        },
        questions=tuple(
            question
            for question in some.questions
            if sides.get(question.conversation, _side_of(seed, some.name, question.id)) == side
        ),
    )


def _side_of(seed: int, set: str, id: str) -> int:
    return int(order_of(seed, "half", set, id), 16) % 2
