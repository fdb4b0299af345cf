"""The right to write: one writer at a time, among threads and among processes."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from membound import _core
from membound.errors import CanonicalFileError, StoreBusyError
from membound.folders import writable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Writer"]

_SHORTEST_WAIT = 0.001
_LONGEST_WAIT = 0.05


class Writer:
    """The lock of one store's folder; re-entering it in the same thread is free.

    Args:
        path: the lock file.
        timeout: seconds to wait for other writers.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._threads = threading.RLock()
        self._depth = 0

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
        timeout = self._timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        if not self._threads.acquire(timeout=timeout):
            raise StoreBusyError(timeout)
        try:
            if self._depth:
                if not again:
                    raise StoreBusyError(timeout)
                yield
                return
            lock = self._acquire(deadline, timeout)
            self._depth = 1
            try:
                yield
            finally:
                self._depth = 0
                lock.release()
        finally:
            self._threads.release()

    def _acquire(self, deadline: float, timeout: float) -> _core.WriterLock:
        if not writable(folder := self._path.parent):
            reason = (
                "it is read-only: give this user the permission to write, or use another folder"
            )
            raise CanonicalFileError(str(folder), "write to", reason)
        wait = _SHORTEST_WAIT
        while (lock := _core.WriterLock.try_acquire(self._path)) is None:
            if time.monotonic() >= deadline:
                raise StoreBusyError(timeout)
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)
        return lock
