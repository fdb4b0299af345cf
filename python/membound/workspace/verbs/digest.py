"""The verbs of the workspace as a whole: sync, bootstrap, organize, recall in a block."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from membound.folders import writable
from membound.numbers import count
from membound.request import MOST_RECORDS
from membound.workspace import comments, essence, index_json, tree
from membound.workspace.asked import Asked, asked_words
from membound.workspace.boot import BootContext, Instructions, assembled, instructions
from membound.workspace.paths import Address, folder_name
from membound.workspace.results.digest import (
    Bootstrap,
    NoteReference,
    Synced,
    SyncReport,
    Unreadable,
)
from membound.workspace.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from membound.retrieval import RetrievalResult
    from membound.workspace.entry import Entry
    from membound.workspace.essence import Prepared, Stored
    from membound.workspace.index_json import IndexJson, Listed

__all__ = ["DigestVerbs"]

ESSENCE_CHARACTERS: Final = 20_000
ORGANIZED_CHARACTERS: Final = 36_000
BOOT_CHARACTERS: Final = 12_000
MOST_UNREADABLE: Final = 20


class DigestVerbs(SessionVerbs):
    """What is done to the workspace as a whole."""

    def sync(
        self,
        folder_comments: Mapping[str, str] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Synced:
        """Brings index.json in line with the files, and sets comments of folders.

        The search index needs no sync: every look brings it in line.

        Args:
            folder_comments: what folders are for, by folder. One of a folder that is not there is
                left out, and the folder named.
            progress: told how many files of how many were read.

        Raises:
            InvalidInputError: a comment is none.
            StoreBusyError: another process held the workspace for too long.
        """
        self._catalogue.look(progress)
        can_write = writable(self._root.folder) or folder_comments
        with self._changing() if can_write else nullcontext():
            former, listed = self._cache.read(), self._cache.files()
            own, unknown = comments.checked(folder_comments or {}, self._catalogue.folders)
            told = self._cache.set_by_peers() | own if can_write else own
            if told:
                self._root.write(
                    comments.PATH, comments.changed(self._root.read(comments.PATH), told)
                )
            digest = self._cache.structure_hash()
            skipped = former.state == "whole" and former.structure_hash == digest
            if can_write and (told or not skipped):
                self._keep_replaced(former)
                self._cache.write(self._now(), structure_hash=digest)
        return Synced(
            skipped=skipped,
            structure_hash=digest,
            report=SyncReport() if skipped else self._report(listed, former.comments),
            folders_needing_comment=tuple(
                f"{folder}/" for folder, comment in self._cache.comments().items() if not comment
            ),
            unreadable=self._unreadable()[:MOST_UNREADABLE],
            unknown_folders=unknown,
            search_index="memory" if self._index.reason else "kept",
        )

    def _keep_replaced(self, former: IndexJson) -> None:
        """Keeps a cache of another version, or a damaged one, before it is written anew."""
        data = self._root.read(index_json.PATH)
        if former.state != "whole" and data is not None:
            stores = self._stores
            stores.write(index_json.backup_path(stores.names("backup"), self._now()), data)

    def _report(self, listed: Mapping[str, Listed], commented: Mapping[str, str]) -> SyncReport:
        """Tells how what a cache said differs from what is there."""
        known = {path: one.entry for path, one in self._catalogue.known.items()}
        same = [path for path in known if path in listed]
        changed = [
            path
            for path in same
            if (listed[path].title, listed[path].tags) != (known[path].title, known[path].tags)
        ]
        return SyncReport(
            scanned_files=len(known),
            added_entries=len(known) - len(same),
            removed_entries=len(listed) - len(same),
            updated_entries=len(changed),
            added_folders=sum(one not in commented for one in self._catalogue.folders),
        )

    def _unreadable(self) -> tuple[Unreadable, ...]:
        return tuple(
            Unreadable(path=path, fault=known.fault)
            for path, known in self._catalogue.known.items()
            if known.fault is not None
        )

    def tree(self) -> str:
        """Draws the notes under ``memory``, a line each, the newest marked."""
        self._catalogue.look()
        return self._tree()

    def _tree(self) -> str:
        entries, shown = self._catalogue.entries(), self._cache.comments()
        return tree.render(entries, shown, self._config.recent_changes)

    def bootstrap(
        self,
        *,
        detailed_rounds: int | None = None,
        summary_rounds: int | None = None,
        force: bool = False,
    ) -> Bootstrap:
        """Gives what a session begins with: essence, tree, scratch notes and the last turns.

        Args:
            detailed_rounds: how many turns in full; as is configured if left out.
            summary_rounds: how many before them in short; the same.
            force: whether turns of the current session are given even where it has several.

        Raises:
            InvalidInputError: a number is none.
        """
        self.sync()
        entries = self._catalogue.entries()
        notes = [entry for entry in entries if entry.path.startswith("notes/")]
        return Bootstrap(
            workspace=self.place,
            recent_context=self._recent_context(detailed_rounds, summary_rounds, force=force),
            essence=self._essence(ESSENCE_CHARACTERS),
            memory_index_tree=self._tree(),
            notes_refs=tuple(_reference_to(entry) for entry in notes),
        )

    def _essence(self, budget: int) -> essence.Essence:
        note = self._garden.read(essence.ADDRESS)
        if note is None:
            return essence.existing(None, 0, budget)
        return essence.existing(note.content, note.size, budget)

    def organize(
        self,
        content: str | None = None,
        *,
        sources: Iterable[str] = (),
        cursor: str | None = None,
        budget: int = ORGANIZED_CHARACTERS,
    ) -> Prepared | Stored:
        """Distils all memories into the essence, in two steps.

        Without content it gives the rules, the essence as it is, and the memories page by page;
        with content it stores the new essence. The former one is kept as a revision.

        Args:
            content: the new essence.
            sources: what it was made from, told back.
            cursor: the `next_cursor` of the page before.
            budget: most characters of texts in the first step. Up to half of them are the essence
                as it is, which is given on the first page alone.

        Raises:
            InvalidInputError: an argument is not acceptable.
            StoreBusyError: another process held the workspace for too long.
        """
        named = essence.checked_sources(sources)
        if content is not None:
            return self._store_essence(content, named)
        self._catalogue.look()
        room = count(budget, "budget", 1)
        former = self._essence(room // 2 if cursor is None else 0)
        page = essence.pending(
            self._catalogue.entries(),
            self._body,
            budget=room - len(former.content or ""),
            cursor=cursor,
        )
        return essence.Prepared(
            existing_essence=former,
            pending_memories=page.memories,
            left=page.left,
            next_cursor=page.next_cursor or UNSET,
        )

    def _body(self, path: str) -> str | None:
        note = self._garden.read(Address.of(path))
        return None if note is None else note.content

    def _store_essence(self, content: str, sources: tuple[str, ...]) -> Stored:
        now = self._now()
        with self._changing():
            revision = self._garden.write_essence(content, essence.front_matter(now), now)
            self._took(essence.ADDRESS.path)
        return essence.Stored(
            file_path=str(self._root.real(essence.ADDRESS.path)),
            content_size=essence.content_size(content),
            size_hint=essence.size_hint(content),
            sources=sources,
            revision=UNSET if revision is None else revision,
        )

    def retrieve(
        self,
        query: str,
        *,
        limit: int = 8,
        character_budget: int = 6_000,
        folder: str | None = None,
    ) -> RetrievalResult:
        """Recalls what is relevant to a query, of notes, themes and sessions, in a fenced block.

        It is the foundation's recall: `records`, `context` and `trace` are those of
        `membound.RetrievalResult`; a record's source tells its file.

        Args:
            query: the words.
            limit: most records, up to 64.
            character_budget: most characters of the block.
            folder: only notes in it and below.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        asked = Asked(
            query=asked_words(query),
            now=self._now(),
            within=None if folder is None else folder_name(folder),
        )
        most = count(limit, "limit", 1, MOST_RECORDS)
        characters = count(character_budget, "character_budget", 0)
        return self._asking(
            [self._catalogue, self._sessions, self._theme_index],
            lambda: self._search.recall(asked, limit=most, character_budget=characters),
        )

    def boot_context(self, budget: int = BOOT_CHARACTERS) -> BootContext:
        """Gives what a host puts before the first message, in one text; no tool call is needed.

        First the user's and the project's AGENTS.md, and CLAUDE.md beside each, as they are:
        from the host's own folder and from the workspace's. Then, fenced as memory, the essence,
        the tree, and the last turns.

        Args:
            budget: most characters of the text.

        Raises:
            InvalidInputError: the budget is none.
        """
        room = count(budget, "budget", 500)
        start = self.bootstrap(detailed_rounds=0)
        host = self._location.places.sessions_root.parent
        told = instructions([("user", host), ("project", Path(self.cwd))])
        texts = {
            "Essence": start.essence.content if start.essence.found else "",
            "Index of memories": start.memory_index_tree,
            "Last turns": _told(start),
        }
        memory = [
            Instructions(name=name, source=None, text=text) for name, text in texts.items() if text
        ]
        return assembled(list(told), memory, room)


def _reference_to(entry: Entry) -> NoteReference:
    at = Address.of(entry.path)
    return NoteReference(key=at.key, folder=at.folder, title=entry.title, tags=entry.tags)


def _told(start: Bootstrap) -> str:
    """Gives the last turns a line each."""
    if start.recent_context is None:
        return ""
    return "\n".join(
        f"- {turn.timestamp or ''} {turn.summary}" for turn in start.recent_context.summary_rounds
    )
