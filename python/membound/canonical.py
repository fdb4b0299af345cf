"""The canonical store: one JSON file a record, written atomically; the only truth."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from membound.errors import CanonicalFileError
from membound.faults import ABSENT
from membound.file_names import file_name, record_id
from membound.files import Unfinished, is_temporary, move, write_new
from membound.folders import folds_case
from membound.record_files import Quarantined, RecordFiles
from membound.threads import in_turns
from membound.undo import Undo

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Container, Iterable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from membound.records import MemoryRecord

__all__ = ["CanonicalStore", "Quarantined"]


class CanonicalStore(RecordFiles):
    """The records in the files of one folder.

    Args:
        folder: where the files lie.
        durable: whether a change survives the loss of power.
        purged: gives the ids that do not come back, though their files may.
        aside: the former states of records that are deleted.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durable: bool,
        purged: Callable[[], Container[str]] = frozenset,
        aside: CanonicalStore | None = None,
    ) -> None:
        super().__init__(folder, durable=durable, purged=purged)
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
        """Writes records as `write` does."""
        self.write({record.id: record.to_json() for record in records}, progress)

    def write(
        self, texts: Mapping[str, bytes], progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Writes records, each one atomically: all of them, or none.

        Args:
            texts: the canonical JSON of their later states, by id.
            progress: called with how many are written, and how many there are; what it raises
                undoes them.

        Raises:
            CanonicalFileError: no file is changed.
            PartialChangeError: the disk refused to undo what was changed.
        """
        files = {file_name(id): text for id, text in texts.items()}
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
            for name in in_turns(map(file_name, ids)):
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
        purged = self.purged()
        self.delete(id for id in ids if id in purged)

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
        purged = self.purged()
        self.aside.delete(id for id in ids if id in active or id in purged)

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
        with self._unfinished.paths(self._path, files) as hidden:
            for done, (name, data) in enumerate(in_turns(files.items()), 1):
                try:
                    write_new(hidden[name], data, durable=self._durable)
                except OSError as fault:
                    raise self._error(name, "write", fault) from fault
                if progress is not None:
                    progress(done, len(files))
            folds = folds_case(self._folder, hidden[name].rpartition("/")[2])
            for name in in_turns(files):
                if folds:
                    self._refuse_other(name)
                try:
                    self._undo.note(name)
                    move(hidden[name], f"{self._path}/{name}")
                except OSError as fault:
                    raise self._error(name, "write", fault) from fault
                del hidden[name]
