"""The folders of a store: their owner's only, no links, durable; and who may write there."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "folds_case",
    "make_private",
    "other_spelling",
    "real_folder",
    "sync",
    "writable",
]

_OWNER_ONLY: Final = 0o700
_EFFECTIVE: Final = os.access in os.supports_effective_ids


def make_private(folder: Path, *, durable: bool) -> None:
    """Makes a folder, and what is missing above it; one that is there keeps its mode.

    Raises:
        OSError: a folder cannot be made, or not durably; then it is not there.
    """
    if folder.is_dir():
        return
    try:
        folder.mkdir(_OWNER_ONLY)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return  # another process was first
    except FileNotFoundError:
        if folder.parent == folder or folder.parent.is_dir():
            raise  # a place where nothing can be made, such as /proc
        make_private(folder.parent, durable=durable)
        make_private(folder, durable=durable)
        return
    if durable:
        try:
            sync(folder.parent)
        except OSError:
            with suppress(OSError):
                folder.rmdir()
            raise


def sync(folder: Path) -> None:
    """Makes what came to, and went from, a folder survive the loss of power.

    Raises:
        OSError: it cannot be promised.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def real_folder(folder: Path) -> os.stat_result | None:
    """Looks at a folder that no link may stand for; None where there is nothing.

    Raises:
        OSError: there is something else, or it cannot be looked at.
    """
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(found.st_mode):
        number = errno.ELOOP if stat.S_ISLNK(found.st_mode) else errno.ENOTDIR
        raise OSError(number, os.strerror(number))
    return found


def writable(folder: Path) -> bool:
    """Tells whether this user may change what a folder holds."""
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=_EFFECTIVE)


def folds_case(folder: Path, name: str) -> bool:
    """Tells whether a file is also found under its name in the other case."""
    try:
        found, swapped = (os.lstat(f"{folder}/{one}") for one in (name, name.swapcase()))
    except OSError:
        return False
    return os.path.samestat(found, swapped)


def other_spelling(folder: Path, name: str) -> str | None:
    """Gives the name of the file that is found under ``name``, where it has another case."""
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries if entry.name.lower() == name.lower()}
    return None if name in names else min(names, default=None)
