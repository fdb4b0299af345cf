"""What the verbs of a workspace give back; in JSON the names are in camel case."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from membound.workspace.essence import Essence
from membound.workspace.refined import Refined
from membound.workspace.search import Searched
from membound.workspace.sessions.rounds import RecentRounds
from membound.workspace.sessions.turn import Called, DetailedRound

__all__ = [
    "Bootstrap",
    "Found",
    "FoundNote",
    "Listed",
    "Listing",
    "Moved",
    "NoteReference",
    "Place",
    "Remembered",
    "SyncReport",
    "Synced",
    "Unreadable",
]


class Place(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Where a workspace is asked from, and where its memory lies."""

    cwd: str
    workspace_id: str
    store_path: str


class Remembered(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note that was written.

    Attributes:
        file_path: its file.
        folder: its folder.
        key: its key.
        themes: the themes it was put in.
        created: whether there was none of that key before.
        updated_at: when, to be given as `if_updated_at` of the next change.
        revision: the number under which the former body is kept, if there was one.
        similar: paths of notes in the same folder whose keys say the same in other letters.
    """

    file_path: str
    folder: str
    key: str
    themes: tuple[str, ...]
    created: bool
    updated_at: str
    revision: int | None = None
    similar: tuple[str, ...] = ()


class Listed(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A note in a list.

    Attributes:
        updated_at: when it was last changed, by its front matter or, if later, by its file.
        size: bytes of its file.
        preview: the beginning of its body, where a list gives one.
        fault: why it could not be read as it was meant, if so.
    """

    key: str
    folder: str
    title: str
    tags: tuple[str, ...]
    updated_at: str
    size: int
    preview: str | None = None
    fault: str | None = None


MOST_ITEMS: Final = 200
"""Most notes that a page lists."""


class Listing(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Some notes, last changed first, and how to go on."""

    items: tuple[Listed, ...]
    total: int
    next_cursor: str | None = msgspec.field(default=None, name="next_cursor")


class FoundNote(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note that a search found.

    Attributes:
        matches: up to three lines that have words of the query, or the title.
        score: its final score, from 0 to 1.
    """

    key: str
    folder: str
    title: str
    tags: tuple[str, ...]
    matches: tuple[str, ...]
    score: float


class Found(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The notes that are relevant to a query, best first, and what was searched."""

    items: tuple[FoundNote, ...]
    searched: Searched
    next_cursor: str | None = msgspec.field(default=None, name="next_cursor")


class Moved(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note that lies elsewhere now."""

    key: str
    new_key: str
    from_folder: str
    to_folder: str
    themes: tuple[str, ...] = ()


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


class RecentContext(RecentRounds, frozen=True, kw_only=True, rename="camel"):
    """The last turns of a session.

    Attributes:
        loaded_from_previous: whether it is the session before the current one.
    """

    loaded_from_previous: bool | UnsetType = UNSET


class Bootstrap(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a session begins with."""

    workspace: Place
    recent_context: RecentContext | None
    essence: Essence
    memory_index_tree: str
    notes_refs: tuple[NoteReference, ...]


class LoadedContext(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The last turns of the current session; None without sessions."""

    workspace: Place
    recent_context: RecentContext | None


class FoundTurn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn that a search found.

    Attributes:
        score: its final score, from 0 to 1.
        user: what was said, cut at 1,000 characters.
        agent: what was answered, cut at 2,000.
        snippet: what stands around the first word that was found.
        actions: the tools that were called.
    """

    session_id: str
    turn_id: int
    timestamp: str | None
    score: float
    user: str
    agent: str
    snippet: str
    actions: tuple[str, ...]


class FoundTurns(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The turns that are relevant to a query, best first, and what was searched.

    Attributes:
        total_matches: how many are relevant; of very many, the pieces of their text.
    """

    query: str
    total_matches: int
    matches: tuple[FoundTurn, ...]
    searched: Searched
    next_cursor: str | None = msgspec.field(default=None, name="next_cursor")


class MissingTurn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn that is not there."""

    session_id: str
    turn_id: int


class LoadedTurn(DetailedRound, frozen=True, kw_only=True, rename="camel"):
    """A turn in full, of some session."""

    session_id: str


class LoadedTurns(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Turns in the order in which they were asked for, and those that are not there."""

    rounds: tuple[LoadedTurn, ...]
    not_found: tuple[MissingTurn, ...]


class TaggedRef(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What was put in a theme: a turn, a note, or one of each."""

    session_id: str | None = None
    turn_id: int | None = None
    memory_key: str | None = None
    folder: str | None = None
    title: str | None = None


class Tagged(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A theme that something was put in."""

    theme: str
    display_name: str
    ref: TaggedRef


class TurnContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn, uncut."""

    user: str
    agent: str
    timestamp: str | None
    actions: tuple[Called, ...]


class TracedTurn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn of a theme; with its text where that was asked for.

    Attributes:
        refined: what was drawn out of it, None where it was not refined.
        content: the turn; None where it is not there.
        error: why not.
    """

    session_id: str
    turn_id: int
    timestamp: str | None
    refined: Refined | UnsetType | None = UNSET
    content: TurnContent | UnsetType | None = UNSET
    error: str | UnsetType = UNSET


class TracedMemory(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note of a theme.

    Attributes:
        deleted: whether it was deleted since.
    """

    key: str
    folder: str
    title: str | None
    timestamp: str | None
    deleted: bool | UnsetType = UNSET


class Traced(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A theme in the order of its time."""

    theme: str
    display_name: str
    created_at: str | None
    updated_at: str | None
    turn_count: int
    memory_count: int
    turns: tuple[TracedTurn, ...]
    memories: tuple[TracedMemory, ...]


class RefinedTurns(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was drawn out of turns, and where it is kept.

    Attributes:
        sample: the first two.
    """

    session_id: str
    refined_count: int
    output_path: str
    sample: tuple[Refined, ...]
