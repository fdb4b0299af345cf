"""One theme: the turns and notes that it refers to, with nothing of them copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from membound.schema import Open, always
from membound.times import moment
from membound.workspace.paths import Address

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["MemoryReference", "Theme", "TurnReference"]


class TurnReference(Open, frozen=True, kw_only=True):
    """A turn of a theme.

    Attributes:
        timestamp: when the turn was; peers note when it was tagged.
    """

    session_id: str
    turn_id: int
    timestamp: str | None = None


class MemoryReference(Open, frozen=True, kw_only=True):
    """A note of a theme.

    Attributes:
        timestamp: the note's own time; peers note when it was tagged.
        deleted: whether the note was deleted since.
    """

    key: str
    folder: str
    title: str | None = None
    timestamp: str | None = None
    deleted: bool | None = None

    @property
    def address(self) -> Address:
        """Where the note lies."""
        return Address(self.folder, self.key)


class Theme(Open, frozen=True, kw_only=True):
    """One theme.

    Attributes:
        theme: the name of its file, by which a list names it.
        display_name: the name that was first given.
    """

    theme: str
    display_name: str
    created_at: str | None = None
    updated_at: str | None = None
    turns: tuple[TurnReference, ...] = always(())
    memories: tuple[MemoryReference, ...] = always(())

    def in_time(self) -> Theme:
        """Gives the theme with its references in the order of their times."""
        return msgspec.structs.replace(
            self,
            turns=tuple(sorted(self.turns, key=_turn_order)),
            memories=tuple(sorted(self.memories, key=_memory_order)),
        )


def _turn_order(turn: TurnReference) -> tuple[datetime, str, int]:
    return moment(turn.timestamp), turn.session_id, turn.turn_id


def _memory_order(memory: MemoryReference) -> tuple[datetime, str]:
    return moment(memory.timestamp), memory.address.path
