"""The verbs of lists: recent, list, list_tags."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

from membound.numbers import count
from membound.text import any_text
from membound.workspace.cursors import cursor_of, key_of
from membound.workspace.cutting import cut
from membound.workspace.paths import ENDING, Address, folded, folder_name
from membound.workspace.results.notes import MOST_ITEMS, Listed, Listing
from membound.workspace.verbs.opened import Opened

if TYPE_CHECKING:
    from membound.workspace.catalogue import Known

__all__ = ["ListVerbs"]

MOST_ELSEWHERE: Final = 5
PREVIEW_CHARACTERS: Final = 400
"""Characters of a note's text that a list shows."""


class ListKey(msgspec.Struct, frozen=True, array_like=True):
    """A place in the order of a list: when a note was changed, descending, and its path."""

    moment: str
    path: str

    def follows(self, other: ListKey) -> bool:
        """Tells whether it comes after another one."""
        if self.moment != other.moment:
            return self.moment < other.moment
        return self.path > other.path


class ListVerbs(Opened):
    """What lists the notes that there are."""

    def recent(
        self,
        n: int = 10,
        *,
        folder: str | None = None,
        tag: str | None = None,
        cursor: str | None = None,
    ) -> Listing:
        """Lists what was changed last, with the beginning of each body; as `list` otherwise."""
        return self._listing(folder=folder, tag=tag, limit=n, cursor=cursor, previews=True)

    def list(
        self,
        *,
        folder: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Listing:
        """Lists notes, last changed first.

        Args:
            folder: only those in it and below; everywhere if left out.
            tag: only those that have this very tag.
            limit: most notes, up to 200.
            cursor: the `next_cursor` of the page before: each note is on one page, whatever was
                written in between.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        return self._listing(folder=folder, tag=tag, limit=limit, cursor=cursor, previews=False)

    def _listing(
        self,
        *,
        folder: str | None,
        tag: str | None,
        limit: int | None,
        cursor: str | None,
        previews: bool,
    ) -> Listing:
        most = MOST_ITEMS if limit is None else min(count(limit, "limit", 1), MOST_ITEMS)
        after = None if cursor is None else key_of(cursor, ListKey)
        within = None if folder is None else folder_name(folder)
        self._catalogue.look()
        chosen = [
            (ListKey(known.moment, path), known)
            for path, known in self._catalogue.known.items()
            if (within is None or path.startswith(f"{within}/"))
            and (tag is None or tag in known.entry.tags)
        ]
        chosen.sort(key=lambda one: one[0].moment, reverse=True)
        rest = [one for one in chosen if after is None or one[0].follows(after)]
        page = rest[:most]
        following = cursor_of(page[-1][0]) if len(rest) > most else None
        return Listing(
            items=tuple(self._listed(known, previews=previews) for _, known in page),
            total=len(chosen),
            next_cursor=following,
        )

    def _listed(self, known: Known, *, previews: bool) -> Listed:
        place = Address.of(known.entry.path)
        note = self._garden.read(place) if previews else None
        return Listed(
            key=place.key,
            folder=place.folder,
            title=known.entry.title,
            tags=known.entry.tags,
            updated_at=known.moment,
            size=known.entry.size,
            preview=None if note is None else cut(note.content, PREVIEW_CHARACTERS),
            fault=known.fault,
        )

    def elsewhere(self, key: str) -> tuple[str, ...]:
        """Lists the first notes of a key in whichever folder, by path.

        A path counts as its last name, and ``.md`` at the end as none: that is how a key is often
        written.
        """
        self._catalogue.look()
        wanted = folded(any_text(key, "key").rpartition("/")[2].removesuffix(ENDING))
        found = (path for path in self._catalogue.paths if folded(Address.of(path).key) == wanted)
        return tuple(islice(found, MOST_ELSEWHERE))

    def list_tags(self) -> tuple[str, ...]:
        """Lists every tag, in the order of code points."""
        self._catalogue.look()
        return tuple(
            sorted({tag for one in self._catalogue.known.values() for tag in one.entry.tags})
        )
