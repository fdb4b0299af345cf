"""What the verbs of notes give back; in JSON the names are in camel case."""

from __future__ import annotations

from typing import Final

import msgspec

from membound.workspace.search import Searched

__all__ = [
    "MOST_ITEMS",
    "Found",
    "FoundNote",
    "Listed",
    "Listing",
    "Moved",
    "Remembered",
]


class Remembered(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note that was written.

    Attributes:
        file_path: its file.
        folder: its folder.
        key: its key.
        themes: the themes it was put in.
        created: whether there was none of that key before.
        updated_at: when, to be given as `if_updated_at` of the next change.
        revision: the number under which the former body is kept, if there was one.
        similar: paths of notes in the same folder whose keys say the same in other letters.
    """

    file_path: str
    folder: str
    key: str
    themes: tuple[str, ...]
    created: bool
    updated_at: str
    revision: int | None = None
    similar: tuple[str, ...] = ()


class Listed(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A note in a list.

    Attributes:
        updated_at: when it was last changed, by its front matter or, if later, by its file.
        size: bytes of its file.
        preview: the beginning of its body, where a list gives one.
        fault: why it could not be read as it was meant, if so.
    """

    key: str
    folder: str
    title: str
    tags: tuple[str, ...]
    updated_at: str
    size: int
    preview: str | None = None
    fault: str | None = None


MOST_ITEMS: Final = 200
"""Most notes that a page lists."""


class Listing(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Some notes, last changed first, and how to go on."""

    items: tuple[Listed, ...]
    total: int
    next_cursor: str | None = msgspec.field(default=None, name="next_cursor")


class FoundNote(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note that a search found.

    Attributes:
        matches: up to three lines that have words of the query, or the title.
        score: its final score, from 0 to 1.
    """

    key: str
    folder: str
    title: str
    tags: tuple[str, ...]
    matches: tuple[str, ...]
    score: float


class Found(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The notes that are relevant to a query, best first, and what was searched."""

    items: tuple[FoundNote, ...]
    searched: Searched
    next_cursor: str | None = msgspec.field(default=None, name="next_cursor")


class Moved(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note that lies elsewhere now."""

    key: str
    new_key: str
    from_folder: str
    to_folder: str
    themes: tuple[str, ...] = ()
