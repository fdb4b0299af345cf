"""The right to write: one writer at a time, among threads and among processes."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

from membound import _core
from membound.errors import CanonicalFileError, StoreBusyError
from membound.fair_lock import FairLock
from membound.folders import writable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Writer"]

_PAUSE_SECONDS = 0.001


class Writer:
    """The lock of one store's folder; re-entering it in the same thread is free.

    Threads get it in the order in which they ask. Processes stand in a queue, the file beside the
    lock file: whoever holds the queue is the next to write, so that a writer which comes back
    cannot overtake it.

    Args:
        path: the lock file.
        timeout: seconds to wait for other writers.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self._path = path
        self._queue = path.with_suffix(".queue")
        self._timeout = timeout
        self._threads = FairLock()
        self._lock: _core.WriterLock | None = None
        _ALL.add(self)

    @contextmanager
    def held(self, timeout: float | None = None, *, again: bool = True) -> Iterator[None]:
        """Holds the right to write for the block.

        Args:
            timeout: seconds to wait for other writers, where not as long as usual.
            again: whether this thread may hold it already.

        Raises:
            StoreBusyError: other writers held it for longer than that.
            CanonicalFileError: the folder is read-only, or the lock file cannot be opened.
        """
        patience = _Patience(self._timeout if timeout is None else timeout)
        if not self._threads.acquire(patience.timeout):
            raise patience.ended()
        try:
            if self._lock is not None:
                if not again:
                    raise patience.ended()
                yield
                return
            self._lock = self._acquire(patience)
            try:
                yield
            finally:
                self.let_go()
        finally:
            self._threads.release()

    def let_go(self) -> None:
        """Ends the holding; a forked child only closes its copy, and the parent goes on."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _acquire(self, patience: _Patience) -> _core.WriterLock:
        if not writable(folder := self._path.parent):
            reason = (
                "it is read-only: give this user the permission to write, or use another folder"
            )
            raise CanonicalFileError(str(folder), "write to", reason)
        queue = patience.wait_for(self._queue)
        try:
            return patience.wait_for(self._path)
        finally:
            queue.release()


class _Patience:
    """How long one writer waits, and has waited, in all."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._began = time.monotonic()

    def wait_for(self, path: Path) -> _core.WriterLock:
        while (lock := _core.WriterLock.try_acquire(path)) is None:
            if time.monotonic() - self._began >= self.timeout:
                raise self.ended()
            time.sleep(_PAUSE_SECONDS)
        return lock

    def ended(self) -> StoreBusyError:
        return StoreBusyError(time.monotonic() - self._began)


_ALL: WeakSet[Writer] = WeakSet()


def _after_fork() -> None:
    # A copy that the child kept would outlast a parent that is killed.
    for writer in _ALL:
        writer.let_go()


os.register_at_fork(after_in_child=_after_fork)
