"""Bringing the index up to date with the canonical files, in bounded steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from membound.canonical import CanonicalStore, Quarantined, file_name

if TYPE_CHECKING:
    from membound import _core
    from membound.writer import Writer

__all__ = ["COMPLETE", "FOLDER", "QUARANTINED", "Backfill"]

COMPLETE = "complete"
"""The note that every canonical file is in the index; absent while it is being filled."""
FOLDER = "folder"
"""The note of the state of the folder that the index knows."""
QUARANTINED = "quarantined"
"""The note of the files that were left out, as JSON."""


class Backfill:
    """One pass over the canonical files; each step holds the right to write only while it runs."""

    def __init__(self, index: _core.Index, canonical: CanonicalStore, writer: Writer) -> None:
        self._index = index
        self._canonical = canonical
        self._writer = writer
        self._names: list[str] | None = None
        self._quarantined: list[Quarantined] = []
        self.scanned = 0

    @property
    def remaining(self) -> int:
        """Files that are still to be looked at, as far as they have been listed."""
        return len(self._names or ()) - self.scanned

    def step(self, most: int, timeout: float | None = None) -> bool:
        """Looks at up to ``most`` more files; whether the index is now complete.

        Args:
            most: files to look at.
            timeout: seconds to wait for other writers, where not as long as usual.

        Raises:
            StoreBusyError: another writer would not yield.
            CanonicalFileError: the folder cannot be listed.
            IndexUnavailableError: the index cannot be written.
        """
        with self._writer.held(timeout):
            if self._names is None:
                if self.up_to_date():
                    return True
                self._names = self._canonical.names()
            self._take(self._names[self.scanned : self.scanned + most])
            return self.scanned == len(self._names) and self._finish(self._names)

    def up_to_date(self) -> bool:
        """Tells whether the index is complete and has seen the folder as it is."""
        return (
            self._index.note(COMPLETE) is not None
            and self._index.note(FOLDER) == self._canonical.identity()
        )

    def _take(self, names: list[str]) -> None:
        records = []
        for name in names:
            found = self._canonical.record(name)
            if isinstance(found, Quarantined):
                self._quarantined.append(found)
            elif found is not None:
                records.append(found.to_json())
        self._index.apply(records=records, removed=[], settled=[], notes=[])
        self.scanned += len(names)

    def _finish(self, seen: list[str]) -> bool:
        """Takes files that came meanwhile, drops rows that have no file, and notes completeness."""
        present = self._canonical.names()
        self._take(sorted(set(present) - set(seen)))
        self.scanned = len(seen)
        left_out = {left.file for left in self._quarantined}
        files = set(present) - left_out
        self._index.optimize()
        orphans = [id for id in self._index.ids() if file_name(id) not in files]
        self._index.apply(
            records=[],
            removed=orphans,
            settled=self._index.intents(),
            notes=[
                (COMPLETE, "yes"),
                (FOLDER, self._canonical.identity()),
                (QUARANTINED, str(msgspec.json.encode(self._quarantined), "utf-8")),
            ],
        )
        return True
