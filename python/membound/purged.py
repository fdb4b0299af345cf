"""The marks of purged ids: that such a record was here is all that is kept of it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from membound.errors import CanonicalFileError, PartialChangeError
from membound.faults import reason_of
from membound.folders import make_private, real_folder, sync

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from pathlib import Path

__all__ = ["PurgedIds"]

_MARK: Final = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class PurgedIds:
    """A folder of empty files, each named by the SHA-256 of an id: not even the id is kept.

    Args:
        folder: where they lie; made by the first purge.
        durable: whether a mark survives the loss of power.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        self._durable = durable

    def now(self) -> Container[str]:
        """Gives the ids that are marked, to be asked for many: without a folder, no other look."""
        try:
            return frozenset() if real_folder(self._folder) is None else self
        except OSError:
            return self  # which says of each id that it cannot be told

    def __contains__(self, id: object) -> bool:
        if not isinstance(id, str):
            return False
        try:
            if real_folder(self._folder) is None:
                return False
            os.lstat(f"{self._folder}/{_name(id)}")
        except FileNotFoundError:
            return False
        except OSError as fault:
            raise CanonicalFileError(str(self._folder), "look at", reason_of(fault)) from fault
        return True

    @contextmanager
    def changing(self, id: str) -> Iterator[None]:
        """Takes the mark that the block makes back, should the block fail.

        Raises:
            PartialChangeError: the disk refused that.
        """
        before = id in self
        try:
            yield
        except PartialChangeError:
            # Some of it is gone: it is purged, and the next writer finishes that.
            raise
        except BaseException:
            if not before:
                self._forget(id)
            raise

    def _forget(self, id: str) -> None:
        """Takes a mark back."""
        path = self._folder / _name(id)
        try:
            path.unlink(missing_ok=True)
            if self._durable and self._folder.is_dir():
                sync(self._folder)
        except OSError as fault:
            raise PartialChangeError(str(path), "put back", reason_of(fault)) from fault

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
                make_private(self._folder, durable=self._durable)
            for name in names:
                os.close(os.open(self._folder / name, _MARK, 0o600))
            if self._durable:
                sync(self._folder)
        except OSError as fault:
            raise CanonicalFileError(str(self._folder), "write", reason_of(fault)) from fault


def _name(id: str) -> str:
    import hashlib  # noqa: PLC0415 — a purge is rare, and OpenSSL is slow to load

    return hashlib.sha256(id.encode()).hexdigest()
