"""Cursors of what is counted: where the rest of a text, or of a list of names, begins."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["Place"]

_FORM: Final = r"([0-9]{1,12})(?:-([0-9a-f]{8}))?"


class Place(msgspec.Struct, frozen=True):
    """A place in a list or a text.

    Attributes:
        skip: how many items, or characters, come before it.
        digest: what tells the text from any other; None of a list.
    """

    skip: int = 0
    digest: str | None = None

    @classmethod
    def of(cls, cursor: str | None) -> Place:
        """Reads a cursor; None is the start.

        Raises:
            InvalidInputError: no reply has given such a one.
        """
        if cursor is None:
            return cls()
        if (found := re.fullmatch(_FORM, cursor, re.ASCII)) is None:
            raise InvalidInputError("cursor", "the next_cursor of a reply", excerpt(cursor))
        return cls(int(found[1]), found[2])

    @classmethod
    def within(cls, text: str, skip: int) -> Place:
        """Gives a place in a text."""
        return cls(skip, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8])

    def rest_of(self, text: str) -> str:
        """Gives what comes behind the place in a text.

        Raises:
            InvalidInputError: it is a place in another text, or in what this one was before.
        """
        if self.digest is not None and self != Place.within(text, self.skip):
            expected = "a cursor of the text as it is now"
            raise InvalidInputError("cursor", expected, "one of another; begin without one")
        return text[self.skip :]

    def later(self, count: int) -> Place:
        """Gives the place so many items, or characters, further on."""
        return Place(self.skip + count, self.digest)

    @property
    def text(self) -> str:
        """The cursor, as a reply gives it."""
        return str(self.skip) if self.digest is None else f"{self.skip}-{self.digest}"
