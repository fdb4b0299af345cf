"""The search index of a workspace: a projection of its files, made anew where it cannot be used."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from membound import _core
from membound.errors import IndexDamagedError, IndexUnavailableError
from membound.folders import make_private
from membound.index_file import IndexFile
from membound.log import logger
from membound.warming import Warming

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from membound.request import Request
    from membound.trace import IndexState

__all__ = ["SearchIndex"]


POSTINGS_BYTES: Final = 64 << 20
"""Most memory for postings, which answer many times faster than the file."""


class _Index(Protocol):
    def retrieve(self, request: bytes) -> _core.Recalled: ...
    def records(self, ids: list[str]) -> list[bytes | None]: ...
    def notes(self, prefix: str) -> list[tuple[str, str]]: ...
    def apply(
        self,
        *,
        records: list[bytes],
        removed: list[str],
        settled: list[str],
        notes: list[tuple[str, str | None]],
    ) -> int: ...


class SearchIndex:
    """What a workspace is searched by: records, and notes of the files that they were made of.

    Where no index can be kept, as the folder is read-only, all is held in memory, for as long as
    the workspace is open.

    Args:
        path: the file of the index.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = IndexFile(
            path, durable=False, tokenizer=lambda: "v2", postings_bytes=POSTINGS_BYTES
        )
        self._warming = Warming()
        self._index: _Index | None = None
        self._fault: IndexUnavailableError | None = None
        self.reason: str | None = None
        """Why no index can be kept, if none can."""
        self.generation = 0
        """Counts the indexes that were opened: what was noted in the former one may be gone."""

    @property
    def state(self) -> IndexState:
        """What the trace says of it."""
        return "ready" if self.reason is None else "degraded"

    def open(self) -> None:
        """Opens the index, or another one in its place, unless it is open and has not failed."""
        if self._fault is not None:
            self.renew(self._fault)
        index = self._index
        if index is None or (isinstance(index, _core.Index) and not index.is_current()):
            with suppress(OSError):  # where it cannot be made, opening tells why
                make_private(self._path.parent, durable=False)
            self._open(self._file.open)

    def _open(self, how: Callable[[], _core.Index]) -> None:
        self.generation += 1
        self.reason = None
        try:
            try:
                self._index = how()
            except IndexDamagedError as fault:
                logger().warning("the search index is made anew: %s", fault)
                self._index = self._file.replace()
        except IndexUnavailableError as fault:
            self.reason = fault.reason
            self._index = _Held()

    def close(self) -> None:
        """Lets the index go."""
        self._warming.close()
        self._index = None

    def retrieve(self, request: Request) -> _core.Recalled:
        """Runs the pipeline over the records.

        Raises:
            IndexUnavailableError: it cannot be used any more; `renew` helps.
        """
        index = self._opened()
        with self._noticing():
            found = index.retrieve(request.to_json())
        if isinstance(index, _core.Index) and not found.is_from_memory():
            self._warming.missed(index)
        return found

    def records(self, ids: Sequence[str]) -> list[bytes | None]:
        """Gives the JSON of each id, where there is such a record."""
        index = self._opened()
        with self._noticing():
            return index.records(list(ids))

    def notes(self, prefix: str) -> dict[str, str]:
        """Gives the notes whose names begin so, by the rest of the name."""
        index = self._opened()
        with self._noticing():
            found = index.notes(prefix)
        return {name.removeprefix(prefix): value for name, value in found}

    def apply(
        self,
        *,
        records: Iterable[bytes],
        removed: Iterable[str],
        notes: Mapping[str, str | None],
    ) -> None:
        """Puts records, takes others away, and notes why: all or nothing. A note of None goes."""
        index = self._opened()
        with self._noticing():
            index.apply(
                records=list(records), removed=list(removed), settled=[], notes=list(notes.items())
            )

    def renew(self, fault: IndexUnavailableError) -> None:
        """Opens the index anew after it failed; an empty one in its place where it is damaged."""
        self._index = self._fault = None
        if isinstance(fault, IndexDamagedError):
            self._open(self._file.replace)
        else:
            self._open(self._file.open)

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """A block that asks the index; one that fails is opened anew before it is asked again."""
        try:
            yield
        except IndexUnavailableError as fault:
            self._fault = fault
            raise

    def _opened(self) -> _Index:
        self.open()
        if self._index is None:
            raise IndexUnavailableError("it was closed")
        return self._index


class _Name(msgspec.Struct):
    id: str


_NAMES: Final = msgspec.json.Decoder(_Name)


class _Held:
    """Records and notes in memory, which every recall reads through."""

    def __init__(self) -> None:
        self._records: dict[str, bytes] = {}
        self._notes: dict[str, str] = {}

    def retrieve(self, request: bytes) -> _core.Recalled:
        return _core.retrieve_records(request, list(self._records.values()))

    def records(self, ids: list[str]) -> list[bytes | None]:
        return [self._records.get(id) for id in ids]

    def notes(self, prefix: str) -> list[tuple[str, str]]:
        return sorted(item for item in self._notes.items() if item[0].startswith(prefix))

    def apply(
        self,
        *,
        records: list[bytes],
        removed: list[str],
        settled: list[str],  # noqa: ARG002 — as the index has it
        notes: list[tuple[str, str | None]],
    ) -> int:
        for id in removed:
            self._records.pop(id, None)
        self._records.update((_NAMES.decode(record).id, record) for record in records)
        for name, value in notes:
            if value is None:
                self._notes.pop(name, None)
            else:
                self._notes[name] = value
        return len(records) + len(removed)
