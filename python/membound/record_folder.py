"""The folder of the record files: what it lists, and how its states are told apart."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from membound.errors import CanonicalFileError
from membound.faults import reason_of
from membound.file_names import ENDING
from membound.folders import make_private, real_folder, sync
from membound.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["RecordFolder"]

_COARSEST_CLOCK: Final = 2_000_000_000  # nanoseconds, of FAT's times


class RecordFolder:
    """A folder whose files may be records.

    Hidden files, other endings, folders and symbolic links are not records, and a link in the place
    of the folder is refused. Reading never writes: the folder is made by the first write.

    Args:
        folder: where it lies.
        durable: whether a change survives the loss of power.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        self._path = str(folder)
        self._durable = durable

    def names(self) -> list[str]:
        """Gives the names of the files that may be records, sorted by code point.

        Raises:
            CanonicalFileError: the folder cannot be listed.
        """
        return self._entries(_may_be_record)

    @property
    def folder(self) -> str:
        """Where the files lie."""
        return self._path

    def identity(self) -> str:
        """Tells this state of the folder from others; "" while there is no folder.

        It changes when a file comes or goes, not when one is edited in place.

        Raises:
            CanonicalFileError: the folder cannot be looked at.
        """
        found = self._real()
        return f"{found.st_dev}:{found.st_ino}:{found.st_mtime_ns}" if found is not None else ""

    def touched_since(self, identity: str) -> set[str] | None:
        """Gives the names of the files that were made, written to or renamed after that state.

        Each of it sets a file's change time, which no program chooses. None where that cannot be
        told: the folder is another one, or the clock was set back.

        Raises:
            CanonicalFileError: the folder cannot be looked at, or not listed.
        """
        folder, _, then = identity.rpartition(":")
        same_folder, _, now = self.identity().rpartition(":")
        if folder != same_folder or not then.isdecimal() or int(now) < int(then):
            return None
        since = int(then) - _COARSEST_CLOCK
        return set(self._entries(lambda one: _may_be_record(one) and _changed(one) >= since))

    def _entries(self, wanted: Callable[[os.DirEntry[str]], bool]) -> list[str]:
        if self._real() is None:
            return []
        with self._trying("", "list"), os.scandir(self._folder) as entries:
            return sorted(entry.name for entry in entries if wanted(entry))

    def _real(self) -> os.stat_result | None:
        """Looks at the folder; None where there is none yet."""
        with self._trying("", "look at"):
            return real_folder(self._folder)

    def _make_folder(self) -> None:
        if self._real() is None:
            with self._trying("", "make"):
                make_private(self._folder, durable=self._durable)

    def _sync(self) -> None:
        """Makes what came and went durable, unless the caller chose speed."""
        if self._durable:
            with self._trying("", "sync"):
                sync(self._folder)

    @contextmanager
    def _trying(self, name: str, action: str) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            raise self._error(name, action, fault) from fault

    def _error(self, name: str, action: str, fault: OSError) -> CanonicalFileError:
        return CanonicalFileError(self._shown(name), action, reason_of(fault))

    def _shown(self, name: str) -> str:
        return printable(str(self._folder / name))


def _may_be_record(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    return (
        name.endswith(ENDING) and not name.startswith(".") and entry.is_file(follow_symlinks=False)
    )


def _changed(entry: os.DirEntry[str]) -> int:
    """When a file was last changed; never, where it is gone: its name is missed soon enough."""
    try:
        return entry.stat(follow_symlinks=False).st_ctime_ns
    except FileNotFoundError:
        return 0
