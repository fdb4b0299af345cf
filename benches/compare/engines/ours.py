"""Our three paths, by `foundation-v1`: postings in memory, the index file, records at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benches.compare.corpus import NOW, record_id, row_of
from benches.compare.engines.engine import Engine, taken
from membound import MemoryRecord, MemoryStore, RetrievalResult, retrieve_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement
    from membound.tokens import Tokenizer
    from membound.trace import Mode

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


class Store(Engine[RetrievalResult]):
    """A store that answers on one of its paths, or the comparison fails."""

    folder = "membound"
    exact = True
    mode: Mode
    from_memory = False
    postings_bytes = 0
    tokenizer: Tokenizer = "v1"

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        with MemoryStore.open(folder, durability="relaxed", tokenizer=self.tokenizer) as store:
            store.import_records(map(memory_record, statements))

    def open(self, folder: Path) -> None:
        self.store = MemoryStore.open(folder, postings_bytes=self.postings_bytes)

    def question(self, query: str) -> Callable[[], RetrievalResult]:
        return lambda: self.store.retrieve(query, workspace=WORKSPACE, now=NOW)

    def rows(self, answer: RetrievalResult) -> list[int]:
        assert (answer.trace.mode, answer.from_memory) == (self.mode, self.from_memory)
        return [row_of(id) for id in answer.trace.selected_ids]

    def disk(self, folder: Path) -> dict[str, int]:
        records = taken(folder / "memory")
        return {"index": taken(folder) - records, "records": records}

    def close(self) -> None:
        self.store.close()


class Memory(Store):
    """Postings in memory."""

    name = "membound"
    about = (
        "`MemoryStore.retrieve` with its postings in memory, as in a process that goes on recalling"
    )
    mode = "sqlite-fts5"
    from_memory = True
    postings_bytes = 2**31

    def open(self, folder: Path) -> None:
        super().open(folder)
        assert self.store.warm_up(600)


class MemoryRead(Memory):
    """Postings in memory, and all of the result is read."""

    name = "membound, all read"
    about = "the same, and `.records`, `.context` and `.trace` are read, which are made on demand"

    def question(self, query: str) -> Callable[[], RetrievalResult]:
        return all_read(super().question(query))


class Weighed(Memory):
    """Postings in memory of units, weighed by what may be seen."""

    name = "membound, foundation-v2"
    about = "the same with tokenizer `v2`, by `foundation-v2`, whose true top is another one"
    folder = "membound-v2"
    tokenizer = "v2"
    exact = False


class WeighedFile(Weighed):
    """Units in the index's file, weighed by what may be seen."""

    name = "membound, foundation-v2, index file"
    about = "the same on the index in its file"
    from_memory = False
    postings_bytes = 0

    def open(self, folder: Path) -> None:
        Store.open(self, folder)


class IndexFile(Store):
    """The index in its file."""

    name = "membound, index file"
    about = "the same recall on the index in its file, as in a process that has just started"
    mode = "sqlite-fts5"


class IndexFileRead(IndexFile):
    """The index in its file, and all of the result is read."""

    name = "membound, index file, all read"
    about = "the same, and all of the result is read"

    def question(self, query: str) -> Callable[[], RetrievalResult]:
        return all_read(super().question(query))


class Records(Store):
    """Every record is judged: by definition what the true answer is."""

    name = "membound, records at hand"
    about = "`retrieve_records` over all records: no index, every record is judged"
    mode = "filesystem-fallback"
    most = 100_000

    def open(self, folder: Path) -> None:
        super().open(folder)
        self.records = tuple(self.store.export())

    def question(self, query: str) -> Callable[[], RetrievalResult]:
        return lambda: retrieve_records(self.records, query, workspace=WORKSPACE, now=NOW)


def all_read(retrieve: Callable[[], RetrievalResult]) -> Callable[[], RetrievalResult]:
    """Asks, and reads what the result has put off."""

    def ask() -> RetrievalResult:
        found = retrieve()
        _ = found.records, found.context, found.trace
        return found

    return ask


ENGINES: tuple[Store, ...] = (
    Memory(),
    MemoryRead(),
    IndexFile(),
    IndexFileRead(),
    Weighed(),
    WeighedFile(),
    Records(),
)
