"""The structure hash: one text that changes with the files and empty folders of a workspace."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from membound.text import well_formed
from membound.times import after, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["dated", "documented", "empty_folders"]


def documented(files: Iterable[str], empty: Iterable[str] = ()) -> str:
    """Gives the hash as it is documented: of paths alone, so that no change of a text is seen.

    Args:
        files: the Markdown files, from the root of the workspace on.
        empty: the folders that have none, at any depth.

    Returns:
        32 hex digits; nothing where there is neither a file nor a folder.
    """
    return _hashed([*files, *map(_folder_line, empty)])


def dated(files: Mapping[str, int], empty: Iterable[str] = ()) -> str:
    """Gives the hash as peers keep it in ``index.json``: with the time of each file's last change.

    Args:
        files: the nanoseconds since the epoch of each file's last change.
        empty: as for `documented`.
    """
    lines = [f"{path}:{timestamp(after(changed))}" for path, changed in files.items()]
    return _hashed([*lines, *map(_folder_line, empty)])


def empty_folders(folders: Iterable[str], files: Iterable[str]) -> tuple[str, ...]:
    """Gives the folders that have no file in them, nor in what lies under them."""
    filled: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in filled:
            filled.add(folder)
            folder = folder.rpartition("/")[0]
    return tuple(folder for folder in folders if folder not in filled)


def _hashed(lines: list[str]) -> str:
    if not lines:
        return ""
    # Peers sort by UTF-16 code units, in which U+E000 comes behind what lies beyond U+FFFF.
    ordered = sorted(map(well_formed, lines), key=lambda line: line.encode("utf-16-be"))
    return hashlib.md5("\n".join(ordered).encode(), usedforsecurity=False).hexdigest()


def _folder_line(folder: str) -> str:
    return f"{folder.removesuffix('/')}/"
