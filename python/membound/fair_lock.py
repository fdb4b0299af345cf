"""A lock among threads that goes to whoever has waited longest."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["FairLock"]

_FOR_EVER = -1.0


class FairLock:
    """Held by one thread at a time, which may take it again; given in the order of asking.

    `threading.RLock` lets its holder overtake who waits: a thread that releases it and takes it
    again at once starves the others.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: dict[threading.Lock, int] = {}  # by what each waits for; the longest first
        self._owner: int | None = None
        self._depth = 0
        _ALL.add(self)

    def acquire(self, timeout: float | None = None) -> bool:
        """Waits for the lock; whether this thread holds it now.

        Args:
            timeout: seconds to wait; None waits for ever.
        """
        me = threading.get_ident()
        given = threading.Lock()
        given.acquire()
        with self._guard:
            if self._owner is None or self._owner == me:
                self._owner = me
                self._depth += 1
                return True
            self._waiting[given] = me
        try:
            if given.acquire(timeout=_FOR_EVER if timeout is None else max(timeout, 0.0)):
                return True
        except BaseException:  # a signal's handler may raise anything
            if not self._withdrew(given):
                self.release()
            raise
        return not self._withdrew(given)

    def release(self) -> None:
        """Gives the lock up, to the one that has waited longest."""
        with self._guard:
            self._depth -= 1
            if self._depth:
                return
            given = next(iter(self._waiting), None)
            if given is None:
                self._owner = None
            else:
                self._owner = self._waiting.pop(given)
                self._depth = 1
                given.release()

    def _withdrew(self, given: threading.Lock) -> bool:
        """Waits no longer; False where the lock was given to this thread meanwhile."""
        with self._guard:
            return self._waiting.pop(given, None) is not None

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def forget_other_threads(self) -> None:
        """Makes the lock usable in a forked child, where only the thread that forked lives."""
        self._guard = threading.Lock()
        self._waiting.clear()
        if self._owner != threading.get_ident():
            self._owner = None
            self._depth = 0


_ALL: WeakSet[FairLock] = WeakSet()


def _after_fork() -> None:
    for lock in _ALL:
        lock.forget_other_threads()


os.register_at_fork(after_in_child=_after_fork)
