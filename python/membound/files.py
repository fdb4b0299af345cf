"""Files read and written whole; what is written has a hidden name until it is."""

from __future__ import annotations

import errno
import os
import re
import stat
from io import FileIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_temporary", "read_file", "temporary", "write_new"]

_TEMPORARY: Final = re.compile(r"\.[0-9a-f]{16}\.tmp")
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def temporary(folder: Path) -> Path:
    """Gives a new hidden name in a folder, for a file that is not whole yet."""
    return folder / f".{os.urandom(8).hex()}.tmp"


def is_temporary(name: str) -> bool:
    """Tells whether `temporary` gave this name."""
    return _TEMPORARY.fullmatch(name) is not None


def read_file(path: str) -> bytes:
    """Reads a regular file; neither a link is followed nor a pipe waited for.

    Raises:
        OSError: it cannot be read.
    """
    with FileIO(os.open(path, _READ)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.readall()


def write_new(path: Path, data: bytes, *, durable: bool) -> None:
    """Writes a file that is not there yet, for its owner only.

    Raises:
        OSError: it is not there, or not whole, or not durable.
    """
    with FileIO(os.open(path, _CREATE, 0o600), "w") as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        if durable:
            os.fsync(file.fileno())
