"""Where the index lies: opening what is there, and making a new one in its place."""

from __future__ import annotations

from pathlib import Path

from membound import _core
from membound.errors import IndexUnavailableError

__all__ = ["IndexFile"]

_SIDE_FILES = ("", "-wal", "-shm")


class IndexFile:
    """The file of one store's index.

    Args:
        path: where it lies.
        durable: whether commits survive the loss of power.
    """

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._path = path
        self._durable = durable

    def open(self) -> _core.Index:
        """Opens the index, making an empty one where there is none.

        Raises:
            IndexDamagedError: only a new one helps.
            IndexUnavailableError: it cannot be used, or is not ours.
        """
        return _core.Index.open(self._path, self._durable)

    def remove(self) -> None:
        """Takes the file away; whoever has it open goes on with what was there.

        Raises:
            IndexUnavailableError: it cannot be removed.
        """
        try:
            for ending in _SIDE_FILES:
                Path(f"{self._path}{ending}").unlink(missing_ok=True)
        except OSError as error:
            reason = f"its file cannot be removed: {error.strerror}; check its folder's permissions"
            raise IndexUnavailableError(reason) from error
