"""Undoing: the former state of files, put back where a change of them fails halfway."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from membound.errors import PartialChangeError
from membound.faults import ABSENT, reason_of
from membound.files import content_of, read_files, temporary, write_new
from membound.folders import sync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Undo"]


class Undo:
    """What puts the files of one folder back; used by one writer at a time.

    Args:
        folder: where the files lie.
        durable: whether what is put back is to survive the loss of power.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        self._durable = durable
        self._former: dict[str, bytes | None] | None = None

    @contextmanager
    def on_failure(self) -> Iterator[None]:
        """Undoes what the block did to the files noted in it, should it fail.

        Within another such block there is nothing to do: that one undoes both.

        Raises:
            PartialChangeError: the disk refused that too.
        """
        if self._former is not None:
            yield
            return
        former = self._former = {}
        try:
            yield
        except PartialChangeError:
            # What another folder could not put back may need what was changed here.
            raise
        except BaseException as error:  # what the caller's progress raises too
            self._put_back(former, error)
            raise
        finally:
            self._former = None

    def note(self, name: str) -> None:
        """Notes the state of a file that is about to change.

        Raises:
            OSError: it cannot be read.
        """
        if self._former is not None and name not in self._former:
            self._former[name] = self._content(name)

    def _content(self, name: str) -> bytes | None:
        found = next(read_files([f"{self._folder}/{name}"]))
        return None if isinstance(found, int) and found in ABSENT else content_of(found)

    def _put_back(self, former: dict[str, bytes | None], error: BaseException) -> None:
        refused: dict[Path, OSError] = {}
        changed = False
        for name, before in former.items():
            try:
                changed |= self._restored(name, before)
            except OSError as fault:
                refused[self._folder / name] = fault
        try:
            if changed and self._durable:
                sync(self._folder)
        except OSError as fault:
            refused.setdefault(self._folder, fault)
        if refused:
            path, first = next(iter(refused.items()))
            others = f", and {len(refused) - 1} more" if len(refused) > 1 else ""
            reason = f"{reason_of(first)}; this came after: {error}"
            raise PartialChangeError(f"{path}{others}", "put back", reason) from error

    def _restored(self, name: str, before: bytes | None) -> bool:
        """Puts one file back; whether there was anything to do."""
        if self._content(name) == before:
            return False
        path = self._folder / name
        if before is None:
            path.unlink()
            return True
        spare = self._folder / temporary()
        try:
            write_new(str(spare), before, durable=self._durable)
            spare.replace(path)
        except OSError:
            with suppress(OSError):
                spare.unlink()
            raise
        return True
