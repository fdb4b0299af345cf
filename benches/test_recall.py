"""Recall: retrieval at 1,000 and 10,000 records on each path."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from benches.conftest import NOW, WORKSPACE
from benches.corpus import questions
from membound import MemoryStore, retrieve_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

    from membound import MemoryRecord, Trace

ASKED = 100


@contextmanager
def on_path(folder: Path, path: str) -> Iterator[MemoryStore]:
    """A store that recalls on one path alone."""
    postings_bytes = 2**30 if path == "memory" else 0
    index = path != "files"
    with MemoryStore.open(folder, index=index, postings_bytes=postings_bytes) as store:
        if postings_bytes:
            assert store.warm_up()
        yield store


@pytest.mark.parametrize("path", ["memory", "fts5", "files"])
def test_retrieve(benchmark: BenchmarkFixture, filled: tuple[int, Path], path: str) -> None:
    count, folder = filled
    asked = cycle(questions(ASKED, count))
    with on_path(folder, path) as store:
        found = benchmark(lambda: store.retrieve(next(asked), workspace=WORKSPACE, now=NOW))
    benchmark.extra_info["records"] = count
    assert found.from_memory == (path == "memory")
    assert found.trace.mode == ("filesystem-fallback" if path == "files" else "sqlite-fts5")


def test_retrieve_and_read(benchmark: BenchmarkFixture, filled: tuple[int, Path]) -> None:
    """Records and trace are made when they are read: what a recall costs whose reader wants all."""
    count, folder = filled
    asked = cycle(questions(ASKED, count))

    def retrieve() -> tuple[bool, tuple[MemoryRecord, ...], str, Trace]:
        found = store.retrieve(next(asked), workspace=WORKSPACE, now=NOW)
        return found.from_memory, found.records, found.context, found.trace

    with on_path(folder, "memory") as store:
        from_memory, *_ = benchmark(retrieve)
    benchmark.extra_info["records"] = count
    assert from_memory


def test_retrieve_records(benchmark: BenchmarkFixture, filled: tuple[int, Path]) -> None:
    count, folder = filled
    asked = cycle(questions(ASKED, count))
    with MemoryStore.open(folder) as store:
        records = tuple(store.export())
    found = benchmark(
        lambda: retrieve_records(
            records,
            next(asked),
            workspace=WORKSPACE,
            now=NOW,
            relevance_mode="foundation-v2",
        )
    )
    assert found.trace.relevance_mode == "foundation-v2"
    assert found.trace.filtered.scope == 0
