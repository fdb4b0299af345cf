"""Taking records in as they are: what becomes of each, by what is stored under its id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from membound.arguments import sound_records
from membound.errors import DuplicateIdError, InvalidInputError
from membound.reports import ImportReport
from membound.text import word
from membound.threads import in_turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from membound.projection import Progress
    from membound.records import MemoryRecord
    from membound.session import Session

__all__ = ["Conflict", "import_records"]

Conflict = Literal["error", "skip", "replace"]
"""What to do where another record has the id."""


def import_records(
    session: Session,
    records: Iterable[MemoryRecord],
    on_conflict: Conflict,
    progress: Progress | None,
) -> ImportReport:
    """Does what `MemoryStore.import_records` promises."""
    on_conflict = word(on_conflict, "on_conflict", get_args(Conflict))
    listed = sound_records(records)
    given = {record.id: record for record, _ in listed}
    if len(given) < len(listed):
        raise InvalidInputError("records", "every id once", f"{len(listed) - len(given)} twice")
    with session.writer.held():
        canonical = session.canonical
        marks = canonical.purged()
        purged = {id for id in given if id in marks}
        taken = canonical.taken(given.keys() - purged)
        stored = {id: canonical.require(id) for id in in_turns(given) if id in taken}
        report = _plan(given, stored, purged, on_conflict)
        written = [given[id] for id in (*report.imported, *report.replaced)]
        texts = {record.id: text for record, text in listed}
        session.commit(written, progress=progress, texts=texts)
    return report


def _plan(
    given: Mapping[str, MemoryRecord],
    stored: Mapping[str, MemoryRecord],
    purged: AbstractSet[str],
    on_conflict: Conflict,
) -> ImportReport:
    """Decides for each record what an import does, by what is stored under its id."""
    kept = purged | {
        id
        for id, record in stored.items()
        if on_conflict == "skip" or record.deleted_at or record == given[id]
    }
    taken = tuple(id for id in stored if id not in kept)
    if taken and on_conflict == "error":
        raise DuplicateIdError(taken[0])
    return ImportReport(
        imported=tuple(id for id in given if id not in stored and id not in purged),
        replaced=taken,
        skipped=tuple(id for id in given if id in kept),
    )
