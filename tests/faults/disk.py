"""A disk that forgets what was not synced: the log of layer.c, told again up to a loss of power."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class File:
    """A file: the content that was synced last."""

    safe: bytes = b""


@dataclass
class Folder:
    """A folder: its entries now, and those that were synced last, with its identity then."""

    entries: dict[str, File | Folder] = field(default_factory=dict)
    safe: dict[str, File | Folder] = field(default_factory=dict)
    identity: str = ""


class Disk:
    """What lies below one folder.

    Args:
        root: the folder; it is empty and safe.
        snapshots: where the layer keeps the content of synced files.
    """

    def __init__(self, root: Path, snapshots: Path) -> None:
        self._root = root
        self._snapshots = snapshots
        self.top = Folder()

    def does(self, line: str) -> None:
        """Does what one line of the log says."""
        action, *words = line.rstrip("\n").split("\t")
        getattr(self, f"_{action}")(*words)

    def _mark(self, _text: str) -> None: ...

    def _write(self, _path: str) -> None: ...

    def _create(self, path: str) -> None:
        folder, name = self._place(path)
        folder.entries[name] = File()

    def _mkdir(self, path: str) -> None:
        folder, name = self._place(path)
        folder.entries[name] = Folder()

    def _rename(self, path: str, to: str) -> None:
        (old, name), (new, other) = self._place(path), self._place(to)
        new.entries[other] = old.entries.pop(name)

    def _link(self, path: str, to: str) -> None:
        (old, name), (new, other) = self._place(path), self._place(to)
        new.entries[other] = old.entries[name]

    def _unlink(self, path: str) -> None:
        folder, name = self._place(path)
        del folder.entries[name]

    def _sync(self, path: str, snapshot: str) -> None:
        folder, name = self._place(path)
        file = folder.entries.get(name)
        # One that was removed or replaced while it was open has nothing to keep.
        if isinstance(file, File):
            file.safe = (self._snapshots / snapshot).read_bytes()

    def _folder(self, path: str, identity: str) -> None:
        folder = self.folder(path)
        folder.safe = dict(folder.entries)
        folder.identity = identity

    def _place(self, path: str) -> tuple[Folder, str]:
        above, _, name = path.rpartition("/")
        return self.folder(above), name

    def folder(self, path: str) -> Folder:
        """The folder that has a path now."""
        found = self.top
        for name in path.removeprefix(str(self._root)).split("/")[1:]:
            inner = found.entries[name]
            assert isinstance(inner, Folder)
            found = inner
        return found

    def after_power_loss(self, into: Path, *, names_kept: bool) -> None:
        """Lay out what is left: what was synced and, if names are kept, every name that was given.

        A file whose content was not synced is empty.
        """
        into.mkdir()
        for path, file in self._left(self.top, names_kept=names_kept):
            target = into / path
            if isinstance(file, Folder):
                target.mkdir()
            else:
                target.write_bytes(file.safe)

    def _left(self, folder: Folder, *, names_kept: bool) -> Iterator[tuple[str, File | Folder]]:
        entries = folder.entries if names_kept else folder.safe
        for name, inner in entries.items():
            yield name, inner
            if isinstance(inner, Folder):
                for path, file in self._left(inner, names_kept=names_kept):
                    yield f"{name}/{path}", file
