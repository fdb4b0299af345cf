"""The canonical store: one JSON file a record, written atomically; the only truth."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from membound.errors import CanonicalFileError, InvalidRecordError, NotFoundError
from membound.faults import ABSENT, reason_of
from membound.file_names import file_name, record_id
from membound.files import Unfinished, is_temporary, move, read_file, write_new
from membound.folders import folds_case, other_spelling
from membound.record_folder import RecordFolder
from membound.records import MemoryRecord, read_record
from membound.text import printable
from membound.undo import Undo

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

__all__ = ["CanonicalStore", "Quarantined"]


class Quarantined(msgspec.Struct, frozen=True):
    """A canonical file that cannot be used: its name, and why."""

    file: str
    reason: str


_Found = tuple[MemoryRecord, bytes] | Quarantined | None
"""What a file holds: a record and its canonical JSON, what cannot be used, or nothing."""


class CanonicalStore(RecordFolder):
    """The records in the files of one folder.

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
        super().__init__(folder, durable=durable)
        self.purged = purged
        self.aside = aside
        self._undo = Undo(folder, durable=durable)
        self._unfinished = Unfinished()

    def changing(self) -> AbstractContextManager[None]:
        """Makes what the block writes and deletes one change: should it fail, all is undone.

        Raises:
            PartialChangeError: the disk refused that too.
        """
        return self._undo.on_failure()

    def write_many(
        self,
        records: Iterable[MemoryRecord],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Writes records, each one atomically: all of them, or none.

        Args:
            records: their later states.
            progress: called with how many are written, and how many there are; what it raises
                undoes them.

        Raises:
            CanonicalFileError: no file is changed.
            PartialChangeError: the disk refused to undo what was changed.
        """
        files = {file_name(record.id): record.to_json() for record in records}
        if not files:
            return
        self._make_folder()
        with self.changing():
            self._write(files, progress)
            self._sync()

    def delete(self, ids: Iterable[str]) -> None:
        """Removes files; an id that has none is passed over.

        Raises:
            CanonicalFileError: no file is removed, but one that could not be read before.
            PartialChangeError: the disk refused to undo what was removed.
        """
        removed = False
        with self.changing():
            for name in map(file_name, ids):
                if self._real() is None or self._other(name) is not None:
                    continue
                with suppress(OSError):
                    self._undo.note(name)
                try:
                    (self._folder / name).unlink()
                except OSError as fault:
                    if fault.errno in ABSENT:
                        continue
                    raise self._error(name, "remove", fault) from fault
                removed = True
            if removed:
                self._sync()

    def sweep(self, ids: Collection[str]) -> None:
        """Finishes what a writer that died has left: temporary files, and files of purged ids.

        The caller holds the right to write, so that no other writer is at work with either.

        Raises:
            CanonicalFileError: a file cannot be removed.
        """
        if self.aside is not None:
            self.aside.sweep(ids)
        for name in self._entries(self._is_leftover):
            with self._trying(name, "remove"):
                (self._folder / name).unlink(missing_ok=True)
        self.delete(id for id in ids if id in self.purged)

    def _is_leftover(self, entry: os.DirEntry[str]) -> bool:
        return is_temporary(entry.name) and entry.name not in self._unfinished

    def tidy(self) -> None:
        """Removes what was set aside for a deletion that did not come to pass, or for a purged id.

        The caller holds the right to write.

        Raises:
            CanonicalFileError: a file cannot be removed.
        """
        if self.aside is None:
            return
        self.sweep(())
        ids = [id for id in map(record_id, self.aside.names()) if id is not None]
        found = {id: self.find(id) for id in ids}
        active = {id for id, record in found.items() if record and not record.deleted_at}
        self.aside.delete(id for id in ids if id in active or id in self.purged)

    def names(self) -> list[str]:
        """Gives the names of the files that may be records, sorted by code point.

        Raises:
            CanonicalFileError: the folder cannot be listed, or that of the marks of purged ids not
                be looked at: then no file is taken in, and none is left out either.
        """
        _ = "" in self.purged
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
        for name in names:
            found = self._usable(name)
            if found is not None:
                yield name, found if isinstance(found, Quarantined) else found[1]

    def record(self, name: str) -> MemoryRecord | Quarantined | None:
        """Reads the record that a file's name promises; None where there is no such file."""
        found = None if self._real() is None else self._usable(name)
        return found[0] if isinstance(found, tuple) else found

    def _usable(self, name: str) -> _Found:
        found = self._found(name)
        if isinstance(found, Quarantined) and self._other(name) is not None:
            return None
        return found

    def _found(self, name: str) -> _Found:
        try:
            record, text = read_record(read_file(f"{self._folder}/{name}"))
        except OSError as fault:
            if fault.errno in ABSENT:
                return None
            return Quarantined(printable(name), reason_of(fault))
        except InvalidRecordError as fault:
            return Quarantined(printable(name), str(fault))
        if (expected := file_name(record.id)) != name:
            reason = f"it holds the record whose file is {expected}: rename or remove it"
            return Quarantined(printable(name), reason)
        barred = self._barred(record.id)
        return (record, text) if barred is None else Quarantined(printable(name), barred)

    def _barred(self, id: str) -> str | None:
        """Says why a record must not be used, though its file is sound."""
        try:
            return "its record was purged: remove it" if id in self.purged else None
        except CanonicalFileError as fault:
            return str(fault)

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
        if self._real() is None:
            return False
        try:
            (self._folder / name).lstat()
        except OSError as fault:
            if fault.errno in ABSENT:
                return False
            raise self._error(name, "look at", fault) from fault
        return self._other(name) is None

    def _other(self, name: str) -> str | None:
        """Gives the file that a file system which folds case would take for this one."""
        if not folds_case(self._folder, name) or isinstance(self._found(name), tuple):
            return None
        return other_spelling(self._folder, name)

    def _refuse_other(self, name: str) -> None:
        if (other := self._other(name)) is not None:
            reason = (
                f"this file system does not tell the ids {record_id(name)} and {record_id(other)} "
                "apart: choose another"
            )
            raise CanonicalFileError(self._shown(name), "write", reason)

    def _write(
        self, files: Mapping[str, bytes], progress: Callable[[int, int], None] | None
    ) -> None:
        """Writes every file whole under a hidden name before the first gets its own."""
        folder = str(self._folder)
        with self._unfinished.paths(folder, files) as hidden:
            for done, (name, data) in enumerate(files.items(), 1):
                try:
                    write_new(hidden[name], data, durable=self._durable)
                except OSError as fault:
                    raise self._error(name, "write", fault) from fault
                if progress is not None:
                    progress(done, len(files))
            folds = folds_case(self._folder, Path(hidden[name]).name)
            for name in files:
                if folds:
                    self._refuse_other(name)
                try:
                    self._undo.note(name)
                    move(hidden[name], f"{folder}/{name}")
                except OSError as fault:
                    raise self._error(name, "write", fault) from fault
                del hidden[name]
