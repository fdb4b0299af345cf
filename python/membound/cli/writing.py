"""What `import` read goes into the store, in batches, and what did not is reported by place."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from membound.cli.options import now
from membound.cli.outcome import Failure
from membound.cli.reading import Item, Problem
from membound.errors import MemboundError, StoreError
from membound.records import MemoryRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from membound.draft import MemoryDraft
    from membound.importing import Conflict
    from membound.store import MemoryStore

__all__ = ["Summary", "write_items"]

_BATCH = 256


@dataclass(slots=True)
class Summary:
    """What an import did."""

    imported: int = 0
    skipped: int = 0
    replaced: int = 0
    problems: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        counts = f"imported {self.imported:,}, replaced {self.replaced:,}, skipped {self.skipped:,}"
        return f"{counts}, not imported because of errors {len(self.problems):,}"


def write_items(
    store: MemoryStore,
    items: Sequence[Item],
    *,
    on_conflict: Conflict | None,
    strict: bool,
    report: Callable[[int, int], None],
) -> Summary:
    """Store the items in their order; without a policy what is known by its text is skipped.

    When `strict`, the first item that is refused ends the import.
    """
    summary = Summary()
    done = 0
    for policy, batch in _batches(items, on_conflict):
        _write(store, batch, policy, summary)
        if strict and summary.problems:
            first = summary.problems[0]
            message = f"{first.where}: {first.reason}; stopped after: {summary}"
            raise Failure(message)
        done += len(batch)
        report(done, len(items))
    return summary


def _batches(
    items: Sequence[Item], on_conflict: Conflict | None
) -> Iterator[tuple[Conflict, list[Item]]]:
    """Yield runs of items that are written alike, no id twice.

    An id that comes again begins a batch of its own, so that it meets what was written before it.
    """

    def policy(item: Item) -> Conflict:
        return on_conflict or ("skip" if item.derived else "error")

    for alike, run in groupby(items, policy):
        batch: dict[str | None, Item] = {}
        for item in run:
            if item.entry.id in batch or len(batch) == _BATCH:
                yield alike, list(batch.values())
                batch = {}
            batch[item.entry.id] = item
        yield alike, list(batch.values())


def _write(store: MemoryStore, batch: list[Item], policy: Conflict, summary: Summary) -> None:
    """Write a batch whole; if it is refused, write it one by one to find what is at fault."""
    try:
        _write_whole(store, batch, policy, summary)
    except StoreError:
        raise
    except MemboundError as error:
        if len(batch) == 1:
            summary.problems.append(Problem(batch[0].where, str(error)))
            return
        for item in batch:
            _write(store, [item], policy, summary)


def _write_whole(store: MemoryStore, batch: list[Item], policy: Conflict, summary: Summary) -> None:
    moment = now()
    records = [_as_record(item.entry, moment) for item in batch]
    report = store.import_records(records, on_conflict=policy)
    summary.imported += len(report.imported)
    summary.skipped += len(report.skipped)
    summary.replaced += len(report.replaced)


def _as_record(entry: MemoryRecord | MemoryDraft, moment: datetime) -> MemoryRecord:
    """Return a record as it is, and a draft that chose its id as the record that it becomes."""
    if isinstance(entry, MemoryRecord):
        return entry
    return entry.to_record(id=str(entry.id), now=moment)
