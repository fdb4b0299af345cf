"""One Markdown file as a note, and what may be its tags, its title and its text."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import InvalidInputError, InvalidNameError
from membound.excerpt import excerpt
from membound.text import well_formed
from membound.workspace.entry import one_line
from membound.workspace.front_matter import read_document
from membound.workspace.paths import Address, title_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Note", "checked_content", "checked_tags", "checked_title", "note_of"]

TAG_CHARACTERS: Final = 100
TITLE_CHARACTERS: Final = 300
_UNTITLED: Final = "Untitled"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Note(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One Markdown file.

    Attributes:
        title: in one line; made of the key where the file says none.
        tags: each once, in the file's order, in one line each.
        content: the text after the front matter, exact.
        created_at: as the file says; None where it says nothing.
        updated_at: the same.
        size: of the whole file, in bytes.
        fault: why the file was not read as it was meant, or cannot be changed; None as a rule.
    """

    address: Address
    title: str
    tags: tuple[str, ...]
    content: str
    created_at: str | None
    updated_at: str | None
    size: int
    fault: str | None


def note_of(address: Address, data: bytes) -> Note:
    """Gives the note that a file is; any bytes are one."""
    document = read_document(data)
    fields = document.fields
    tags = (one_line(tag) for tag in fields.tags or ())
    return Note(
        address=address,
        title=one_line(fields.title or "") or _title_of(address.key),
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        content=document.body,
        created_at=fields.created_at or None,
        updated_at=fields.updated_at or None,
        size=len(data),
        fault=document.fault,
    )


def checked_tags(tags: Iterable[object]) -> tuple[str, ...]:
    """Gives tags in NFC, without spaces around them, each once, in the order given.

    Raises:
        InvalidNameError: one is empty, too long, of several lines, or starts with ``/``.
    """
    if isinstance(tags, str) or not hasattr(tags, "__iter__"):
        raise InvalidNameError("tags", "a list of texts", excerpt(tags))
    return tuple(dict.fromkeys(_checked_tag(at, tag) for at, tag in enumerate(tags)))


def checked_title(title: object) -> str:
    """Gives a title as it is.

    Raises:
        InvalidNameError: it is empty, too long, or of several lines.
    """
    expected = f"one line of 1 to {TITLE_CHARACTERS} characters"
    if (
        not isinstance(title, str)
        or not title.strip()
        or len(title) > TITLE_CHARACTERS
        or _is_unfit(title)
    ):
        raise InvalidNameError("title", expected, excerpt(title))
    return title


def checked_content(content: object) -> str:
    """Gives a text as it is.

    Raises:
        InvalidInputError: it is none, or has lone surrogates, which no file can hold.
    """
    if not isinstance(content, str) or content != well_formed(content):
        raise InvalidInputError("content", "text without lone surrogates", excerpt(content))
    return content


def _title_of(key: str) -> str:
    """Gives a title for whatever a file may be called."""
    return one_line(title_of(key)) or one_line(key) or _UNTITLED


def _checked_tag(at: int, tag: object) -> str:
    expected = f"one line of 1 to {TAG_CHARACTERS} characters that does not start with /"
    plain = unicodedata.normalize("NFC", tag).strip(" ") if isinstance(tag, str) else ""
    if not plain.strip() or len(plain) > TAG_CHARACTERS or plain[0] == "/" or _is_unfit(plain):
        raise InvalidNameError(f"tags.{at}", expected, excerpt(tag))
    return plain


def _is_unfit(text: str) -> bool:
    return _CONTROL.search(text) is not None or text != well_formed(text)
