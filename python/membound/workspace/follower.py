"""What keeps the search index in line with some kind of file: it looks, and takes what changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

import msgspec

from membound.errors import IndexDamagedError, IndexUnavailableError
from membound.excerpt import excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from membound.workspace.search_index import SearchIndex
    from membound.writer import Writer

__all__ = ["Follower", "decoded"]


_T = TypeVar("_T")


def decoded(decoder: msgspec.json.Decoder[_T], note: str) -> _T:
    """Reads what the index notes of a file.

    Raises:
        IndexDamagedError: it is of another version, or was never ours.
    """
    try:
        return decoder.decode(note)
    except (msgspec.MsgspecError, ValueError) as fault:
        reason = f"what it notes of a file cannot be read: {excerpt(note)}"
        raise IndexDamagedError(reason) from fault


class Follower(ABC):
    """One kind of file, in the search index as it lies on disk at the moment of asking.

    Args:
        index: where the records go.
        writer: the right to write.
        workspace: the id of the workspace.
    """

    def __init__(self, index: SearchIndex, writer: Writer, *, workspace: str) -> None:
        self._index = index
        self._writer = writer
        self._workspace = workspace
        self._guard = RLock()

    def look(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Brings the search index in line with the files.

        Args:
            progress: told how many files of how many were read, where some have to be.

        Raises:
            StoreBusyError: another process held the workspace for too long.
        """
        with self._guard:
            try:
                self._look(progress)
            except IndexUnavailableError as fault:
                self._index.renew(fault)
                self._look(progress)

    @contextmanager
    def _taking(self) -> Iterator[None]:
        """A block in which the index takes what changed; one in memory is nobody else's."""
        if self._index.reason is not None:
            yield
            return
        with self._writer.held():
            yield

    @abstractmethod
    def _look(self, progress: Callable[[int, int], None] | None) -> None: ...
