"""Where the index lies: opening what is there, and making a new one in its place."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from membound import _core
from membound.errors import CanonicalFileError, IndexDamagedError, IndexUnavailableError
from membound.faults import reason_of
from membound.file_system import network_file_system
from membound.folders import writable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from membound.tokens import Tokenizer

__all__ = ["IndexFile"]

# A child would share its parent's connections, and believe in locks that it does not have.
os.register_at_fork(
    before=_core.before_fork,
    after_in_parent=_core.after_fork_in_parent,
    after_in_child=_core.after_fork_in_child,
)


class IndexFile:
    """The file of one store's index.

    Args:
        path: where it lies.
        durable: whether commits survive the loss of power.
        tokenizer: tells what makes its tokens; asked whenever it is opened, as another process may
            have upgraded the store.
        postings_bytes: most memory for its postings; 0 keeps none there.
    """

    def __init__(
        self,
        path: Path,
        *,
        durable: bool,
        tokenizer: Callable[[], Tokenizer],
        postings_bytes: int = 0,
    ) -> None:
        self._path = path
        self._durable = durable
        self._tokenizer = tokenizer
        self._postings_bytes = postings_bytes

    def exists(self) -> bool:
        """Tells whether anything is there that could hold a record."""
        return any(os.path.lexists(f"{self._path}{ending}") for ending in ("", "-wal"))

    def size(self) -> int:
        """The bytes that the index takes on disk, its log included; 0 where there is none."""
        total = 0
        for ending in ("", "-wal"):
            with suppress(OSError):
                total += os.stat(f"{self._path}{ending}").st_size  # noqa: PTH116 — as it is named above
        return total

    def open(self) -> _core.Index:
        """Opens the index, making an empty one where there is none.

        Raises:
            IndexDamagedError: only a new one helps.
            IndexUnavailableError: it cannot be used, or is not ours.
        """
        if not writable(self._path.parent):
            # Even a reader of SQLite's log writes: to the shared memory, and what a crash left.
            raise IndexUnavailableError("the data folder is read-only")
        self._require_local()
        tokenizer = self._tokenizer()
        try:
            return self._with_memory(_core.Index.open(self._path, self._durable, tokenizer))
        except IndexDamagedError:
            if self._tokenizer() == tokenizer:
                raise
            # The store was upgraded between the two.
            return self.open()

    def replace(self) -> _core.Index:
        """Makes an empty index in the place of what is there, whatever that is.

        Whoever has the former file open goes on with what was there. One of an older schema is kept
        beside it.

        Raises:
            IndexUnavailableError: it cannot be removed, or no other can be made.
        """
        self._require_local()
        return self._with_memory(_core.Index.replace(self._path, self._durable, self._tokenizer()))

    def _with_memory(self, index: _core.Index) -> _core.Index:
        index.limit_memory(self._postings_bytes)
        return index

    def _require_local(self) -> None:
        """Refuses another machine's disk: the log's shared memory is one machine's alone."""
        if (kind := network_file_system(self._path.parent)) is not None:
            reason = f"the data folder is on {kind}, a network file system: keep it on a local disk"
            raise IndexUnavailableError(reason)

    def renew(self) -> _core.Index:
        """Replaces an index of ours, damaged or not.

        Raises:
            IndexUnavailableError: it is another program's or a newer version's, and stays; or it
                cannot be removed, or no other can be made.
        """
        with suppress(IndexDamagedError):
            self.open()
        return self.replace()

    def remove_older(self) -> None:
        """Removes the files of older schemas that were kept; they hold records' contents.

        Raises:
            CanonicalFileError: one cannot be removed.
        """
        for older in self._path.parent.glob(f"{self._path.stem}.schema-*{self._path.suffix}"):
            try:
                older.unlink(missing_ok=True)
            except OSError as fault:
                raise CanonicalFileError(str(older), "remove", reason_of(fault)) from fault
