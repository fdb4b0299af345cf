"""Looking at a store as a whole: its state, and whether files and index agree."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from membound import _core
from membound.canonical import Quarantined
from membound.file_names import record_id
from membound.notes import up_to_date
from membound.reports import BackfillProgress, Diagnostics, VerifyReport
from membound.warming import PostingsStatus

if TYPE_CHECKING:
    from membound.feedback import FeedbackLog
    from membound.projection import Projection
    from membound.session import Session

__all__ = ["compare", "diagnose", "verify"]

_BATCH = 256


def diagnose(session: Session, feedback: FeedbackLog) -> Diagnostics:
    """Gives the state of a store."""
    projection = session.projection
    names = session.canonical.names()
    counts, stale = session.ask(partial(_counted, names), complete=False) or (None, 0)
    quarantined = session.known_quarantined()
    scanned, remaining = projection.progress if projection is not None else (0, 0)
    known = counts is not None and session.state == "ready"
    return Diagnostics(
        enabled=session.policy.enabled,
        path=str(session.path),
        index_state=session.state,
        reason=projection.reason if projection is not None else None,
        canonical_count=len(names),
        active_count=counts[1] if counts and known else None,
        tombstone_count=counts[2] if counts and known else None,
        directive_count=counts[3] if counts and known else None,
        indexed_count=counts[0] if counts else 0,
        index_bytes=session.index_bytes,
        stale_count=stale,
        backfill=BackfillProgress(scanned=scanned, remaining=remaining),
        postings=PostingsStatus.of(None) if projection is None else projection.memory,
        quarantined=quarantined,
        index_schema_version=_core.index_schema_version,
        tokenizer_version=session.settings.tokenizer,
        last_injected_ids=session.last_trace.selected_ids if session.last_trace else (),
        last_trace=session.last_trace,
        feedback=feedback.status(),
    )


def _counted(names: list[str], index: _core.Index) -> tuple[tuple[int, int, int, int], int]:
    """Gives the index's counts, and how many records it has not as the files have them."""
    files = {record_id(name) for name in names}
    return index.counts(), len(files ^ set(index.ids())) + len(index.intents())


def verify(session: Session) -> VerifyReport:
    """Compares every file with the index; what differs is filled in anew."""
    projection = session.projection
    compared = session.ask(partial(compare, session), complete=False)
    if compared is None:
        checked = len(session.load())
        reason = projection.reason if projection is not None else None
        return VerifyReport(checked=checked, quarantined=session.quarantined, reason=reason)
    report, settled = compared
    if projection is not None and not (settled and _agrees(report, projection)):
        projection.begin_again()
        # The first step notes it for whoever opens the store next.
        projection.step(0)
    return report


def _agrees(report: VerifyReport, projection: Projection) -> bool:
    """Tells whether the index has every file as it is, and knows the same ones to be unusable."""
    differ = report.missing or report.stale or report.orphaned
    return not differ and report.quarantined == projection.quarantined()


def compare(session: Session, index: _core.Index) -> tuple[VerifyReport, bool]:
    """Compares all files; tells too whether no backfill, anywhere, may have read them before."""
    settled = up_to_date(index, session.canonical)
    index.check()
    missing: list[str] = []
    stale: list[str] = []
    files: dict[str, bytes] = {}
    checked = 0
    quarantined: list[Quarantined] = []
    orphans = set(index.ids())
    names = session.canonical.names()
    for start in range(0, len(names), _BATCH):
        files.clear()
        for name in names[start : start + _BATCH]:
            found = session.canonical.record(name)
            if isinstance(found, Quarantined):
                quarantined.append(found)
            elif found is not None:
                files[found.id] = found.to_json()
        rows = index.records(list(files))
        for (id, json), row in zip(files.items(), rows, strict=True):
            if row is None:
                missing.append(id)
            elif row != json:
                stale.append(id)
        checked += len(files)
        orphans.difference_update(files)
    session.quarantined = tuple(quarantined)
    report = VerifyReport(
        checked=checked,
        missing=tuple(missing),
        stale=tuple(stale),
        orphaned=tuple(sorted(orphans)),
        quarantined=session.quarantined,
    )
    return report, settled
