"""Recall: retrieval at 1,000 and 10,000 records on each path."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from benches.conftest import NOW, WORKSPACE
from benches.corpus import questions
from membound import MemoryStore, retrieve_records

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

ASKED = 100


@pytest.mark.parametrize("index", [True, False], ids=["fts5", "files"])
def test_retrieve(benchmark: BenchmarkFixture, filled: tuple[int, Path], *, index: bool) -> None:
    count, folder = filled
    asked = cycle(questions(ASKED, count))
    with MemoryStore.open(folder, index=index) as store:
        found = benchmark(lambda: store.retrieve(next(asked), workspace=WORKSPACE, now=NOW))
    benchmark.extra_info["records"] = count
    assert found.trace.mode == ("sqlite-fts5" if index else "filesystem-fallback")


def test_retrieve_records(benchmark: BenchmarkFixture, filled: tuple[int, Path]) -> None:
    count, folder = filled
    asked = cycle(questions(ASKED, count))
    with MemoryStore.open(folder) as store:
        records = tuple(store.export())
    found = benchmark(lambda: retrieve_records(records, next(asked), workspace=WORKSPACE, now=NOW))
    assert found.trace.filtered.scope == 0
