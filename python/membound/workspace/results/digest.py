"""What the verbs of the workspace as a whole give back; in JSON the names are in camel case."""

from __future__ import annotations

from typing import Literal

import msgspec

from membound.workspace.essence import Essence
from membound.workspace.results.place import Place
from membound.workspace.results.sessions import RecentContext

__all__ = [
    "Bootstrap",
    "NoteReference",
    "SyncReport",
    "Synced",
    "Unreadable",
]


class SyncReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How index.json differed from the files; all zero where it did not."""

    scanned_files: int = 0
    added_entries: int = 0
    removed_entries: int = 0
    updated_entries: int = 0
    added_folders: int = 0


class Unreadable(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note that cannot be read as it was meant."""

    path: str
    fault: str


class Synced(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What bringing index.json in line with the files came to.

    Attributes:
        skipped: whether nothing had changed.
        structure_hash: of the files and empty folders, as other programs compute it.
        folders_needing_comment: folders without a comment.
        unreadable: the first notes that cannot be read as they were meant.
        unknown_folders: names of folders that are not there, whose comments were left out.
        search_index: whether it is kept on disk, or held in memory as the folder is read-only.
    """

    synced: bool = True
    skipped: bool
    structure_hash: str
    report: SyncReport
    folders_needing_comment: tuple[str, ...]
    unreadable: tuple[Unreadable, ...] = ()
    unknown_folders: tuple[str, ...] = ()
    search_index: Literal["kept", "memory"] = "kept"


class NoteReference(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A scratch note, by name alone."""

    key: str
    folder: str
    title: str
    tags: tuple[str, ...]


class Bootstrap(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a session begins with."""

    workspace: Place
    recent_context: RecentContext | None
    essence: Essence
    memory_index_tree: str
    notes_refs: tuple[NoteReference, ...]
