"""Files written whole, under a hidden name until they are."""

from __future__ import annotations

import errno
import os
from io import FileIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ABSENT", "temporary", "write_new"]

ABSENT: Final = frozenset({errno.ENOENT, errno.ENAMETOOLONG})
"""What says that there is no such file."""
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def temporary(folder: Path) -> Path:
    """Gives a new hidden name in a folder, for a file that is not whole yet."""
    return folder / f".{os.urandom(8).hex()}.tmp"


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
