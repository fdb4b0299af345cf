"""The index of a store: its log, its versions, and whether it says what the files say.

It is looked at as it lies there: opening it as the store does would heal it first.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from membound import _core
from membound.doctor.files import PATIENCE
from membound.doctor.finding import Finding, shown
from membound.errors import (
    IndexDamagedError,
    IndexSchemaError,
    IndexUnavailableError,
    StoreBusyError,
    StoreError,
)
from membound.folders import writable
from membound.index_file import IndexFile
from membound.inspection import compare
from membound.layout import INDEX
from membound.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from membound.reports import VerifyReport
    from membound.session import Session

__all__ = ["check_index", "cut_log"]

_MOST_LOG_BYTES: Final = 16 * 1024 * 1024
_OUTDATED: Final = re.compile(r"its (schema|tokenizer) is ")
_REBUILT: Final = "--fix makes it anew from the files"


def check_index(session: Session) -> Iterator[Finding]:
    """Looks at the index and compares it with every file."""
    path = session.path / INDEX
    log = session.path / f"{INDEX}-wal"
    bytes_before = _size(log)
    findings = list(_findings(session, path))
    # Whoever closes the index last brings its log in, and so may the look have done.
    yield _log(bytes_before, _size(log))
    yield from findings


def cut_log(folder: Path) -> None:
    """Brings the log in and cuts it, unless a long read needs it.

    Raises:
        IndexUnavailableError: the index cannot be used.
    """
    IndexFile(
        folder / INDEX, durable=True, tokenizer=lambda: Settings.in_use(folder).tokenizer
    ).open().scrub()


def _findings(session: Session, path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield Finding(check="versions", severity="ok", what="no index has one")
        what = "there is none: each recall reads all files"
        yield Finding(check="index", severity="warning", what=what, advice=_REBUILT, fixable=True)
        return
    try:
        index = IndexFile(path, durable=True, tokenizer=lambda: session.settings.tokenizer).open()
        found = _compared(session, index)
    except (IndexUnavailableError, StoreBusyError) as error:
        yield _trouble(error, session.path)
        return
    yield Finding(check="versions", severity="ok", what=_versions(session))
    yield found


def _versions(session: Session) -> str:
    return f"schema {_core.index_schema_version}, tokenizer {session.settings.tokenizer}"


def _trouble(error: IndexUnavailableError | StoreBusyError, folder: Path) -> Finding:
    """Words what an index that cannot be compared has met."""
    match error:
        case StoreBusyError():
            what = "another process holds it"
            return Finding(check="index", severity="warning", what=what, advice="look again")
        case IndexSchemaError():
            return Finding(
                check="versions",
                severity="problem",
                what=f"the index has schema {error.found}, and this version knows {error.known}",
                advice="upgrade membound, or delete the index file; recall reads files till then",
            )
        case IndexDamagedError():
            outdated = _OUTDATED.match(error.reason) is not None
            return Finding(
                check="versions" if outdated else "index",
                severity="problem",
                what=f"it is {'of another version' if outdated else 'damaged'}: {error.reason}",
                advice=_REBUILT,
                fixable=True,
            )
        case _:
            return Finding(
                check="index",
                severity="problem" if writable(folder) else "warning",
                what=f"it cannot be used: {error.reason}",
                advice="mend that, or move the file away; recall reads the files till then",
            )


def _compared(session: Session, index: _core.Index) -> Finding:
    report, settled = compare(session, index)
    differ = _differ(session, index, report)
    if unfinished := _unfinished(session, index):
        return Finding(
            check="index",
            severity="warning",
            what=f"a writer died while it changed {shown(unfinished)}",
            advice="--fix looks at these files again, and so does the next opening of the store",
            names=unfinished,
            fixable=True,
        )
    if not settled:
        return Finding(
            check="index",
            severity="warning",
            what="it has not seen all files yet" + (f": {shown(differ)}" if differ else ""),
            advice="--fix brings them in, and so does the next opening of the store",
            names=differ,
            fixable=True,
        )
    if not differ:
        return Finding(
            check="index",
            severity="ok",
            what=f"it says what the files say, for {report.checked:,} records",
        )
    return Finding(
        check="index",
        severity="problem",
        what=f"it differs from the files: {_told(report, differ)}: {shown(differ)}",
        advice=_REBUILT,
        names=differ,
        fixable=True,
    )


def _told(report: VerifyReport, differ: tuple[str, ...]) -> str:
    """Says in which ways records differ, and how many in each."""
    counts = {
        "are missing": report.missing,
        "differ": report.stale,
        "have no file that can be used": report.orphaned,
    }
    return ", ".join(
        f"{count:,} {what}"
        for what, ids in counts.items()
        if (count := len({*ids}.intersection(differ)))
    )


def _differ(session: Session, index: _core.Index, report: VerifyReport) -> tuple[str, ...]:
    """Gives the ids that differ from their files, and not only because a writer is at work on them.

    A writer notes an intent before it changes a file, and takes it away with the row. So what is
    the same in two looks, and is nobody's intent between them, is no change on its way.
    """
    ids = [*report.missing, *report.stale, *report.orphaned]
    before = _both(session, index, ids)
    changing = {*index.intents()}
    after = _both(session, index, ids)
    return tuple(
        id
        for id, was, now in zip(ids, before, after, strict=True)
        if was == now and now[0] != now[1] and id not in changing
    )


def _both(
    session: Session, index: _core.Index, ids: list[str]
) -> list[tuple[bytes | None, bytes | None]]:
    """Gives the row and the file of each record as canonical JSON."""
    rows = index.records(ids)
    files = [file.to_json() if (file := session.canonical.find(id)) else None for id in ids]
    return list(zip(rows, files, strict=True))


def _unfinished(session: Session, index: _core.Index) -> tuple[str, ...]:
    """Gives the ids whose change nobody is at work on any more."""
    if index.intents():
        with suppress(StoreError), session.writer.held(PATIENCE):
            return tuple(index.intents())
    return ()


def _log(before: int, after: int) -> Finding:
    if before <= _MOST_LOG_BYTES:
        return Finding(check="log", severity="ok", what=f"{before / 2**20:,.1f} MiB")
    return Finding(
        check="log",
        severity="warning",
        what=f"the index's log had grown to {before / 2**20:,.1f} MiB",
        advice="a process that has the store open keeps it: let it end its reading, or close it",
        fixable=True,
        fixed=after <= _MOST_LOG_BYTES,
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
