"""The marks of purged ids: that such a record was here is all that is kept of it."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final

from membound.errors import CanonicalFileError
from membound.faults import reason_of
from membound.folders import make_private, real_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["PurgedIds"]

_MARK: Final = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class PurgedIds:
    """A folder of empty files, each named by the SHA-256 of an id: not even the id is kept.

    Args:
        folder: where they lie; made by the first purge.
        durable: whether a mark survives the loss of power.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        self._durable = durable

    def __contains__(self, id: object) -> bool:
        try:
            marked = real_folder(self._folder) is not None
        except OSError as fault:
            raise CanonicalFileError(str(self._folder), "look at", reason_of(fault)) from fault
        return marked and isinstance(id, str) and os.path.lexists(f"{self._folder}/{_name(id)}")

    def add(self, ids: Iterable[str]) -> None:
        """Marks ids, durably.

        Raises:
            CanonicalFileError: a mark cannot be made.
        """
        names = [_name(id) for id in ids]
        if not names:
            return
        try:
            if real_folder(self._folder) is None:
                make_private(self._folder)
            for name in names:
                os.close(os.open(self._folder / name, _MARK, 0o600))
            if self._durable:
                for folder in (self._folder, self._folder.parent):
                    _sync(folder)
        except OSError as fault:
            raise CanonicalFileError(str(self._folder), "write", reason_of(fault)) from fault


def _name(id: str) -> str:
    return hashlib.sha256(id.encode()).hexdigest()


def _sync(folder: Path) -> None:
    handle = os.open(folder, _FOLDER)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
