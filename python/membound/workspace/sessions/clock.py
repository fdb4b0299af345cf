"""What is known of a session at a place of its wire file: enough to go on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from membound.workspace.sessions.turn import Compaction

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Clock", "Stack", "State", "clock_of", "stacked"]

Stack = tuple[int, "Stack"] | None
"""Numbers, the last one first: as it never changes, what was known before costs nothing to keep."""

State = tuple[int, Stack, Stack, Stack, tuple[Compaction, ...], int]
"""What a clock says, in the order of its fields."""


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be known of a session before a line, to go on from there.

    Attributes:
        next: the number of the next turn.
        live: numbers of the turns that stand, in the order in which they began.
        undoable: those that a person began and may still withdraw.
        withdrawn: numbers of the turns that were withdrawn.
        compactions: the last summaries.
        skipped: lines that are no records.
    """

    next: int = 0
    live: tuple[int, ...] = ()
    undoable: tuple[int, ...] = ()
    withdrawn: tuple[int, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    skipped: int = 0


def stacked(numbers: Iterable[int]) -> Stack:
    """Puts numbers on each other, the first one lowest."""
    stack: Stack = None
    for number in numbers:
        stack = (number, stack)
    return stack


def _listed(stack: Stack) -> tuple[int, ...]:
    """Gives the numbers of a stack, the lowest one first."""
    numbers = []
    while stack is not None:
        number, stack = stack
        numbers.append(number)
    return tuple(reversed(numbers))


def clock_of(state: State) -> Clock:
    """Gives a state as a value that can be kept."""
    next, live, undoable, withdrawn, compactions, skipped = state
    return Clock(
        next=next,
        live=_listed(live),
        undoable=_listed(undoable),
        withdrawn=_listed(withdrawn),
        compactions=compactions,
        skipped=skipped,
    )
