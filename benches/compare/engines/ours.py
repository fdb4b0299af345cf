"""Our paths: a store's index, and every record at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from benches.compare.corpus import NOW, record_id, row_of
from benches.compare.engines.engine import Engine, taken
from membound import MemoryRecord, MemoryStore, RetrievalResult, retrieve_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement

WORKSPACE = "/bench"


def memory_record(statement: Statement) -> MemoryRecord:
    """The statement as a record of ours."""
    at = statement.updated.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return MemoryRecord(
        id=record_id(statement.row),
        content=statement.content,
        scope="workspace",
        workspace=WORKSPACE,
        type=statement.type,
        importance=statement.importance,
        confidence=statement.confidence,
        created_at=at,
        updated_at=at,
        observed_at=at,
    )


class Ours(Engine[RetrievalResult]):
    """A store; what differs between the paths is how it is opened and asked."""

    folder = "membound"
    exact = True
    options: ClassVar[dict[str, Any]] = {}

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        with MemoryStore.open(folder, durability="relaxed") as store:
            store.import_records(map(memory_record, statements))

    def open(self, folder: Path) -> None:
        self.store = MemoryStore.open(folder, **self.options)
        assert self.store.wait_until_ready(600)

    def question(self, query: str) -> Callable[[], RetrievalResult]:
        return lambda: self.store.retrieve(query, workspace=WORKSPACE, now=NOW)

    def rows(self, answer: RetrievalResult) -> list[int]:
        return [row_of(id) for id in answer.trace.selected_ids]

    def disk(self, folder: Path) -> dict[str, int]:
        records = taken(folder / "memory")
        return {"index": taken(folder) - records, "records": records}

    def close(self) -> None:
        self.store.close()


class Cold(Ours):
    """The index in its file."""

    name = "membound, index file"
    about = "`MemoryStore.retrieve` on the index in its file, as in a process just started"


class ColdRead(Cold):
    """The same, and everything is read."""

    name = "membound, index file, all read"
    about = "the same, and `.records`, `.context` and `.trace` of the result are read"

    def question(self, query: str) -> Callable[[], RetrievalResult]:
        return all_read(super().question(query))


class Files(Ours):
    """Every record is judged: by definition what the true answer is."""

    name = "membound, records at hand"
    about = "`retrieve_records` over all records: no index, every record is judged"

    def open(self, folder: Path) -> None:
        super().open(folder)
        self.records = tuple(self.store.export())

    def question(self, query: str) -> Callable[[], RetrievalResult]:
        return lambda: retrieve_records(self.records, query, workspace=WORKSPACE, now=NOW)


def all_read(retrieve: Callable[[], RetrievalResult]) -> Callable[[], RetrievalResult]:
    """Asks, and reads what the result may have put off."""

    def ask() -> RetrievalResult:
        found = retrieve()
        _ = found.records, found.context, found.trace
        return found

    return ask


ENGINES: tuple[Ours, ...] = (Cold(), ColdRead(), Files())
