"""An open workspace: its parts, and how they change together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from membound.errors import IndexUnavailableError
from membound.log import logger
from membound.times import timestamp
from membound.workspace import config
from membound.workspace.cache import Cache
from membound.workspace.catalogue import Catalogue
from membound.workspace.disk import OURS, Root
from membound.workspace.garden import Garden
from membound.workspace.identity import workspace_hash
from membound.workspace.location import made
from membound.workspace.results.place import Place
from membound.workspace.search import Search
from membound.workspace.search_index import SearchIndex
from membound.workspace.session_index import SessionIndex
from membound.workspace.theme import MemoryReference
from membound.workspace.theme_index import ThemeIndex
from membound.workspace.themes import Themes
from membound.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from membound.workspace.config import Config
    from membound.workspace.follower import Follower
    from membound.workspace.location import Location
    from membound.workspace.note import Note

__all__ = ["Opened", "reference_to"]

_T = TypeVar("_T")

TIMEOUT_SECONDS: Final = 10.0


class Opened:
    """The parts of one open workspace.

    Args:
        location: where it lies; it is made there.
        clock: tells the time.
    """

    def __init__(self, location: Location, *, clock: Callable[[], datetime]) -> None:
        self._location = location
        self._now = clock
        self._root = root = location.root
        ours = root.folder / OURS
        self._writer = Writer(ours / "lock", TIMEOUT_SECONDS)
        made(location, self._writer, clock())
        self._index = SearchIndex(ours / "index.sqlite3")
        id = location.workspace_id
        self._catalogue = Catalogue(root, self._index, self._writer, workspace=id)
        self._cache = Cache(root, self._catalogue, self._index)
        self._search = Search(self._index, workspace=id)
        self._sessions = SessionIndex(
            location.places.sessions_root,
            workspace_hash(location.cwd),
            self._index,
            self._writer,
            workspace=id,
        )
        self._garden = Garden(root)
        self._is_swept = False
        self._themes = Themes(root)
        self._theme_index = ThemeIndex(root, self._themes, self._index, self._writer, workspace=id)

    @property
    def cwd(self) -> str:
        """The folder whose memory this is."""
        return self._location.cwd

    @property
    def id(self) -> str:
        """The name of its store."""
        return self._location.workspace_id

    @property
    def path(self) -> Path:
        """The folder in which it lies."""
        return self._root.folder

    def close(self) -> None:
        """Lets the search index go; nothing is lost without it."""
        self._index.close()

    @property
    def place(self) -> Place:
        """Where the workspace is asked from, and where its memory lies."""
        return Place(cwd=self.cwd, workspace_id=self.id, store_path=str(self.path))

    @property
    def _stores(self) -> Root:
        """The root of all stores."""
        return Root(self._location.places.store_root)

    @property
    def _config(self) -> Config:
        return config.read(self._stores.read(config.PATH))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A block in which files change: nobody else writes, and it begins with a look.

        Nobody looks meanwhile either: who looks may have to write as well, and would wait for the
        right to, while this block waits for the look to end.
        """
        self._index.open()
        with self._catalogue.alone(), self._writer.held():
            if not self._is_swept:
                self._root.sweep()
                self._is_swept = True
            self._catalogue.look()
            yield

    def _asking(self, followers: Sequence[Follower], ask: Callable[[], _T]) -> _T:
        """Asks the search index, while it is in line with the files of some kinds.

        Where it fails, or another index came into its place meanwhile, all is done once more.

        Raises:
            IndexUnavailableError: it failed again.
        """
        for follower in followers:
            follower.look()
        generation = self._index.generation
        try:
            found = ask()
        except IndexUnavailableError as fault:
            self._index.renew(fault)
        else:
            if self._index.generation == generation:
                return found
        for follower in followers:
            follower.look()
        return ask()

    def _put_in_themes(self, note: Note, names: Iterable[str], now: datetime) -> None:
        """Refers to a note from themes, at the note's own time."""
        for name in names:
            self._themes.tag_memory(name, reference_to(note, now), now)

    def _took(self, *paths: str) -> None:
        """Brings catalogue, search index and cache in line with notes that were just written.

        The notes are what counts: where the index fails, they are written all the same, and the
        next look makes good what was left undone.
        """
        try:
            self._catalogue.take(paths)
            self._cache.write(self._now())
        except IndexUnavailableError as fault:
            logger().warning("the search index is made anew: %s", fault)
            self._index.renew(fault)
            try:
                self._catalogue.look()
                self._cache.write(self._now())
            except IndexUnavailableError as again:
                logger().warning("the search index is behind the files: %s", again)


def reference_to(note: Note, now: datetime) -> MemoryReference:
    """Refers to a note, at its own time, which is now where it says none."""
    moment = note.updated_at or note.created_at or timestamp(now)
    place = note.address
    return MemoryReference(key=place.key, folder=place.folder, title=note.title, timestamp=moment)
