"""Watching the canonical files for changes that the index was not told of."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Literal

from membound.backfill import STEP
from membound.errors import CanonicalFileError
from membound.notes import quarantined
from membound.records import MemoryRecord

if TYPE_CHECKING:
    from membound import _core
    from membound.canonical import CanonicalStore

__all__ = ["OutsideChange", "Watch"]

OutsideChange = Literal["none", "made", "unfinished"]
"""Whether files differ from what the index knows, or a writer is at work with them, or died."""

_PAUSE_SECONDS = 5.0


class Watch:
    """Tells at each recall whether the files are those that the index knows.

    Args:
        canonical: the files.
    """

    def __init__(self, canonical: CanonicalStore) -> None:
        self._canonical = canonical
        self._looked = -math.inf

    def outside_change(
        self, index: _core.Index, before: tuple[bool, str | None, bool]
    ) -> OutsideChange:
        """Tells whether files came, went, were replaced or mended, and the index was not told.

        A writer notes its intents before it changes a file, and takes them away in the transaction
        in which it notes the folder's new state. So between two equal states without an intent the
        folder was not changed by a writer that has an index.

        Args:
            index: the index.
            before: its state.
        """
        try:
            folder = self._canonical.identity()
        except CanonicalFileError:
            return "made"
        _, known, changing = before
        if known == folder and not changing:
            return "made" if self._usable_again(index) else "none"
        _, _, changing = after = index.state()
        if changing:
            return "unfinished"
        return "made" if after == before else "none"

    def is_due(self) -> bool:
        """Tells whether it is time to look again at files that were left out."""
        return time.monotonic() - self._looked >= _PAUSE_SECONDS

    def _usable_again(self, index: _core.Index) -> bool:
        """Tells, at most every few seconds, whether a file that was left out can be used by now.

        The disk may only have failed for a moment, or the file was repaired in place.
        """
        if not self.is_due():
            return False
        self._looked = time.monotonic()
        left_out = (self._canonical.record(one.file) for one in quarantined(index)[:STEP])
        return any(isinstance(found, MemoryRecord) for found in left_out)
