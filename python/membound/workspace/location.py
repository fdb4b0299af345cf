"""Where the memory of a folder lies: found or made, and who it is noted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import msgspec

from membound.data_folder import store_path
from membound.folders import writable
from membound.times import timestamp
from membound.workspace import identity
from membound.workspace.config import Places
from membound.workspace.disk import OURS, Root
from membound.workspace.paths import AREAS

if TYPE_CHECKING:
    from datetime import datetime

    from membound.writer import Writer

__all__ = ["Location", "located", "made", "relinked"]


FOLDERS: Final = (*AREAS, "themes", "refined", OURS)
"""What every workspace has; other programs look for the first five."""


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """Where the memory of a folder lies.

    Attributes:
        cwd: the folder.
        workspace_id: the name of its store.
        places: where stores and sessions lie.
    """

    cwd: str
    workspace_id: str
    places: Places

    @property
    def root(self) -> Root:
        """The files of the memory."""
        return Root(self.places.store_root / self.workspace_id)


def located(cwd: str, places: Places) -> Location:
    """Finds the memory of a folder: that of a link, else its own, which need not be there yet."""
    links = identity.read_links(Root(places.store_root).read(identity.LINKS))
    folder = identity.store_folder(cwd, os.fspath(places.home), links)
    return Location(cwd=cwd, workspace_id=folder, places=places)


def relinked(location: Location, folder: str | None) -> Location:
    """Gives a folder the memory of another one, or its own again.

    Nothing is moved. The right to write in the root of all stores is to be held.

    Args:
        location: what it has now.
        folder: the name of the store that is to be its; None for its own.

    Raises:
        InvalidInputError: that is no store's name.
        CanonicalFileError: the links cannot be kept, or not be written.
    """
    stores = Root(location.places.store_root)
    data = identity.linked(stores.read(identity.LINKS), location.cwd, folder)
    stores.write(identity.LINKS, data)
    return located(location.cwd, location.places)


def made(location: Location, writer: Writer, now: datetime) -> None:
    """Makes the folder of a memory where there is none, and notes whose it is.

    One that is read-only stays as it is: it can be read. So does an identity that cannot be.

    Args:
        location: where it lies.
        writer: the right to write there, which is asked for only where there is something new.
        now: when it is made.

    Raises:
        CanonicalFileError: it cannot be made.
        StoreBusyError: another process held it for too long.
    """
    root = location.root
    if root.folder.is_dir() and not writable(root.folder):
        return
    for name in FOLDERS:
        store_path(root.folder / name, durable=True)
    if _noted(location, now) is not None:
        with writer.held():
            if (data := _noted(location, now)) is not None:
                root.write(identity.PATH, data)


def _noted(location: Location, now: datetime) -> bytes | None:
    """Gives what the identity is to say; None where it says so, or cannot be read."""
    data = location.root.read(identity.PATH)
    known = identity.read_identity(data)
    if data is not None and known is None:
        return None
    former = known or identity.Identity(id=uuid4().hex, created_at=timestamp(now))
    seen = former.seen(location.cwd, identity.project_place(location.cwd))
    return None if seen == known else seen.render()
