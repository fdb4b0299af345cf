"""Cursors of what is counted: where the rest of a text, or of a list of names, begins."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["Place"]

_FORM: Final = r"[0-9]{1,12}"


class Place(msgspec.Struct, frozen=True):
    """A place in a list or a text.

    Attributes:
        skip: how many items, or characters, come before it.
    """

    skip: int = 0

    @classmethod
    def of(cls, cursor: str | None) -> Place:
        """Reads a cursor; None is the start.

        Raises:
            InvalidInputError: no reply has given such a one.
        """
        if cursor is None:
            return cls()
        if re.fullmatch(_FORM, cursor, re.ASCII) is None:
            raise InvalidInputError("cursor", "the next_cursor of a reply", excerpt(cursor))
        return cls(int(cursor))

    def later(self, count: int) -> Place:
        """Gives the place so many items, or characters, further on."""
        return Place(self.skip + count)

    @property
    def text(self) -> str:
        """The cursor, as a reply gives it."""
        return str(self.skip)
