"""What was taken from turns, kept beside them so that it is taken once.

The rows are derived: one that cannot be read is left out, and made anew.
"""

from __future__ import annotations

import re
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from membound.workspace.paths import is_reserved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from membound.workspace.disk import Root

__all__ = ["Entities", "Refined", "Rows", "read_rows", "refined_path", "write_rows"]

_FOLDER: Final = "refined"
_DATABASE: Final = f"{_FOLDER}/refined.sqlite"
_UNSAFE: Final = r'[\\/:*?"<>|\x00-\x1f\x7f]'
_CHARACTERS: Final = 120
_BYTES: Final = 200
_DIGITS: Final = 16
_SELECT: Final = (
    "SELECT turn_id, timestamp, summary, facts, notes, entities, categories "
    "FROM refined_turns WHERE session_id = ? ORDER BY turn_id"
)


class Entities(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a turn names.

    Attributes:
        files: that it read or changed.
        tools: that it called.
        errors: that they gave back.
    """

    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Refined(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What was taken from one turn.

    Attributes:
        session_id: its session.
        turn_id: its number.
        timestamp: when it began.
        summary: what was asked, what was called, and how the answer begins.
        facts: what the answer lists or states as done.
        notes: other sentences of it.
        entities: what it names.
        categories: facts by the heading that they stand under.
        content_hash: of the turn that they were taken from; a turn that grew has another. None
            where another program took them.
    """

    session_id: str
    turn_id: int
    timestamp: str | None
    summary: str
    facts: tuple[str, ...]
    notes: tuple[str, ...]
    entities: Entities
    categories: dict[str, tuple[str, ...]]
    content_hash: str | None = None


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken from the turns of a session, by their numbers.

    Attributes:
        by_turn: the rows.
        skipped: how many could not be read.
    """

    by_turn: dict[int, Refined]
    skipped: int


def refined_path(session_id: str) -> str:
    """Gives the file of a session: its id with ``_`` for what a file's name cannot have."""
    plain = re.sub(r"\s+", "_", re.sub(_UNSAFE, "_", session_id.strip()))[:_CHARACTERS]
    is_name = plain.strip(".") != "" and not is_reserved(plain) and len(plain.encode()) <= _BYTES
    if not is_name:
        plain = f"session-{sha256(session_id.encode()).hexdigest()[:_DIGITS]}"
    return f"{_FOLDER}/{plain}.jsonl"


def read_rows(root: Root, session_id: str) -> Rows:
    """Reads what was taken from a session's turns, also by newer peers.

    Raises:
        OutsideWorkspaceError: the file lies outside.
        CanonicalFileError: the file cannot be read.
    """
    rows, skipped = _database_rows(root, session_id)
    for line in (root.read(refined_path(session_id)) or b"").split(b"\n"):
        row = _row(line)
        if row is not None and row.session_id == session_id:
            rows[row.turn_id] = row
        elif line.strip():
            skipped += 1
    return Rows(by_turn=rows, skipped=skipped)


def write_rows(root: Root, session_id: str, rows: Iterable[Refined]) -> None:
    """Puts rows into a session's file; rows of other turns stay. The workspace's lock is held.

    Raises:
        OutsideWorkspaceError: the file lies outside.
        CanonicalFileError: the file cannot be read, or is the former one still.
    """
    path = refined_path(session_id)
    known = filter(None, map(_row, (root.read(path) or b"").split(b"\n")))
    by_turn = {(row.session_id, row.turn_id): row for row in known}
    by_turn.update({(session_id, row.turn_id): row for row in rows})
    lines = [msgspec.json.encode(row) for _, row in sorted(by_turn.items(), key=_place)]
    root.write(path, b"\n".join(lines))


def _place(item: tuple[tuple[str, int], Refined]) -> tuple[int, str]:
    (session_id, turn_id), _ = item
    return turn_id, session_id


_decode: Final = msgspec.json.Decoder(Refined).decode


def _row(line: bytes) -> Refined | None:
    """Reads a line; None for one that is no row."""
    try:
        return _decode(line)
    except (ValueError, RecursionError):
        return None


def _database_rows(root: Root, session_id: str) -> tuple[dict[int, Refined], int]:
    """Reads what newer peers took, and how many rows, or the whole file, cannot be read."""
    file = root.real(_DATABASE)
    if not file.is_file():
        return {}, 0
    # Another program's file, which the core never opens; most workspaces have none.
    import sqlite3  # noqa: PLC0415, TID251 — see above

    rows: dict[int, Refined] = {}
    skipped = 0
    try:
        uri = f"{file.as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            for row in _told(database.execute(_SELECT, (session_id,)), session_id):
                if row is None:
                    skipped += 1
                else:
                    rows[row.turn_id] = row
    except sqlite3.Error:
        skipped += 1
    return rows, skipped


def _told(found: Iterable[tuple[object, ...]], session_id: str) -> Iterator[Refined | None]:
    """Gives rows of a database; None for each that is not what it should be."""
    for turn_id, timestamp, summary, *parts in found:
        try:
            facts, notes, entities, categories = (
                msgspec.json.decode(part or "null") if isinstance(part, str | None) else part
                for part in parts
            )
            told = {
                "sessionId": session_id,
                "turnId": turn_id,
                "timestamp": timestamp,
                "summary": summary or "",
                "facts": facts or (),
                "notes": notes or (),
                "entities": entities or {},
                "categories": categories or {},
            }
            yield msgspec.convert(told, Refined)
        except (ValueError, RecursionError):
            yield None
