"""Writing: one durable record, a bulk import, and a rebuild of the index."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from benches.conftest import NOW, WORKSPACE, drafts
from benches.corpus import texts
from membound import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture


def test_remember(benchmark: BenchmarkFixture, fresh: MemoryStore) -> None:
    numbers = count()

    def remember() -> None:
        text = f"{texts(1_000)[next(numbers) % 1_000]} {next(numbers)}"
        fresh.remember(text, workspace=WORKSPACE, now=NOW)

    benchmark(remember)
    assert fresh.verify().ok


def test_remember_many(benchmark: BenchmarkFixture, tmp_path: Path, *, timed: bool) -> None:
    size = 20_000 if timed else 200
    folders = count()

    def remember_many() -> int:
        with MemoryStore.open(tmp_path / str(next(folders)), durability="relaxed") as store:
            return len(store.remember_many(drafts(size), now=NOW))

    assert benchmark.pedantic(remember_many, rounds=2 if timed else 1) == size
    benchmark.extra_info["records"] = size


def test_rebuild_index(benchmark: BenchmarkFixture, filled: tuple[int, Path]) -> None:
    records, folder = filled
    with MemoryStore.open(folder, durability="relaxed") as store:
        benchmark.pedantic(store.rebuild_index, rounds=2)
        assert store.diagnostics().indexed_count == records
