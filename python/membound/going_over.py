"""Going over from the files to the index: what the files have told is not taken back."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["GoingOver"]


class GoingOver:
    """Whether files may have told of a change that the index does not have yet.

    A file is written before its change is settled. Once the index was seen without an open change,
    after all files were read, it has what they told.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way = 0
        self._turns = 0
        self.ahead = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Reads the files in the block."""
        with self._lock:
            self._under_way += 1
            self._turns += 1
            self.ahead = True
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def turn(self) -> int:
        """How often reading began: to be asked before the index is."""
        return self._turns

    def settled(self, turn: int) -> None:
        """Notes that the index was seen without an open change since that turn."""
        with self._lock:
            if not self._under_way and turn == self._turns:
                self.ahead = False
