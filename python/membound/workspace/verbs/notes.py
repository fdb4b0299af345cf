"""The verbs of single notes: remember, recall, search, delete, move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound.errors import NoteNotFoundError
from membound.numbers import count
from membound.request import MOST_RECORDS
from membound.times import timestamp
from membound.workspace.asked import MOST_LINES, Asked, asked_words, first_line, lines_with, units
from membound.workspace.note import checked_tags
from membound.workspace.paths import WRITABLE, Address, address, folder_name, key_name
from membound.workspace.records import NOTE_TYPES
from membound.workspace.results.notes import (
    Found,
    FoundNote,
    Moved,
    Remembered,
)
from membound.workspace.theme_name import checked_name
from membound.workspace.verbs.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from membound.workspace.note import Note
    from membound.workspace.search import Hit

__all__ = ["NoteVerbs"]


class NoteVerbs(Opened):
    """What is done to notes."""

    def remember(
        self,
        key: str,
        content: str | None = None,
        *,
        folder: str | None = None,
        tags: Iterable[str] | None = None,
        themes: Iterable[str] = (),
        title: str | None = None,
        if_updated_at: str | None = None,
    ) -> Remembered:
        """Writes a note, in the place of the one of that key if there is one.

        The former text is kept as a revision. The note is durable when this returns.

        Args:
            key: the name of its file, without the ending.
            content: its body, kept to the byte; left out, the one that it has is kept.
            folder: where, under ``memory`` or ``notes``; ``memory`` if left out.
            tags: left out, those that it has are kept; an empty list clears them.
            themes: names of the themes to put it in.
            title: left out, the one that it has is kept, or made of the key.
            if_updated_at: its `updatedAt` as the caller knows it.

        Raises:
            InvalidNameError: key, folder, tag or theme is not acceptable.
            NoteExistsError: a note of the folder has this key in other case.
            NoteChangedError: it is not as the caller knows it.
            UnreadableNoteError: what is there cannot be changed without loss.
            StoreBusyError: another process held the workspace for too long.
        """
        place = self._place_to_write(folder, key)
        named = tuple(dict.fromkeys(map(checked_name, themes)))
        now = self._now()
        with self._changing():
            written = self._garden.write(
                place,
                content,
                tags=None if tags is None else checked_tags(tags),
                title=title,
                now=now,
                if_updated_at=if_updated_at,
            )
            place = written.note.address
            self._took(place.path)
            if written.created:
                self._themes.mark_deleted(place, deleted=False)
            self._put_in_themes(written.note, named, now)
            similar = self._garden.similar(place) if written.created else ()
        return Remembered(
            file_path=str(self._root.real(place.path)),
            folder=place.folder,
            key=place.key,
            themes=named,
            created=written.created,
            updated_at=written.note.updated_at or timestamp(now),
            revision=written.revision,
            similar=similar,
        )

    def _place_to_write(self, folder: object, key: object) -> Address:
        """A note that is there may be changed whatever its name; the rules are for new ones."""
        there = address(folder, key, areas=WRITABLE)
        if self._garden.read(there) is not None:
            return there
        return address(folder, key, areas=WRITABLE, new=True)

    def recall(self, key: str, *, folder: str | None = None) -> Note | None:
        """Reads a note; None where there is none.

        Raises:
            InvalidNameError: key or folder is not acceptable.
            OutsideWorkspaceError: a link leads out of the workspace.
            CanonicalFileError: the file cannot be read.
        """
        return self._garden.read(address(folder, key))

    def search(
        self,
        query: str,
        *,
        folder: str | None = None,
        tags: Iterable[str] = (),
        limit: int = 10,
        cursor: str | None = None,
    ) -> Found:
        """Finds the notes that are relevant to a query, best first; none where none is.

        Title, tags, folder, key and body are searched by words, and CJK text by pairs of
        characters; the order of words does not matter.

        Args:
            query: the words.
            folder: only in it and below; everywhere if left out.
            tags: only notes that have all of these.
            limit: most notes, up to 64.
            cursor: the `next_cursor` of the page before.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        asked = Asked(
            query=asked_words(query),
            now=self._now(),
            within=None if folder is None else folder_name(folder),
            types=NOTE_TYPES,
            tags=checked_tags(tags),
        )
        most = count(limit, "limit", 1, MOST_RECORDS)
        page = self._asking(
            [self._catalogue], lambda: self._search.page(asked, limit=most, cursor=cursor)
        )
        wanted = frozenset(units(query))
        return Found(
            items=tuple(found for hit in page.hits if (found := self._found(hit, wanted))),
            searched=page.searched,
            next_cursor=page.next_cursor,
        )

    def _found(self, hit: Hit, wanted: frozenset[str]) -> FoundNote | None:
        if (known := self._catalogue.known.get(hit.locator)) is None:
            return None
        place = Address.of(hit.locator)
        entry = known.entry
        named = (
            *(f"title: {line}" for line in lines_with(wanted, entry.title)),
            *(f"tag: {tag}" for tag in entry.tags if lines_with(wanted, tag)),
        )
        matches = (*named[:1], *lines_with(wanted, hit.text), *named[1:])
        if not matches:  # found by a part of a word: its beginning says what it is about
            matches = first_line(hit.text)
        return FoundNote(
            key=place.key,
            folder=place.folder,
            title=entry.title,
            tags=entry.tags,
            matches=tuple(dict.fromkeys(matches))[:MOST_LINES],
            score=hit.score,
        )

    def delete(self, key: str, *, folder: str | None = None) -> bool:
        """Deletes a note; tells whether there was one.

        Its text is kept as a revision, and themes mark what referred to it.

        Raises:
            InvalidNameError: key or folder is not acceptable.
            StoreBusyError: another process held the workspace for too long.
        """
        place = address(folder, key, areas=WRITABLE)
        with self._changing():
            note = self._garden.read(place)
            if note is None or not self._garden.delete(place, self._now()):
                return False
            self._took(note.address.path)
            self._themes.mark_deleted(note.address)
        return True

    def move(
        self, key: str, to_folder: str, *, folder: str | None = None, new_key: str | None = None
    ) -> Moved:
        """Moves a note, or gives it another key; what refers to it in themes follows.

        Raises:
            NoteNotFoundError: there is none.
            NoteExistsError: another note lies there.
            InvalidNameError: a key or folder is not acceptable.
            UnreadableNoteError: it cannot be changed without loss.
        """
        place = address(folder, key, areas=WRITABLE)
        same = new_key is None or new_key == place.key
        to = Address(
            folder_name(to_folder, "toFolder", areas=WRITABLE, new=True),
            place.key if same else key_name(new_key, "newKey", new=True),
        )
        with self._changing():
            note = self._garden.read(place)
            if note is None:
                raise NoteNotFoundError(place.path)
            place = note.address
            self._garden.move(place, to, self._now())
            self._took(place.path, to.path)
            themes = self._themes.follow_move(place, to)
        return Moved(
            key=place.key,
            new_key=to.key,
            from_folder=place.folder,
            to_folder=to.folder,
            themes=themes,
        )
