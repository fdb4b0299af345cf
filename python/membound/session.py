"""One open store's parts working together: files, index, the right to write, the last recall."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

from membound.canonical import CanonicalStore, Quarantined
from membound.errors import (
    IndexUnavailableError,
    StoreClosedError,
)
from membound.file_names import file_name
from membound.index_file import IndexFile
from membound.layout import DELETED, INDEX, LOCK, MEMORY, PURGED
from membound.projection import Progress, Projection
from membound.purged import PurgedIds
from membound.records import MemoryRecord
from membound.retrieval import RetrievalResult, retrieve_among
from membound.settings import InUse, Settings
from membound.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from membound import _core
    from membound.policy import MemoryPolicy
    from membound.request import Request
    from membound.trace import IndexState, Trace

__all__ = ["BUSY_SECONDS", "Session"]

BUSY_SECONDS = 5.0
"""How long a writer waits for another one."""
_T = TypeVar("_T")

Position = tuple[int | None, str]
"""When a record was last changed, in milliseconds or None, and its id: a place in a listing."""


class Session:
    """The parts of one open store, and the two ways through them: answer, and commit."""

    def __init__(
        self,
        path: Path,
        policy: MemoryPolicy,
        clock: Callable[[], datetime],
        *,
        index: bool,
        durable: bool,
        postings_bytes: int = 0,
        settings: Settings,
    ) -> None:
        self.path = path
        self.policy = policy
        self.clock = clock
        self.writer = Writer(path / LOCK, BUSY_SECONDS)
        self._in_use = InUse(path, settings)
        self._durable = durable
        self._purged = PurgedIds(path / PURGED, durable=durable)
        purged = self._purged.now
        self._aside = CanonicalStore(path / DELETED, durable=durable, purged=purged)
        self.canonical = CanonicalStore(
            path / MEMORY, durable=durable, purged=purged, aside=self._aside
        )
        self._index_file = IndexFile(
            path / INDEX,
            durable=durable,
            tokenizer=lambda: Settings.in_use(path).tokenizer,
            postings_bytes=postings_bytes,
        )
        self.projection = (
            Projection(self._index_file, self.canonical, self.writer) if index else None
        )
        self.quarantined: tuple[Quarantined, ...] = ()
        self.last_injected: RetrievalResult | None = None
        self._process = os.getpid()
        self._closed = False
        if self.projection is not None:
            self.projection.open()

    def check(self) -> None:
        """Makes sure that the store is open, in the process that opened it, and as it is by now.

        Raises:
            StoreClosedError: it is not.
            CanonicalFileError: it was upgraded, and its settings cannot be read.
        """
        if self._closed:
            raise StoreClosedError("the store is closed; open it again")
        if self._process != os.getpid():
            raise StoreClosedError("the store was opened before the fork; open it in this process")
        if self._in_use.follow() and self.projection is not None:
            self.projection.open()

    @property
    def settings(self) -> Settings:
        """What the store goes by."""
        return self._in_use.settings

    def move(self, settings: Settings, progress: Progress | None) -> bool:
        """Goes over to other settings: they are written first, then the index is made anew.

        Gives whether they are others.

        Raises:
            StoreBusyError: another writer would not yield; nothing was changed.
            CanonicalFileError: they cannot be written; nothing was changed.
            IndexUnavailableError: they are written, and the index cannot be made.
        """
        with self.writer.held():
            if self.settings == settings:
                return False
            self._in_use.write(settings, durable=self._durable)
            if self.projection is not None:
                self.projection.rebuild(progress)
        return True

    def close(self) -> None:
        """Lets everything go; a forked child's copy is left alone."""
        if not self._closed and self.projection is not None and self._process == os.getpid():
            self.projection.close()
        self._closed = True

    @property
    def state(self) -> IndexState:
        """The index's state; ``disabled`` where there is none."""
        return "disabled" if self.projection is None else self.projection.state

    @property
    def index_bytes(self) -> int:
        """The bytes that the index takes on disk."""
        return self._index_file.size()

    @property
    def last_trace(self) -> Trace | None:
        """The account of the last recall for injection."""
        return None if self.last_injected is None else self.last_injected.trace

    def answer(self, request: Request) -> RetrievalResult:
        """Recalls through the index, or through the canonical files where it cannot answer."""
        projection = self.projection
        found = (
            None if projection is None else projection.recall(request.to_json(), request.tokenizer)
        )
        if found is not None:
            return RetrievalResult.found(found, "ready")
        with nullcontext() if projection is None else projection.reading_files():
            return retrieve_among(request, self.load(), self.state)

    def load(self) -> list[bytes]:
        """Reads every canonical file that can be used."""
        records, quarantined = self.canonical.load()
        self.quarantined = tuple(quarantined)
        return records

    def page(self, after: Position | None, most: int) -> tuple[list[bytes], Position | None] | None:
        """Gives records, the last changed first, and where they end, if the index answers."""
        return self.ask(lambda index: index.page(after, most))

    def directives(self, request: Request) -> list[MemoryRecord]:
        """Gives at least every directive that the request may see."""
        found = self.ask(lambda index: index.directives(request.to_json()))
        if found is None:
            return list(self.records())
        return list(map(MemoryRecord.from_json, found))

    def ask(self, question: Callable[[_core.Index], _T], *, complete: bool = True) -> _T | None:
        """Asks the index as `Projection.ask` does; None also where there is no index."""
        return None if self.projection is None else self.projection.ask(question, complete=complete)

    def require_projection(self) -> Projection:
        """The index's keeper.

        Raises:
            IndexUnavailableError: the store was opened without one.
        """
        if self.projection is None:
            raise IndexUnavailableError("the store was opened with index=False")
        return self.projection

    def known_quarantined(self) -> tuple[Quarantined, ...]:
        """The files that cannot be used, as of the last full look at the folder."""
        noted = self.projection.quarantined() if self.projection is not None else ()
        return noted if self.state == "ready" else self.quarantined or noted

    def records(self) -> Iterator[MemoryRecord]:
        """Yields every record, in the order of file names."""
        for name in self.canonical.names():
            found = self.canonical.record(name)
            if isinstance(found, MemoryRecord):
                yield found

    def successors(self, id: str) -> list[MemoryRecord]:
        """Gives the records that have replaced one, and are not deleted."""
        ids = self.ask(lambda index: index.successors(id))
        found = self.records() if ids is None else map(self.canonical.find, ids)
        return [one for one in found if one and one.supersedes == id and not one.deleted_at]

    def former(self, tombstone: MemoryRecord) -> MemoryRecord | None:
        """Gives what a deleted record was, where that was set aside."""
        former = self._aside.find(tombstone.id) if tombstone.deleted_at else None
        return former if former and former.revision == tombstone.revision else None

    def holds(self, id: str) -> bool:
        """Tells whether a file has the place of that id, if only what it said before deletion."""
        return self.canonical.holds(id) or self._aside.holds(id)

    def commit(
        self,
        records: Sequence[MemoryRecord],
        progress: Progress | None = None,
        *,
        aside: Sequence[MemoryRecord] = (),
        settled: Sequence[str] = (),
        texts: Mapping[str, bytes] | None = None,
    ) -> None:
        """Writes canonical files, and brings the index in line.

        The caller holds the right to write, here and in `purge`. The order of
        writing is such that a stop in between never ends the life of a record before what replaces
        it is there, nor that of a record before what it replaced is marked.

        Args:
            records: what is written.
            progress: called with how many are written, and how many there are.
            aside: former states of what becomes a tombstone.
            settled: ids whose former state need not be kept any more.
            texts: canonical JSON by id, where the caller has it already.

        Raises:
            CanonicalFileError: a file cannot be written.
        """
        written = _texts(sorted(records, key=_lateness), texts or {})
        with self._changing(written), self._aside.changing(), self.canonical.changing():
            self._aside.write_many(aside)
            self.canonical.write(written, progress)
            self._aside.delete(settled)

    def purge(self, id: str, records: Sequence[MemoryRecord]) -> None:
        """Erases all that there is of an id, and writes what its going changes.

        Raises:
            CanonicalFileError: a file cannot be written or removed.
            IndexUnavailableError: all is erased but what the index may hold.
        """
        self._index_file.remove_older()
        written = _texts(records, {})
        with (
            self._changing(written, [id]),
            self._purged.changing(id),
            self._aside.changing(),
            self.canonical.changing(),
        ):
            self.canonical.write(written)
            self._purged.add([id])
            self._aside.delete([id])
            self.canonical.delete([id])
            self.canonical.sweep([id])
        name = file_name(id)
        self.quarantined = tuple(one for one in self.quarantined if one.file != name)
        if self.projection is not None:
            self.projection.scrub()
        elif (self.path / INDEX).exists():
            self._index_file.renew()

    def _changing(
        self, texts: Mapping[str, bytes], removed: Sequence[str] = ()
    ) -> AbstractContextManager[None]:
        projection = self.projection
        return nullcontext() if projection is None else projection.change(texts, removed)


def _texts(records: Iterable[MemoryRecord], known: Mapping[str, bytes]) -> dict[str, bytes]:
    """Gives canonical JSON by id: once for the file and the index."""
    return {one.id: known.get(one.id) or one.to_json() for one in records}


def _lateness(record: MemoryRecord) -> int:
    return 2 if record.deleted_at else 1 if record.superseded_at else 0
