"""Where the sessions of a workspace lie, newest first."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Session", "session_of", "sessions_of"]

_WIRE: Final = ("agents", "main", "wire.jsonl")
_PREFIX: Final = "session_"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session of a host.

    Attributes:
        id: the name of its folder.
        wire: its wire file.
        size: of that file, in bytes.
        modified: when that file was last changed, in nanoseconds since the epoch.
    """

    id: str
    wire: Path
    size: int
    modified: int


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
    return Session(id=folder.name, wire=wire, size=told.st_size, modified=told.st_mtime_ns)
