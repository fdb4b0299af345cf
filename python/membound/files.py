"""Files read and written whole; what is written has a hidden name until it is."""

from __future__ import annotations

import errno
import os
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from membound import _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "Unfinished",
    "content_of",
    "is_temporary",
    "move",
    "read_files",
    "temporary",
    "write_new",
]

_TEMPORARY: Final = r"\.[0-9a-f]{16}\.tmp"
_AT_ONCE: Final = 64
_IRREGULAR: Final = "it is not a regular file"
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def temporary() -> str:
    """Gives a new hidden name, for a file that is not whole yet."""
    return _hidden(_chance())


def _chance() -> int:
    return int.from_bytes(os.urandom(8))


def _hidden(number: int) -> str:
    return f".{number % 2**64:016x}.tmp"


def is_temporary(name: str) -> bool:
    """Tells whether `temporary` gave this name."""
    return re.fullmatch(_TEMPORARY, name) is not None


def read_files(paths: Sequence[str]) -> Iterator[bytes | int]:
    """Reads regular files, many at a time; neither a link is followed nor a pipe waited for.

    Gives of each what `content_of` takes: its bytes, or the number of the error that prevents it.
    """
    done = 0
    while some := _core.read_files(paths[done : done + _AT_ONCE]):
        yield from some
        done += len(some)


def content_of(found: bytes | int) -> bytes:
    """Gives what was read of a file.

    Raises:
        OSError: it could not be read.
    """
    if isinstance(found, bytes):
        return found
    raise OSError(found, os.strerror(found)) if found else OSError(errno.EINVAL, _IRREGULAR)


def write_new(path: str, data: bytes, *, durable: bool) -> None:
    """Writes a file that is not there yet, for its owner only.

    Raises:
        OSError: it is not there, or not whole, or not durable.
    """
    handle = os.open(path, _CREATE, 0o600)
    try:
        while (written := os.write(handle, data)) < len(data):
            data = data[written:]
        if durable:
            os.fsync(handle)
    finally:
        os.close(handle)


def move(path: str, to: str) -> None:
    """Gives a file another name, in the place of the one that has it.

    Raises:
        OSError: it keeps its own.
    """
    os.replace(path, to)  # noqa: PTH105 — a Path each would cost as much as the call


class Unfinished:
    """The hidden names of the files that one writer is at work with."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    @contextmanager
    def paths(self, folder: str, names: Iterable[str]) -> Iterator[dict[str, str]]:
        """Gives for each name a hidden path; after the block, removes what lies at those left in.

        One that cannot be removed is hidden, and no record.
        """
        first = _chance()  # one for all: to ask for each would cost as much as to write it
        hidden = {name: _hidden(first + at) for at, name in enumerate(names)}
        self._names.update(hidden.values())
        paths = {name: f"{folder}/{one}" for name, one in hidden.items()}
        try:
            yield paths
        finally:
            for path in paths.values():
                with suppress(OSError):
                    os.unlink(path)  # noqa: PTH108 — as in `move`
            self._names.difference_update(hidden.values())
