"""The canonical store: one JSON file a record, written atomically; the only truth."""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from io import FileIO
from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import CanonicalFileError, InvalidRecordError, NotFoundError
from membound.faults import reason_of
from membound.file_names import ENDING, file_name, record_id
from membound.folders import (
    folds_case,
    make_private,
    other_spelling,
    read_file,
    real_folder,
)
from membound.records import MemoryRecord
from membound.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable
    from pathlib import Path

__all__ = ["CanonicalStore", "Quarantined", "reason_of"]

_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_COARSEST_CLOCK: Final = 2_000_000_000  # nanoseconds, of FAT's times
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENAMETOOLONG})
_TEMPORARY: Final = re.compile(r"\.[0-9a-f]{16}\.tmp")


class Quarantined(msgspec.Struct, frozen=True):
    """A canonical file that cannot be used: its name, and why."""

    file: str
    reason: str


class CanonicalStore:
    """The files of one folder.

    Hidden files, other endings, folders and symbolic links are not records, and a link in the place
    of the folder is refused. Reading never writes: the folder is made by the first write.

    Args:
        folder: where the files lie.
        durable: whether a change survives the loss of power.
        purged: ids that do not come back, though their files may.
        aside: the former states of records that are deleted.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durable: bool,
        purged: Container[str] = frozenset(),
        aside: CanonicalStore | None = None,
    ) -> None:
        self._folder = folder
        self._durable = durable
        self.purged = purged
        self.aside = aside

    def write_many(
        self,
        records: Iterable[MemoryRecord],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Writes records, each one atomically; the folder is synced once, at the end.

        Args:
            records: their later states.
            progress: called with how many are written, and how many there are.

        Raises:
            CanonicalFileError: the records before the one it names are written, no others.
        """
        files = [(file_name(record.id), record.to_json()) for record in records]
        if not files:
            return
        self._make_folder()
        temporary = self._folder / f".{os.urandom(8).hex()}.tmp"
        try:
            for done, (name, data) in enumerate(files, 1):
                self._replace(temporary, name, data)
                if progress is not None:
                    progress(done, len(files))
        finally:
            with suppress(OSError):
                temporary.unlink()
        self._sync(self._folder)

    def delete(self, ids: Iterable[str]) -> None:
        """Removes files; an id that has none is passed over.

        Raises:
            CanonicalFileError: the files before the one it names are removed, no others.
        """
        removed = False
        for name in map(file_name, ids):
            if self._real() is None or self._other(name) is not None:
                continue
            try:
                (self._folder / name).unlink()
            except OSError as fault:
                if fault.errno in _ABSENT:
                    continue
                raise self._error(name, "remove", fault) from fault
            removed = True
        if removed:
            self._sync(self._folder)

    def sweep(self, ids: Collection[str]) -> None:
        """Finishes what a writer that died has left: temporary files, and files of purged ids.

        The caller holds the right to write, so that no writer is at work with either.

        Raises:
            CanonicalFileError: a file cannot be removed.
        """
        if self.aside is not None:
            self.aside.sweep(ids)
        for name in self._entries(_is_temporary):
            try:
                (self._folder / name).unlink(missing_ok=True)
            except OSError as fault:
                raise self._error(name, "remove", fault) from fault
        self.delete(id for id in ids if id in self.purged)

    def names(self) -> list[str]:
        """Gives the names of the files that may be records, sorted by code point.

        Raises:
            CanonicalFileError: the folder cannot be listed.
        """
        return self._entries(_may_be_record)

    def _entries(self, wanted: Callable[[os.DirEntry[str]], bool]) -> list[str]:
        if self._real() is None:
            return []
        try:
            with os.scandir(self._folder) as entries:
                return sorted(entry.name for entry in entries if wanted(entry))
        except OSError as fault:
            raise self._error("", "list", fault) from fault

    def load(self) -> tuple[list[bytes], list[Quarantined]]:
        """Reads every record as canonical JSON; a file that is none hides no other.

        Raises:
            CanonicalFileError: the folder cannot be listed.
        """
        records: list[bytes] = []
        quarantined: list[Quarantined] = []
        for name in self.names():
            found = self.record(name)
            if isinstance(found, Quarantined):
                quarantined.append(found)
            elif found is not None:
                records.append(found.to_json())
        return records, quarantined

    def record(self, name: str) -> MemoryRecord | Quarantined | None:
        """Reads the record that a file's name promises; None where there is no such file."""
        if self._real() is None:
            return None
        found = self._found(name)
        if isinstance(found, Quarantined) and self._other(name) is not None:
            return None
        return found

    def _found(self, name: str) -> MemoryRecord | Quarantined | None:
        try:
            record = MemoryRecord.from_json(read_file(f"{self._folder}/{name}"))
        except OSError as fault:
            if fault.errno in _ABSENT:
                return None
            return Quarantined(printable(name), reason_of(fault))
        except InvalidRecordError as fault:
            return Quarantined(printable(name), str(fault))
        if (expected := file_name(record.id)) != name:
            reason = f"it holds the record whose file is {expected}: rename or remove it"
            return Quarantined(printable(name), reason)
        if record.id in self.purged:
            return Quarantined(printable(name), "its record was purged: remove it")
        return record

    def require(self, id: str) -> MemoryRecord:
        """Reads the record of an id.

        Raises:
            NotFoundError: there is none.
            CanonicalFileError: its file cannot be used.
        """
        name = file_name(id)
        found = self.record(name)
        if isinstance(found, Quarantined):
            raise CanonicalFileError(self._shown(name), "use", found.reason)
        if found is None:
            raise NotFoundError(id)
        return found

    def find(self, id: str) -> MemoryRecord | None:
        """Reads a record by its id; None where no file of that id can be used."""
        found = self.record(file_name(id))
        return found if isinstance(found, MemoryRecord) else None

    def holds(self, id: str) -> bool:
        """Tells whether a file has the place of that id, whatever is in it."""
        name = file_name(id)
        if self._real() is None or not os.path.lexists(f"{self._folder}/{name}"):
            return False
        return self._other(name) is None

    def identity(self) -> str:
        """Tells this state of the folder from others; "" while there is no folder.

        It changes when a file comes or goes, not when one is edited in place.

        Raises:
            CanonicalFileError: the folder cannot be looked at.
        """
        found = self._real()
        return f"{found.st_dev}:{found.st_ino}:{found.st_mtime_ns}" if found is not None else ""

    def _real(self) -> os.stat_result | None:
        try:
            return real_folder(self._folder)
        except OSError as fault:
            raise self._error("", "look at", fault) from fault

    def _other(self, name: str) -> str | None:
        """Gives the file that a file system which folds case would take for this one."""
        if not folds_case(self._folder, name) or isinstance(self._found(name), MemoryRecord):
            return None
        return other_spelling(self._folder, name)

    def touched_since(self, identity: str) -> set[str] | None:
        """Gives the names of the files that were made, written to or renamed after that state.

        Each of it sets a file's change time, which no program chooses. None where that cannot be
        told: the folder is another one, or the clock was set back.

        Raises:
            CanonicalFileError: the folder cannot be looked at.
        """
        folder, _, then = identity.rpartition(":")
        same_folder, _, now = self.identity().rpartition(":")
        if folder != same_folder or not then.isdecimal() or int(now) < int(then):
            return None
        since = int(then) - _COARSEST_CLOCK
        try:
            with os.scandir(self._folder) as entries:
                return {
                    one.name for one in entries if _may_be_record(one) and _changed(one) >= since
                }
        except OSError as fault:
            raise self._error("", "list", fault) from fault

    def _make_folder(self) -> None:
        if self._real() is not None:
            return
        try:
            make_private(self._folder)
        except OSError as fault:
            raise self._error("", "make", fault) from fault
        self._sync(self._folder.parent)

    def _replace(self, temporary: Path, name: str, data: bytes) -> None:
        if (other := self._other(name)) is not None:
            reason = (
                f"this file system does not tell the ids {record_id(name)} and {record_id(other)} "
                "apart: choose another"
            )
            raise CanonicalFileError(self._shown(name), "write", reason)
        try:
            with FileIO(os.open(temporary, _CREATE, 0o600), "w") as file:
                view = memoryview(data)
                while view:
                    view = view[file.write(view) :]
                if self._durable:
                    os.fsync(file.fileno())
            temporary.replace(f"{self._folder}/{name}")
        except OSError as fault:
            raise self._error(name, "write", fault) from fault

    def _sync(self, folder: Path) -> None:
        """Makes what happened to a folder's entries durable, unless the caller chose speed."""
        if not self._durable:
            return
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as fault:
            raise CanonicalFileError(str(folder), "sync", reason_of(fault)) from fault

    def _error(self, name: str, action: str, fault: OSError) -> CanonicalFileError:
        return CanonicalFileError(self._shown(name), action, reason_of(fault))

    def _shown(self, name: str) -> str:
        return printable(str(self._folder / name))


def _may_be_record(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    return (
        name.endswith(ENDING) and not name.startswith(".") and entry.is_file(follow_symlinks=False)
    )


def _is_temporary(entry: os.DirEntry[str]) -> bool:
    return _TEMPORARY.fullmatch(entry.name) is not None


def _changed(entry: os.DirEntry[str]) -> int:
    """When a file was last changed; never, where it is gone: its name is missed soon enough."""
    try:
        return entry.stat(follow_symlinks=False).st_ctime_ns
    except FileNotFoundError:
        return 0
