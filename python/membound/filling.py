"""The index in use: put in its place, filled by a thread, and taken out of use where it fails."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

from membound.backfill import STEP, Backfill
from membound.background import Background
from membound.errors import IndexDamagedError, MemboundError, StoreBusyError
from membound.fair_lock import FairLock
from membound.log import logger

if TYPE_CHECKING:
    from membound import _core
    from membound.canonical import CanonicalStore
    from membound.trace import IndexState
    from membound.writer import Writer

__all__ = ["Filling"]

_PATIENCE_SECONDS = 0.1


class Filling:
    """What brings the index in use up to date with all files.

    Args:
        canonical: the truth that it projects.
        writer: the right to write.

    Attributes:
        reason: why the index cannot be used, or is made anew.
    """

    def __init__(self, canonical: CanonicalStore, writer: Writer) -> None:
        self._canonical = canonical
        self._writer = writer
        self._index: _core.Index | None = None
        self._backfill: Backfill | None = None
        self._background = Background(self._fill)
        self._changing = FairLock()
        self._swapping = threading.Lock()
        self._tried = -math.inf
        self._damaged: _core.Index | None = None
        # Files and rows are known to differ, so that all are to be looked at.
        self._lagging = False
        self.reason: str | None = None

    @property
    def state(self) -> IndexState:
        """Whether the index answers, is being filled, or cannot be used."""
        if self._index is None:
            return "degraded"
        return "ready" if self._backfill is None else "backfilling"

    @property
    def progress(self) -> tuple[int, int]:
        """Files looked at, and still to be looked at, by the present backfill."""
        backfill = self._backfill
        return (backfill.scanned, backfill.remaining) if backfill is not None else (0, 0)

    def begin_again(self, timeout: float | None = None) -> None:
        """Has every file looked at once more, after a difference was found.

        A pass that is under way may be past what differs: another one follows it.

        Args:
            timeout: seconds to wait for a thread that is changing the index; after that, the next
                recall begins it. None waits for as long as it takes.
        """
        self._lagging = True
        if not self._changing.acquire(timeout):
            return
        try:
            self._lagging = self._backfill is not None
            if self._index is not None and self._backfill is None:
                self._start(self._index, anew=True)
        finally:
            self._changing.release()

    def _start(self, index: _core.Index, *, anew: bool = False) -> None:
        if not self._changing.acquire(timeout=0):
            return
        try:
            if index is self._index and self._backfill is None:
                self._backfill = Backfill(index, self._canonical, self._writer, anew=anew)
                self._background.start()
        finally:
            self._changing.release()

    def _fill(self) -> bool:
        # A short wait at a time, so that closing the store is not held up by a busy writer.
        self.step(STEP, _PATIENCE_SECONDS)
        return self._backfill is not None

    def step(self, most: int, timeout: float | None = None) -> bool:
        """Fills in up to ``most`` more files; whether the index is now complete.

        Args:
            most: files to look at.
            timeout: seconds to wait for other writers, where not as long as usual.
        """
        with self._changing:
            backfill = self._backfill
            if backfill is None:
                return self._index is not None
            try:
                complete = backfill.step(most, timeout)
            except StoreBusyError:
                return False
            except MemboundError as error:
                self._degrade(error, self._index)
                return False
            if complete:
                self._backfill = self.reason = None
            return complete

    def _degrade(self, error: MemboundError, index: _core.Index | None) -> None:
        """Takes an index out of use after a failure; it is tried again, and healed, later.

        Does nothing where another one has taken its place meanwhile.
        """
        with self._swapping:
            if index is not self._index:
                return
            if isinstance(error, IndexDamagedError) and index is not None:
                self._damaged = index
                self._tried = -math.inf
            self._index = self._backfill = None
            self.reason = str(error)
        logger().warning("recall goes on from the canonical files: %s", error)

    def _swap(self, index: _core.Index | None) -> None:
        """Puts an index in the place of the present one."""
        with self._swapping:
            self._index, self._backfill = index, None

    def close(self) -> None:
        """Lets the index go."""
        self._background.stop()
        self._swap(None)
        self._damaged = None
