"""Bringing the index up to date with the canonical files, in bounded steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from membound.canonical import CanonicalStore, Quarantined
from membound.errors import CanonicalFileError
from membound.file_names import file_name
from membound.log import logger
from membound.notes import (
    COMPLETE,
    DIFFERS,
    FOLDER,
    UNSCRUBBED,
    left_out,
    scrubbed,
    up_to_date,
    write_notes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from membound import _core
    from membound.writer import Writer

__all__ = ["STEP", "Backfill"]

STEP = 64
"""Files that one step looks at."""
_LONG_STEP: Final = 512
"""Files that one step looks at where all of them follow at once."""


class Backfill:
    """One pass over the canonical files; each step holds the right to write only while it runs.

    Args:
        index: what is filled.
        canonical: the files.
        writer: the right to write.
        anew: look at every file even where the index seems to be up to date.
        recent: a writer died, and its own files are settled: of the others look only at those that
            were touched since the index knew the folder, and at those that it does not know.
    """

    def __init__(
        self,
        index: _core.Index,
        canonical: CanonicalStore,
        writer: Writer,
        *,
        anew: bool = False,
        recent: bool = False,
    ) -> None:
        self._index = index
        self._canonical = canonical
        self._writer = writer
        self._anew = anew
        self._recent = recent
        self._listed: list[str] = []
        self._names: list[str] | None = None
        self._left_out: dict[str, Quarantined] = {}
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
                if self._anew:
                    # Noted, so that the pass is made up for if this process ends before it is over.
                    write_notes(self._index, (FOLDER, DIFFERS))
                elif up_to_date(self._index, self._canonical):
                    return True
                self._listed = self._canonical.names()
                self._names = self._suspects() if self._recent else self._listed
            names = self._names[self.scanned : self.scanned + most]
            self._take(names)
            self.scanned += len(names)
            return self.scanned == len(self._names) and self._finish(self._listed)

    def run(self, progress: Callable[[int, int], None] | None) -> None:
        """Looks at all files in one go, told to ``progress`` as files seen, and files in all."""
        complete = False
        while not complete:
            complete = self.step(_LONG_STEP)
            if progress is not None:
                progress(self.scanned, self.scanned + self.remaining)

    def _suspects(self) -> list[str]:
        """The files that may not be as the index has them."""
        complete, folder, _ = self._index.state()
        touched = self._canonical.touched_since(folder) if complete and folder else None
        if touched is None:
            return self._listed
        known = set(map(file_name, self._index.ids()))
        return [name for name in self._listed if name in touched or name not in known]

    def _take(self, names: Iterable[str]) -> None:
        records = []
        for name, found in self._canonical.texts(names):
            if isinstance(found, Quarantined):
                self._left_out[name] = found
            else:
                records.append(found)
        self._index.apply(records=records, removed=[], settled=[], notes=[])

    def _finish(self, seen: list[str]) -> bool:
        """Takes what came or was repaired meanwhile; drops rows without a file; notes the end."""
        present = set(self._canonical.names())
        again = sorted(present.difference(seen).union(self._left_out))
        self._left_out.clear()
        self._take(again)
        files = present - self._left_out.keys()
        if self._names is self._listed:
            self._tidy()
            self._index.optimize()
        removed = [id for id in self._index.ids() if file_name(id) not in files]
        self._index.apply(
            records=[],
            removed=removed,
            settled=self._index.intents(),
            notes=[
                *([(UNSCRUBBED, "yes")] if removed else []),
                (COMPLETE, "yes"),
                (FOLDER, self._canonical.identity()),
                left_out(self._left_out.values()),
            ],
        )
        if removed:
            # A purge may have failed to do so, or the index is one of before it.
            scrubbed(self._index)
        return True

    def _tidy(self) -> None:
        try:
            self._canonical.tidy()
        except CanonicalFileError as error:
            logger().warning("files that nobody needs stay: %s", error)
