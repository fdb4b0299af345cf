"""Work that goes on behind the caller's back, one bounded step after another."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]


class Background:
    """A thread that repeats a step for as long as there is work; it lives no longer than that.

    Args:
        step: does some of the work, and tells whether there is more.
    """

    def __init__(self, step: Callable[[], bool]) -> None:
        self._step = step
        self._lock = threading.Lock()
        self._wanted = False
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Has the step repeated from now on; a running thread goes on with new work."""
        with self._lock:
            self._wanted = not self._stopped
            if self._wanted and self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="membound-backfill", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """Ends the thread after its present step, for good."""
        with self._lock:
            self._stopped = True
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while self._goes_on():
            while not self._stopped and self._step():
                pass

    def _goes_on(self) -> bool:
        with self._lock:
            goes_on = self._wanted and not self._stopped
            self._wanted = False
            if not goes_on:
                self._thread = None
            return goes_on
