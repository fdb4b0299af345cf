"""The file index.json of a workspace: a cache for other programs, written and never trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from membound.times import timestamp
from membound.workspace import comments, index_json
from membound.workspace.follower import decoded
from membound.workspace.structure_hash import dated, empty_folders

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from membound.workspace.catalogue import Catalogue
    from membound.workspace.disk import Root
    from membound.workspace.index_json import IndexJson, Listed
    from membound.workspace.search_index import SearchIndex

__all__ = ["Cache"]

_MIRRORED: Final = "comments"
_MIRROR: Final = msgspec.json.Decoder(dict[str, str])
"""The note of the comments that the file was written with: what differs, a peer has set."""


class Cache:
    """What index.json says, and what it is to say. To write it, the right to write must be held.

    Args:
        root: the folder of the workspace.
        catalogue: what is there, as of its last look.
        index: keeps a note of what was written.
    """

    def __init__(self, root: Root, catalogue: Catalogue, index: SearchIndex) -> None:
        self._root = root
        self._catalogue = catalogue
        self._index = index
        self._renderer = index_json.Renderer()
        self._stamp: tuple[int, ...] | None = None
        self._ours: tuple[int, ...] | None = None
        self._last = index_json.read(None)

    def read(self) -> IndexJson:
        """Reads the file, unless it is as it was left."""
        stamp = self._root.stamp(index_json.PATH)
        if stamp is None or stamp != self._stamp:
            self._last, self._stamp = index_json.read(self._root.read(index_json.PATH)), stamp
        return self._last

    def files(self) -> Mapping[str, Listed]:
        """Gives what the file says of each note."""
        former = self.read()
        return self._renderer.rendered().files if self._is_ours() else former.files

    def _is_ours(self) -> bool:
        """Tells whether the file, as it was read last, is the one that was written last."""
        return self._stamp is not None and self._stamp == self._ours

    def write(self, now: datetime, *, structure_hash: str | None = None) -> None:
        """Writes the file anew. It need not outlast a loss of power.

        Args:
            now: the time of writing.
            structure_hash: of all that is there; None where something has changed since the last
                sync.
        """
        former, shown = self.read(), self.comments()
        changed, moment = self._catalogue.take_changed(), timestamp(now)
        if self._is_ours() and changed is not None:
            data = self._renderer.change(
                changed, shown, synced_at=moment, structure_hash=structure_hash
            )
        else:
            entries = self._catalogue.entries()
            data = self._renderer.render(
                entries, shown, former, synced_at=moment, structure_hash=structure_hash
            )
        self._ours = None
        self._note(shown)
        self._root.write(index_json.PATH, data, durable=False)
        self._stamp = self._ours = self._root.stamp(index_json.PATH)
        self._last = index_json.IndexJson(comments=shown, structure_hash=structure_hash)

    def _note(self, shown: Mapping[str, str]) -> None:
        """Notes the comments that are ours, so that those of a peer are told from them."""
        peers = self.set_by_peers()
        ours = {folder: one for folder, one in shown.items() if folder not in peers}
        note = msgspec.json.encode(ours).decode()
        if self._index.notes(_MIRRORED).get("") != note:
            self._index.apply(records=[], removed=[], notes={_MIRRORED: note})

    def comments(self) -> dict[str, str]:
        """Gives the comment of each folder that is there."""
        own = comments.read(self._root.read(comments.PATH))
        return comments.shown(self._catalogue.folders, own.folders, self.set_by_peers())

    def set_by_peers(self) -> dict[str, str]:
        """Gives the comments of folders that another program has set in the file."""
        mirrored = self._index.notes(_MIRRORED).get("", "{}")
        ours = decoded(_MIRROR, mirrored)
        found = comments.set_by_peers(self.read().comments, ours)
        there = frozenset(self._catalogue.folders)
        return {folder: one for folder, one in found.items() if folder in there}

    def structure_hash(self) -> str:
        """Gives the hash of the files and empty folders, as peers compute it."""
        known = self._catalogue.known
        empty = empty_folders(self._catalogue.folders, known)
        return dated({path: one.stamp[1] for path, one in known.items()}, empty)
