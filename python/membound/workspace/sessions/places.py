"""Where the sessions of a workspace lie, newest first, and which of them are copies."""

from __future__ import annotations

import stat
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from membound.workspace.sessions.wire import mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from membound.workspace.sessions.turn import Turn

__all__ = ["Session", "own_turns", "session_of", "sessions_of"]

_WIRE: Final = ("agents", "main", "wire.jsonl")
_PREFIX: Final = "session_"
_STATE: Final = "state.json"
_STATE_BYTES: Final = 1 << 20


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session of a host.

    Attributes:
        id: the name of its folder.
        wire: its wire file.
        size: of that file, in bytes.
        modified: when that file was last changed, in nanoseconds since the epoch.
        title: its title, where it has one.
        forked_from: the session that it is a copy of, where it is one.
    """

    id: str
    wire: Path
    size: int
    modified: int
    title: str | None = None
    forked_from: str | None = None


def sessions_of(root: Path, workspace_hash: str) -> tuple[Session, ...]:
    """Finds the sessions of a workspace, the one that was written last first.

    Two of one name, in two folders of the workspace, are one session: the one that was written
    last.

    Args:
        root: the host's folder of sessions; it need not be there.
        workspace_hash: the hash of the workspace, with which names of its folders end.
    """
    found: dict[str, Session] = {}
    for folder in _folders(root):
        if folder.name.endswith(f"_{workspace_hash}"):
            for session in filter(None, map(_session, _folders(folder))):
                known = found.get(session.id)
                if known is None or known.modified < session.modified:
                    found[session.id] = session
    return tuple(sorted(found.values(), key=lambda one: (-one.modified, one.id)))


def session_of(sessions: Iterable[Session], session_id: str | None) -> Session | None:
    """Gives the session of an id, or the one that was written last; None without such a one."""
    return next((one for one in sessions if session_id in (None, one.id)), None)


def own_turns(turns: Iterable[Turn], original: Iterable[Turn]) -> tuple[Turn, ...]:
    """Gives the turns of a copy that its original has not."""
    copied = set(map(_print, original))
    return tuple(turn for turn in turns if _print(turn) not in copied)


def _print(turn: Turn) -> tuple[int, str | None, bytes]:
    """Gives what a turn and its copy have in common; the answer of the original may have grown."""
    return turn.turn_id, turn.timestamp, sha256(turn.user.encode()).digest()


def _folders(folder: Path) -> Iterator[Path]:
    """Gives what lies in a folder, by name; nothing where there is none that can be read."""
    try:
        yield from sorted(folder.iterdir())
    except OSError:
        return


def _session(folder: Path) -> Session | None:
    """Gives the session in a folder; None where there is none."""
    wire = folder.joinpath(*_WIRE)
    try:
        told = wire.stat()
    except OSError:
        return None
    if not folder.name.startswith(_PREFIX) or not stat.S_ISREG(told.st_mode):
        return None
    state = _state(folder / _STATE)
    return Session(
        id=folder.name,
        wire=wire,
        size=told.st_size,
        modified=told.st_mtime_ns,
        title=_text(state.get("title")),
        forked_from=_text(state.get("forkedFrom")),
    )


def _state(file: Path) -> dict[str, object]:
    """Reads what a host says of a session; nothing where it cannot be read."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return {}
        with file.open("rb") as stream:
            return mapping(msgspec.json.decode(stream.read(_STATE_BYTES)))
    except (OSError, ValueError, RecursionError):
        return {}


def _text(value: object) -> str | None:
    """Gives a text, or the id of what is told of by an object."""
    found = mapping(value).get("sessionId") if isinstance(value, dict) else value
    return found if isinstance(found, str) and found else None
