"""The files of a workspace: no path leads out of its folder, and what is written is whole."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from membound.errors import CanonicalFileError, OutsideWorkspaceError
from membound.faults import reason_of
from membound.files import content_of, is_temporary, move, read_files, temporary, write_new
from membound.folders import make_private, sync
from membound.times import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

__all__ = ["OURS", "Root", "Stamp"]

OURS: Final = ".membound"
"""The folder for what other programs need not know; none lists what starts with a dot."""

Stamp = tuple[int, int, int, int]
"""Of a file: its size in bytes, when it and its entry were changed in nanoseconds, its number."""


class Root:
    """The folder of one workspace, or any other whose files are ours.

    Paths are relative to it, with ``/`` between names. Links are resolved: what they lead to has to
    lie under the first folder that the path names.

    Args:
        folder: it need not be there yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def real(self, path: str) -> Path:
        """Gives where a file really lies, or would.

        Raises:
            OutsideWorkspaceError: that is outside.
        """
        area, *_ = path.split("/")
        top = Path(os.path.realpath(self.folder)) / area
        try:
            real = Path(os.path.realpath(self.folder / path))
        except (OSError, ValueError):  # a loop of links, a NUL
            raise OutsideWorkspaceError(path) from None
        if real != top and top not in real.parents:
            raise OutsideWorkspaceError(path)
        return real

    def stamp(self, path: str) -> Stamp | None:
        """Looks at a file without a look inside; None where there is no regular one."""
        try:
            found = os.lstat(f"{self.folder}/{path}")
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino

    def read(self, path: str) -> bytes | None:
        """Reads a whole file; None where there is none.

        Raises:
            OutsideWorkspaceError: it lies outside.
            CanonicalFileError: it cannot be read, or is no regular file.
        """
        (found,) = read_files([os.fspath(self.real(path))])
        try:
            return content_of(found)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as fault:
            raise CanonicalFileError(path, "read", reason_of(fault)) from fault

    def read_all(self, paths: Sequence[str]) -> Iterator[bytes | None]:
        """Reads files that a walk without links has found; None for each that it cannot read."""
        for found in read_files([f"{self.folder}/{path}" for path in paths]):
            yield found if isinstance(found, bytes) else None

    def write(
        self, path: str, data: bytes, *, durable: bool = True, changed: datetime | None = None
    ) -> None:
        """Writes a file in the place of what is there; folders that are missing are made.

        At any moment the file is the former or the new one. It keeps its mode.

        Args:
            path: where.
            data: all that it holds.
            durable: whether it is to outlast the loss of power.
            changed: when it is said to have changed; the moment of writing if left out.

        Raises:
            OutsideWorkspaceError: it lies outside.
            CanonicalFileError: it is the former file still, or not known to outlast the loss of
                power.
        """
        real = self.real(path)
        try:
            make_private(real.parent, durable=durable)
            hidden = self._beside(real.parent) / temporary()
            try:
                write_new(os.fspath(hidden), data, durable=durable)
                with suppress(FileNotFoundError):
                    hidden.chmod(stat.S_IMODE(real.stat().st_mode))
                if changed is not None:
                    moment = milliseconds(changed) * 1_000_000
                    os.utime(hidden, ns=(moment, moment))
                move(os.fspath(hidden), os.fspath(real))
            except BaseException:
                hidden.unlink(missing_ok=True)
                raise
            if durable:
                sync(real.parent)
        except OSError as fault:
            raise CanonicalFileError(path, "write", reason_of(fault)) from fault

    def _beside(self, folder: Path) -> Path:
        """Gives where a file is written before it takes its place: ours, where it can move."""
        ours = self.folder / OURS
        try:
            return ours if ours.stat().st_dev == folder.stat().st_dev else folder
        except FileNotFoundError:
            return folder

    def sweep(self) -> None:
        """Removes what writers that were killed have left; nobody else may write meanwhile.

        Raises:
            CanonicalFileError: it cannot be removed.
        """
        for name in filter(is_temporary, self.names(OURS)):
            self.remove(f"{OURS}/{name}", durable=False)

    def remove(self, path: str, *, durable: bool = True) -> bool:
        """Removes a file; tells whether there was one. Of a link within, the link alone goes.

        Raises:
            OutsideWorkspaceError: it lies outside.
            CanonicalFileError: it is there still, or not known to stay away.
        """
        own = self._own(path)
        try:
            own.unlink()
            if durable:
                sync(own.parent)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as fault:
            raise CanonicalFileError(path, "remove", reason_of(fault)) from fault
        return True

    def rename(self, path: str, to: str) -> None:
        """Gives a file another name, which nothing else has, in the same folder or another one.

        Raises:
            OutsideWorkspaceError: one of the two lies outside.
            CanonicalFileError: it has its former name still, or the new one may not outlast the
                loss of power.
        """
        own, new = self._own(path), self._own(to)
        try:
            make_private(new.parent, durable=True)
            move(os.fspath(own), os.fspath(new))
            for folder in {own.parent, new.parent}:
                sync(folder)
        except OSError as fault:
            raise CanonicalFileError(path, "rename", reason_of(fault)) from fault

    def names(self, folder: str) -> frozenset[str]:
        """Lists what lies in a folder, the root if it is empty; nothing where there is none.

        Raises:
            OutsideWorkspaceError: it lies outside.
            CanonicalFileError: it cannot be read.
        """
        try:
            with os.scandir(self.real(folder) if folder else self.folder) as entries:
                return frozenset(entry.name for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()
        except OSError as fault:
            raise CanonicalFileError(folder, "list", reason_of(fault)) from fault

    def _own(self, path: str) -> Path:
        """Gives where a path's last name lies, itself a link or not; what it leads to lies within.

        Raises:
            OutsideWorkspaceError: it lies outside.
        """
        self.real(path)
        folder, _, name = path.rpartition("/")
        return (self.real(folder) if folder else Path(os.path.realpath(self.folder))) / name
