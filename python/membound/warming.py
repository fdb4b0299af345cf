"""Reading the index's postings into memory, behind the recalls that would use them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Literal, Self

import msgspec

from membound.background import Background
from membound.errors import MemboundError
from membound.log import logger

if TYPE_CHECKING:
    from membound import _core

__all__ = ["PostingsState", "PostingsStatus", "Warming", "filled"]

STEP: Final = 256
"""Records that one step reads."""
_RECALLS: Final = 3
"""So many recalls make a process one that goes on recalling: its postings are worth reading."""


PostingsState = Literal["off", "filling", "ready", "too-large"]


class PostingsStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The postings that recall has in memory.

    Attributes:
        state: ``ready``, ``filling`` while they are not read yet, ``too-large`` where they would
            take more memory than they may, ``off`` where none are kept.
        records: records that they have.
        bytes: memory that they take.
    """

    state: PostingsState
    records: int
    bytes: int

    @classmethod
    def of(cls, index: _core.Index | None) -> Self:
        """Gives those of an index; none where there is no index."""
        if index is None:
            return cls(state="off", records=0, bytes=0)
        state, records, bytes = index.memory()
        return cls(state=state, records=records, bytes=bytes)


class Warming:
    """Keeps the postings of the index in use in memory, once recalls ask for it."""

    def __init__(self) -> None:
        self._background = Background(self._step)
        self._index: _core.Index | None = None
        self._missed = 0

    def missed(self, index: _core.Index) -> None:
        """Notes a recall that memory did not answer, and has it filled where that is worth it."""
        self._missed += 1
        if self._missed >= _RECALLS and index.memory()[0] == "filling":
            self._index = index
            self._background.start()

    def _step(self) -> bool:
        index = self._index
        try:
            if index is not None and index.fill_memory(STEP):
                return True
        except MemboundError as error:
            # Recall goes through the same file, and takes it out of use where it fails.
            logger().info("the postings were not read into memory: %s", error)
        if self._index is index:
            self._index = None
        return self._index is not None

    def close(self) -> None:
        """Ends the filling after its present step, for good."""
        self._background.stop()


def filled(index: _core.Index, deadline: float) -> bool:
    """Fills memory here and now; whether it was done before the deadline of the monotonic clock.

    Raises:
        IndexUnavailableError: the index cannot be read.
    """
    while index.fill_memory(STEP):
        if time.monotonic() >= deadline:
            return False
    return index.memory()[0] == "ready"
