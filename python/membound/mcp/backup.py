"""A file of somebody else's, changed whole: what it was is kept beside it, and links are kept."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from membound.errors import CanonicalFileError
from membound.faults import reason_of
from membound.files import content_of, move, read_files, temporary, write_new
from membound.folders import make_private, sync
from membound.text import system_path

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read", "replace"]


def read(path: Path) -> bytes | None:
    """Reads what a path leads to; None where there is nothing.

    Raises:
        InvalidInputError: it is no path.
        CanonicalFileError: it cannot be read, or is no regular file.
    """
    (found,) = read_files([_real(path)])
    try:
        return content_of(found)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise CanonicalFileError(str(path), "read", reason_of(fault)) from fault


def replace(path: Path, before: bytes | None, after: bytes) -> Path | None:
    """Writes a file in the place of what was read of it; gives where that is kept.

    At any moment the file is the former or the new one. It keeps its mode; a link stays one.

    Args:
        path: the file, or a link to it.
        before: what `read` gave.
        after: what it is to be.

    Raises:
        CanonicalFileError: it is the former file still, or not known to outlast the loss of power.
    """
    try:
        make_private(path.parent, durable=True)
        kept = None if before is None else _keep(path, before)
        _write(path, before, after)
    except OSError as fault:
        raise CanonicalFileError(str(path), "write", reason_of(fault)) from fault
    return kept


def _keep(path: Path, data: bytes) -> Path:
    """Writes a backup under the first free number, for its owner only."""
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.membound-backup-{number}")
        try:
            write_new(os.fspath(backup), data, durable=True)
        except FileExistsError:
            number += 1
        else:
            return backup


def _write(path: Path, before: bytes | None, after: bytes) -> None:
    real = path.parent / _real(path)
    make_private(real.parent, durable=True)
    hidden = real.with_name(temporary())
    try:
        write_new(os.fspath(hidden), after, durable=True)
        with suppress(FileNotFoundError):
            hidden.chmod(stat.S_IMODE(real.stat().st_mode))
        _require(path, before)
        move(os.fspath(hidden), os.fspath(real))
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise
    sync(real.parent)


def _require(path: Path, before: bytes | None) -> None:
    """Refuses to go on where a file is no longer what was read of it."""
    if read(path) != before:
        reason = "another program changed it meanwhile; try again"
        raise CanonicalFileError(str(path), "write", reason)


def _real(path: Path) -> str:
    return os.path.realpath(system_path(path, "path"))
