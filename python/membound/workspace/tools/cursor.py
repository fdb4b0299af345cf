"""Cursors: where the next page of a list, or the rest of a text, begins."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["Place"]

_FORM: Final = r"([0-9]{1,12})(?::(.+))?"


class Place(msgspec.Struct, frozen=True):
    """A place in a list or a text.

    Attributes:
        skip: how many items, or characters, come before it.
        behind: the workspace's own cursor, which these are counted from; None for the start.
    """

    skip: int = 0
    behind: str | None = None

    @classmethod
    def of(cls, cursor: str | None) -> Place:
        """Reads a cursor; None is the start.

        Raises:
            InvalidInputError: no reply has given such a one.
        """
        if cursor is None:
            return cls()
        found = re.fullmatch(_FORM, cursor, re.ASCII | re.DOTALL)
        if found is None:
            raise InvalidInputError("cursor", "the next_cursor of a reply", excerpt(cursor))
        return cls(int(found[1]), found[2])

    def later(self, count: int) -> Place:
        """Gives the place so many items, or characters, further on."""
        return Place(self.skip + count, self.behind)

    def limit(self, items: int, most: int) -> int:
        """Gives how many items to ask for, to have so many behind the place, or what there are."""
        return min(self.skip + items, most)

    @property
    def text(self) -> str:
        """The cursor, as a reply gives it."""
        return str(self.skip) if self.behind is None else f"{self.skip}:{self.behind}"
