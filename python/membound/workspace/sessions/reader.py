"""Wire files, read from where the last turn began: a session that grows is not read anew."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from membound.errors import CanonicalFileError
from membound.faults import reason_of
from membound.workspace.sessions.clock import Clock
from membound.workspace.sessions.fold import Fold
from membound.workspace.sessions.turn import Compaction, Turn

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Mark", "More", "read_more"]

_LOOKED_AT: Final = 1_024
"""Bytes at the head of a file, and before a mark, by which a file is known again."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """How far a wire file was read: to the start of its last turn, which may grow.

    Attributes:
        offset: where that is.
        size: the bytes that were read, with that turn.
        inode: of the file.
        digest: of the bytes at the head of the file and before the mark.
        clock: what was known there.
    """

    offset: int
    size: int
    inode: int
    digest: str
    clock: Clock


class More(msgspec.Struct, frozen=True, kw_only=True):
    """What a wire file says since a mark.

    Attributes:
        turns: the turns that are new or may have changed.
        live: the numbers of all turns that stand; any other is to be forgotten.
        withdrawn: the numbers of all turns that a person withdrew.
        compactions: the last summaries by which the host replaced what was said before.
        skipped: lines of the file that are no records.
        anew: whether the whole file was read.
        read: how many bytes were read.
        mark: where to go on.
    """

    turns: tuple[Turn, ...]
    live: tuple[int, ...]
    withdrawn: tuple[int, ...]
    compactions: tuple[Compaction, ...]
    skipped: int
    anew: bool
    read: int
    mark: Mark


def read_more(path: Path, session_id: str, mark: Mark | None = None) -> More:
    """Reads what a session says since a mark, or all of it.

    A file that is shorter than it was, or another one, is read from its start.

    Args:
        path: the wire file.
        session_id: the session.
        mark: where the last reading ended.

    Raises:
        CanonicalFileError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            if mark is not None and (mark.offset == 0 or not _is_same(file, mark)):
                mark = None
            fold, size = _folded(file, session_id, mark)
            if fold.reaches_back:
                mark = None
                fold, size = _folded(file, session_id, mark)
            return _more(file, fold, size, mark)
    except OSError as fault:
        raise CanonicalFileError(str(path), "read", reason_of(fault)) from fault


def _folded(file: BinaryIO, session_id: str, mark: Mark | None) -> tuple[Fold, int]:
    """Folds the lines from a mark to the end; tells where that is."""
    at = mark.offset if mark else 0
    fold = Fold(session_id, mark.clock if mark else None)
    file.seek(at)
    for line in file:
        fold.feed(line, at)
        at += len(line)
    return fold, at


def _more(file: BinaryIO, fold: Fold, size: int, mark: Mark | None) -> More:
    """Gives what was folded, and the next mark."""
    clock = fold.clock()
    start = mark.offset if mark else 0
    offset = max(fold.start, start)
    return More(
        turns=fold.turns(),
        live=clock.live,
        withdrawn=clock.withdrawn,
        compactions=clock.compactions,
        skipped=clock.skipped,
        anew=mark is None,
        read=size - start,
        mark=Mark(
            offset=offset,
            size=size,
            inode=os.fstat(file.fileno()).st_ino,
            digest=_digest(file, offset, size),
            clock=fold.before(),
        ),
    )


def _is_same(file: BinaryIO, mark: Mark) -> bool:
    """Tells whether a file is the one of a mark, with nothing changed that its ends show."""
    now = os.fstat(file.fileno())
    return (
        now.st_ino == mark.inode
        and now.st_size >= mark.size
        and _digest(file, mark.offset, mark.size) == mark.digest
    )


def _digest(file: BinaryIO, offset: int, size: int) -> str:
    """Hashes the head of a file that was so long, and what stands before a place of it."""
    file.seek(0)
    head = file.read(min(size, _LOOKED_AT))
    file.seek(max(offset - _LOOKED_AT, 0))
    return sha256(head + b"\0" + file.read(min(offset, _LOOKED_AT))).hexdigest()
