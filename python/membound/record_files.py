"""The records in the files of one folder: read, looked for, and told from what is none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from membound.errors import CanonicalFileError, InvalidRecordError, NotFoundError
from membound.faults import ABSENT, reason_of
from membound.file_names import file_name
from membound.files import content_of, read_files
from membound.folders import folds_case, other_spelling
from membound.record_folder import RecordFolder
from membound.records import MemoryRecord, read_record
from membound.text import printable
from membound.threads import in_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from pathlib import Path

__all__ = ["Quarantined", "RecordFiles"]


class Quarantined(msgspec.Struct, frozen=True):
    """A canonical file that cannot be used: its name, and why."""

    file: str
    reason: str


_Found = tuple[MemoryRecord, bytes] | Quarantined | None
"""What a file holds: a record and its canonical JSON, what cannot be used, or nothing."""


class RecordFiles(RecordFolder):
    """What the files of one folder say; a file that cannot be used hides no other.

    Args:
        folder: where the files lie.
        durable: whether a change survives the loss of power.
        purged: gives the ids that do not come back, though their files may.
    """

    def __init__(
        self, folder: Path, *, durable: bool, purged: Callable[[], Container[str]] = frozenset
    ) -> None:
        super().__init__(folder, durable=durable)
        self.purged = purged

    def names(self) -> list[str]:
        """Gives the names of the files that may be records, sorted by code point.

        Raises:
            CanonicalFileError: the folder cannot be listed, or that of the marks of purged ids not
                be looked at: then no file is taken in, and none is left out either.
        """
        _ = "" in self.purged()
        return super().names()

    def load(self) -> tuple[list[bytes], list[Quarantined]]:
        """Reads every record as canonical JSON; a file that is none hides no other.

        Raises:
            CanonicalFileError: the folder cannot be listed.
        """
        records: list[bytes] = []
        quarantined: list[Quarantined] = []
        for _, found in self.texts(self.names()):
            if isinstance(found, Quarantined):
                quarantined.append(found)
            else:
                records.append(found)
        return records, quarantined

    def texts(self, names: Iterable[str]) -> Iterator[tuple[str, bytes | Quarantined]]:
        """Reads files one by one: their names, and the canonical JSON of the records in them.

        A file that is not there any more is passed over.
        """
        if self._real() is None:
            return
        purged = self.purged()
        listed = list(names)
        files = read_files([f"{self._path}/{name}" for name in listed])
        for name, file in in_turns(zip(listed, files, strict=True)):
            found = self._usable(name, file, purged)
            if found is not None:
                yield name, found if isinstance(found, Quarantined) else found[1]

    def record(self, name: str) -> MemoryRecord | Quarantined | None:
        """Reads the record that a file's name promises; None where there is no such file."""
        if self._real() is None:
            return None
        found = self._usable(name, self._read(name), self.purged())
        return found[0] if isinstance(found, tuple) else found

    def _read(self, name: str) -> bytes | int:
        return next(read_files([f"{self._path}/{name}"]))

    def _usable(self, name: str, file: bytes | int, purged: Container[str]) -> _Found:
        found = self._found(name, file, purged)
        if isinstance(found, Quarantined) and self._other(name) is not None:
            return None
        return found

    def _found(self, name: str, file: bytes | int, purged: Container[str]) -> _Found:
        try:
            record, text = read_record(content_of(file))
        except OSError as fault:
            if fault.errno in ABSENT:
                return None
            return Quarantined(printable(name), reason_of(fault))
        except InvalidRecordError as fault:
            return Quarantined(printable(name), str(fault))
        if (expected := file_name(record.id)) != name:
            reason = f"it holds the record whose file is {expected}: rename or remove it"
            return Quarantined(printable(name), reason)
        try:
            if record.id not in purged:
                return record, text
            reason = "its record was purged: remove it"
        except CanonicalFileError as fault:
            reason = str(fault)
        return Quarantined(printable(name), reason)

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
        """Tells whether a file has the place of that id, whatever is in it.

        Raises:
            CanonicalFileError: it cannot be told.
        """
        name = file_name(id)
        return self._real() is not None and self._is_there(name)

    def taken(self, ids: Iterable[str]) -> set[str]:
        """Gives those ids whose place a file has, as `holds` tells.

        Raises:
            CanonicalFileError: it cannot be told.
        """
        if self._real() is None:
            return set()
        return {id for id in in_turns(ids) if self._is_there(file_name(id))}

    def _is_there(self, name: str) -> bool:
        try:
            os.lstat(f"{self._path}/{name}")
        except OSError as fault:
            if fault.errno in ABSENT:
                return False
            raise self._error(name, "look at", fault) from fault
        return self._other(name) is None

    def _other(self, name: str) -> str | None:
        """Gives the file that a file system which folds case would take for this one."""
        if not folds_case(self._folder, name):
            return None
        if isinstance(self._found(name, self._read(name), self.purged()), tuple):
            return None
        return other_spelling(self._folder, name)
