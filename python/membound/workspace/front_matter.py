"""Front matter: the YAML block at the head of a Markdown file, read and changed piece by piece."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import UnreadableNoteError
from membound.workspace.yaml_fields import read_fields, rough_fields, with_fields
from membound.workspace.yaml_scan import BrokenYamlError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from membound.workspace.yaml_scan import Value

__all__ = ["Document", "Fields", "changed", "read_document"]

_OPENING: Final = re.compile(r"---[ \t]*(\r?\n)")
_CLOSING: Final = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_BREAK: Final = re.compile(r"\r?\n")
_FIRST: Final = re.compile(r"(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*([\"']?)[\w-]+\1[ \t]*:(?!//)")
_OURS: Final = re.compile(r"^[ \t]*(?:key|title|tags|createdAt|updatedAt)[ \t]*:", re.MULTILINE)
_MARK: Final = "\ufeff"


class Fields(msgspec.Struct, frozen=True, kw_only=True):
    """What a head says, as text whatever YAML makes of it; None where it says nothing."""

    title: str | None = None
    tags: tuple[str, ...] | None = None
    created_at: str | None = None
    updated_at: str | None = None


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A Markdown file, taken apart.

    Attributes:
        head: the text between the fences, exact; None where there is no front matter.
        body: what follows the block and one empty line, exact.
        fields: what the head says.
        fault: why the file cannot be changed without loss, if so.
    """

    head: str | None
    body: str
    fields: Fields
    fault: str | None


class _Parts(msgspec.Struct, frozen=True):
    """The text of a file in the pieces that make it up, and the line ends of its head."""

    opening: str
    head: str
    closing: str
    body: str
    line_end: str


def read_document(data: bytes) -> Document:
    """Takes a file apart; whatever it holds, it has a body."""
    text, fault = _text(data)
    parts = _parts(text)
    if parts is None:
        body = text.removeprefix(_MARK)
        fault = fault or ("its front matter is not closed" if _is_open(body) else None)
        return Document(head=None, body=body, fields=Fields(), fault=fault)
    try:
        found = read_fields(parts.head)
        problem = "a field needs a space after its colon" if found is None else None
    except BrokenYamlError as broken:
        found, problem = None, str(broken)
    if problem is not None and (_FIRST.match(parts.head) or _OURS.search(parts.head)):
        found = rough_fields(parts.head)
        fault = fault or f"its front matter is no YAML: {problem}"
    if found is None:
        return Document(head=None, body=text.removeprefix(_MARK), fields=Fields(), fault=fault)
    return Document(head=parts.head, body=parts.body, fields=_fields(found), fault=fault)


def changed(
    data: bytes | None, *, body: str | None = None, set: Mapping[str, Value], path: str
) -> bytes:
    """Gives a file with other fields, another body, or both.

    Everything else keeps its bytes: other fields, comments, order, quotes, line ends and a byte
    order mark. A file without front matter gets one before its text.

    Args:
        data: the file; None where there is none yet.
        body: left out, the file's own stays to the byte.
        set: each field's new value; those that have it already are left alone.
        path: the file, to be named in an error.

    Raises:
        UnreadableNoteError: the file is no UTF-8 or its front matter no YAML, or is written so that
            a field cannot be replaced alone.
    """
    former = read_document(data or b"")
    if former.fault is not None:
        raise UnreadableNoteError(path, former.fault)
    text = (data or b"").decode()
    parts = _parts(text) if former.head is not None else None
    if parts is None:
        mark = _MARK if text.startswith(_MARK) else ""
        line_end = "\r\n" if "\r\n" in former.body else "\n"
        parts = _Parts(f"{mark}---{line_end}", "", f"---{line_end * 2}", former.body, line_end)
    try:
        head = with_fields(parts.head, set, parts.line_end)
    except BrokenYamlError as broken:
        raise UnreadableNoteError(path, f"its front matter cannot be changed: {broken}") from broken
    closing = parts.closing
    if body is not None and body != parts.body:
        closing = f"---{parts.line_end * 2}"
    return "".join((parts.opening, head, closing, parts.body if body is None else body)).encode()


def _text(data: bytes) -> tuple[str, str | None]:
    try:
        return data.decode(), None
    except UnicodeDecodeError as fault:
        return data.decode("utf-8", "replace"), f"it is not UTF-8 at byte {fault.start}"


def _parts(text: str) -> _Parts | None:
    """Finds the fences; None where there are not two."""
    opening = _OPENING.match(text, len(_MARK) if text.startswith(_MARK) else 0)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    space = _BREAK.match(text, closing.end())
    start = space.end() if space else closing.end()
    return _Parts(
        text[: opening.end()],
        text[opening.end() : closing.start()],
        text[closing.start() : start],
        text[start:],
        opening[1],
    )


def _is_open(body: str) -> bool:
    """Tells whether a text begins like front matter rather than with a horizontal rule."""
    opening = _OPENING.match(body)
    return opening is not None and _FIRST.match(body, opening.end()) is not None


def _fields(found: Mapping[str, Value | None]) -> Fields:
    tags = found.get("tags")
    return Fields(
        title=_scalar(found.get("title")),
        tags=((tags,) if tags else ()) if isinstance(tags, str) else tags,
        created_at=_scalar(found.get("createdAt")),
        updated_at=_scalar(found.get("updatedAt")),
    )


def _scalar(value: Value | None) -> str | None:
    return value if isinstance(value, str) else None
