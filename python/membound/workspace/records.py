"""What a search is made over: notes, turns and themes as records of the foundation."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from membound.canonical_json import compact
from membound.fields import LOCATOR_CHARACTERS, ORIGIN_CHARACTERS
from membound.parts import Source
from membound.records import MemoryRecord
from membound.times import EPOCH
from membound.workspace.cutting import cut
from membound.workspace.pieces import pieces
from membound.workspace.sessions.turn import ELLIPSIS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from membound.fields import MemoryType
    from membound.workspace.note import Note
    from membound.workspace.sessions.turn import Turn
    from membound.workspace.theme import Theme

__all__ = [
    "NOTE_TYPES",
    "SESSIONS",
    "THEMES",
    "Told",
    "note_records",
    "part_id",
    "part_ids",
    "theme_record",
    "turn_locator",
    "turn_records",
]

NOTE_TYPES: Final[tuple[MemoryType, ...]] = ("fact", "preference", "decision", "insight")
"""What a note may be; turns and themes are episodes."""
SESSIONS: Final = "sessions"
"""The folder in which turns lie, for a search."""
USER_CHARACTERS: Final = 1_000
AGENT_CHARACTERS: Final = 2_000
"""Of what was said and answered, a search tells so much."""
THEMES: Final = "themes"

_TYPES: Final[Mapping[str, MemoryType]] = {
    "decision": "decision",
    "decisions": "decision",
    "preference": "preference",
    "preferences": "preference",
    "fact": "fact",
    "决定": "decision",
    "决策": "decision",
    "偏好": "preference",
}
"""Tags, and names of folders, that say what a note is; any other note is an insight."""


def note_records(note: Note, moment: str, *, workspace: str) -> list[bytes]:
    """Gives the records of a note, one for each piece of its text.

    Args:
        note: the note.
        moment: when it was last changed, as canonical text.
        workspace: where it is asked from.
    """
    path = note.address.path
    folders = reversed(note.address.folder.split("/"))
    names = (name.lower() for name in (*note.tags, *folders))
    kind: MemoryType = next((_TYPES[name] for name in names if name in _TYPES), "insight")
    return [
        _record(
            part_id("note", path, number),
            text,
            kind=kind,
            tags=note.tags,
            subject=note.title,
            moment=moment,
            workspace=workspace,
            locator=path,
            importance=0.6,
        )
        for number, text in enumerate(pieces(note.content.strip() or note.title))
    ]


class Told(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a search tells of a turn; its first record carries it, so that no wire file is read."""

    timestamp: str | None
    user: str
    agent: str
    actions: tuple[str, ...]


def turn_records(turn: Turn, *, workspace: str) -> list[bytes]:
    """Gives the records of a turn: what was said, and what was called."""
    actions = tuple(dict.fromkeys(action.name for action in turn.actions))
    text = "\n".join(part for part in (turn.user, turn.agent, " ".join(actions)) if part.strip())
    told = Told(
        timestamp=turn.timestamp,
        user=cut(turn.user, USER_CHARACTERS, ELLIPSIS),
        agent=cut(turn.agent, AGENT_CHARACTERS, ELLIPSIS),
        actions=actions,
    )
    locator = turn_locator(turn.session_id, turn.turn_id)
    return [
        _record(
            part_id("turn", locator, number),
            piece,
            kind="episode",
            tags=(),
            subject=None,
            moment=turn.timestamp or EPOCH,
            workspace=workspace,
            locator=locator,
            importance=0.4,
            told=None if number else told,
        )
        for number, piece in enumerate(pieces(text or f"turn {turn.turn_id}"))
    ]


def turn_locator(session_id: str, turn_id: int) -> str:
    """Gives where a turn lies, for a search."""
    return f"{SESSIONS}/{session_id}/{turn_id}"


def theme_record(theme: Theme, moment: str, *, file: str, workspace: str) -> bytes:
    """Gives the record of a theme: its name, and the titles of the notes that belong to it.

    Args:
        theme: the theme.
        moment: when it was last changed, as canonical text.
        file: where it lies.
        workspace: where it is asked from.
    """
    return _record(
        part_id("theme", file, 0),
        "\n".join((theme.display_name, *(one.title for one in theme.memories if one.title))),
        kind="episode",
        tags=(),
        subject=theme.display_name,
        moment=moment,
        workspace=workspace,
        locator=file,
        importance=0.4,
    )


def part_id(kind: str, locator: str, number: int) -> str:
    """Gives the id of one piece of what lies at a place."""
    return f"{kind}:{sha256(locator.encode()).hexdigest()[:32]}:{number}"


def part_ids(kind: str, locator: str, numbers: Iterable[int]) -> list[str]:
    """Gives the ids of some pieces of what lies at a place."""
    return [part_id(kind, locator, number) for number in numbers]


def _record(
    id: str,
    text: str,
    *,
    kind: MemoryType,
    tags: tuple[str, ...],
    subject: str | None,
    moment: str,
    workspace: str,
    locator: str,
    importance: float,
    told: Told | None = None,
) -> bytes:
    source = Source(id="file", kind="file", trust="observed", locator=locator[:LOCATOR_CHARACTERS])
    record = MemoryRecord(
        id=id,
        content=text.replace("\0", "\ufffd"),
        scope="workspace",
        type=kind,
        tags=tags,
        importance=importance,
        created_at=moment,
        updated_at=moment,
        observed_at=moment,
        workspace=workspace,
        subject=subject[:ORIGIN_CHARACTERS] if subject else None,
        sources=(source,),
        loose={} if told is None else {"told": msgspec.to_builtins(told)},
    )
    return compact(record)
