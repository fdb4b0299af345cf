"""Looking after a workspace that need not be open: what is wrong with it, and whose store it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from membound.data_folder import store_path
from membound.errors import CanonicalFileError
from membound.workspace import config, identity
from membound.workspace.checks import examine
from membound.workspace.disk import OURS, Root
from membound.workspace.location import relinked
from membound.workspace.sessions.places import sessions_of
from membound.workspace.sessions.reader import read_more
from membound.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from membound.workspace.checks import Finding
    from membound.workspace.identity import Candidate
    from membound.workspace.location import Location
    from membound.workspace.sessions.places import Session

__all__ = ["check", "link", "peers", "relatives"]

_TIMEOUT_SECONDS: Final = 10.0


def check(location: Location) -> tuple[Finding, ...]:
    """Looks at the workspace, its sessions and the settings; nothing is changed.

    Raises:
        CanonicalFileError: a folder or the settings cannot be read.
    """
    stores = Root(location.places.store_root)
    sessions = None
    if location.places.sessions_root.is_dir():
        hash = identity.workspace_hash(location.cwd)
        found = sessions_of(location.places.sessions_root, hash)
        sessions = {session.id: _wrong_with(session) for session in found}
    notices = config.read(stores.read(config.PATH)).notices
    if not identity.are_links(stores.read(identity.LINKS)):
        notices = (*notices, f"{identity.LINKS} is no JSON object: no folder has another's memory")
    return examine(location.root, sessions=sessions, notices=notices)


def relatives(location: Location) -> tuple[Candidate, ...]:
    """Finds stores that may be those of the folder, the likeliest first."""
    found = identity.candidates(location.places.store_root, location.cwd)
    return tuple(one for one in found if one.folder != location.workspace_id)


def peers(location: Location) -> tuple[Path, ...]:
    """Finds stores of the folder that other programs have made, which are never moved."""
    places = location.places
    return identity.peer_stores(places.home, location.cwd, places.store_root)


def link(location: Location, store: str | None) -> Location:
    """Gives the folder another store, or its own again; nothing is moved.

    Args:
        location: where its memory lies now.
        store: the name of the store; None for its own.

    Raises:
        InvalidInputError: that is no store's name.
        StoreBusyError: another process changes the links.
        CanonicalFileError: they cannot be written.
    """
    ours = location.places.store_root / OURS
    store_path(ours, durable=True)
    with Writer(ours / "lock", _TIMEOUT_SECONDS).held():
        return relinked(location, store)


def _wrong_with(session: Session) -> str | None:
    """Says what of a session cannot be read."""
    try:
        skipped = read_more(session.wire, session.id).skipped
    except CanonicalFileError as fault:
        return str(fault)
    return f"{skipped:,} lines cannot be read" if skipped else None
