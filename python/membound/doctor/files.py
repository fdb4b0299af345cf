"""The files of a store: which cannot be used, which come twice, and which are no records."""

from __future__ import annotations

import hashlib
import re
import stat
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final

from membound import _core
from membound.canonical import Quarantined
from membound.doctor.finding import Finding, shown
from membound.doctor.place import inside
from membound.errors import InvalidRecordError, StoreBusyError, StoreError
from membound.file_names import ENDING, file_name
from membound.files import is_temporary
from membound.layout import FOLDERS, MEMORY
from membound.records import MemoryRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from membound.session import Session

__all__ = ["PATIENCE", "check_files", "temporary_files"]

PATIENCE: Final = 2.0
"""Seconds to wait for a writer, where something may be its own."""
_BACKUP: Final = re.compile(r".*(~|\.bak|\.orig|\.old|\.sw[a-p]|\.tmp)|\.#.*|#.*#")


def check_files(session: Session) -> Iterator[Finding]:
    """Looks at every file in the folders of the store."""
    yield _leftovers(session)
    yield from _strangers(session.path)
    yield from _records(session)


def temporary_files(path: Path) -> set[str]:
    """Names the temporary files: those of a writer at work, and of one that died."""
    return {
        f"{folder}/{name}"
        for folder in FOLDERS
        for name in inside(path, folder)
        if is_temporary(name)
    }


def _leftovers(session: Session) -> Finding:
    names = temporary_files(session.path)
    busy = False
    if names:
        try:
            with session.writer.held(PATIENCE):
                # What a writer at work has is gone once it has yielded.
                names &= temporary_files(session.path)
        except StoreBusyError:
            busy = True
        except StoreError:  # the folder is read-only: nobody writes
            pass
    if not names:
        return Finding(check="leftovers", severity="ok", what="no temporary file of a writer")
    files = tuple(sorted(names))
    return Finding(
        check="leftovers",
        severity="warning" if busy else "problem",
        what=f"temporary files of a writer: {shown(files)}",
        advice="a writer is at work; look again" if busy else "--fix removes them",
        names=files,
        fixable=not busy,
    )


def _strangers(path: Path) -> Iterator[Finding]:
    kinds: dict[str, list[str]] = {}
    for name in inside(path, MEMORY):
        with suppress(FileNotFoundError):  # a writer is at work
            mode = (path / MEMORY / name).lstat().st_mode
            if kind := _kind_of_stranger(name, mode):
                kinds.setdefault(kind, []).append(f"{MEMORY}/{name}")
    for kind, names in kinds.items():
        yield Finding(
            check="strangers",
            severity="warning",
            what=f"{kind}: {shown(names)}",
            advice="move them away, if they are not meant to be here",
            names=tuple(names),
        )
    if not kinds:
        yield Finding(check="strangers", severity="ok", what="nothing but records")


def _kind_of_stranger(name: str, mode: int) -> str | None:
    if stat.S_ISLNK(mode):
        return "symbolic links, which are not followed"
    if stat.S_ISDIR(mode):
        return "folders, in which no record is looked for"
    if is_temporary(name):
        return None
    if _BACKUP.fullmatch(name):
        return "backups of an editor, which are no records"
    if not name.endswith(ENDING) or name.startswith(".") or not stat.S_ISREG(mode):
        return "files that are no records"
    return None


def _records(session: Session) -> Iterator[Finding]:
    """Reads every record: which cannot be used, which come twice."""
    unusable: list[str] = []
    copies: dict[str, str] = {}
    said: dict[tuple[str, str | None, bytes], list[str]] = {}
    records = 0
    for name in session.canonical.names():
        found = session.canonical.record(name)
        if isinstance(found, MemoryRecord):
            records += 1
            if not (found.deleted_at or found.disabled_at or found.superseded_at):
                said.setdefault(_statement(found), []).append(found.id)
        elif found is not None:
            original = _original(session.path / MEMORY / name)
            if original and file_name(original) != name and session.canonical.holds(original):
                copies[found.file] = original
            else:
                unusable.append(name)
    yield from _unusable(_still(session, unusable), records)
    yield from _twice(copies, [ids for ids in said.values() if len(ids) > 1])


def _statement(record: MemoryRecord) -> tuple[str, str | None, bytes]:
    """Tells what a record says, and where; short, as those of all are held at once."""
    agent = record.agent_context.agent_id if record.agent_context else None
    content = hashlib.sha256(_core.label(record.content).encode()).digest()
    return _core.place(record.to_json()), agent, content


def _still(session: Session, names: list[str]) -> list[tuple[str, Quarantined]]:
    """Leaves out what a writer was removing: that is gone once it has yielded."""
    if not names:
        return []
    # Where the folder is read-only, nobody writes; where the writer does not yield, look again all
    # the same.
    with suppress(StoreError), session.writer.held(PATIENCE):
        pass
    again = ((name, session.canonical.record(name)) for name in names)
    return [(name, one) for name, one in again if isinstance(one, Quarantined)]


def _unusable(quarantined: list[tuple[str, Quarantined]], records: int) -> Iterator[Finding]:
    for name, one in quarantined:
        yield Finding(
            check="quarantine",
            severity="problem",
            what=f"{one.file} is left out: {one.reason}",
            advice="mend or remove it; what is in it is recalled no more",
            names=(f"{MEMORY}/{name}",),
        )
    if not quarantined:
        yield Finding(
            check="quarantine", severity="ok", what=f"{records:,} records, all can be used"
        )


def _twice(copies: dict[str, str], same: list[list[str]]) -> Iterator[Finding]:
    for name, id in copies.items():
        yield Finding(
            check="duplicates",
            severity="problem",
            what=f"{name} holds the record {id} too, and is left out: {file_name(id)} counts",
            advice="compare the two and remove one; the one that stays is named for its id",
            names=(f"{MEMORY}/{name}",),
        )
    if same:
        yield Finding(
            check="duplicates",
            severity="warning",
            what=f"records of one place that say the same: {shown([*chain(*same)])}",
            advice="forget the ones that are not needed; recall shows one of them anyway",
            names=tuple(chain(*same)),
        )
    if not copies and not same:
        yield Finding(check="duplicates", severity="ok", what="no record comes twice")


def _original(path: Path) -> str | None:
    """Gives the id of the record that a file of another name holds, if it holds one."""
    with suppress(OSError, InvalidRecordError):
        return MemoryRecord.from_json(path.read_bytes()).id
    return None
