"""Writing: one durable record beside its floor, a bulk import, and a rebuild of the index."""

from __future__ import annotations

import os
import sqlite3  # noqa: TID251 — on a file of its own: what one transaction costs at least
import time
from itertools import count
from statistics import quantiles
from typing import TYPE_CHECKING

from benches.conftest import NOW, WORKSPACE, drafts
from benches.corpus import texts
from membound import MemoryRecord, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from pytest_benchmark.fixture import BenchmarkFixture


def test_remember(benchmark: BenchmarkFixture, fresh: MemoryStore) -> None:
    benchmark(remembering(fresh))
    assert fresh.verify().ok


def test_remember_beside_its_floor(
    benchmark: BenchmarkFixture,
    fresh: MemoryStore,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    timed: bool,
) -> None:
    """Both in turns, as a disk is not the same from one minute to the next."""
    floor, remember = clocked(flooring(tmp_path)), clocked(remembering(fresh))
    rounds = 1_000 if timed else 2
    benchmark.pedantic(remember, setup=floor, rounds=rounds)
    assert fresh.verify().ok
    for share in (50, 99) if timed else ():
        least, ours = (quantiles(one.times, n=100)[share - 1] for one in (floor, remember))
        told = f"{ours * 1e6:,.0f} us for {least * 1e6:,.0f} us, {ours / least:.2f} times"
        benchmark.extra_info[f"p{share}"] = told
        with capsys.disabled():
            print(f"\nremember, p{share}: {told}")  # noqa: T201 — pytest-benchmark shows no such thing


def remembering(store: MemoryStore) -> Callable[[], None]:
    numbers = count()

    def remember() -> None:
        text = f"{texts(1_000)[next(numbers) % 1_000]} {next(numbers)}"
        store.remember(text, workspace=WORKSPACE, now=NOW)

    return remember


def flooring(folder: Path) -> Callable[[], None]:
    """What a durable record costs at least: a file and its name, and one transaction with it."""
    numbers = count()
    data = MemoryRecord.from_dict(
        {"id": "a", "content": texts(1)[0], "scope": "user", "createdAt": "", "updatedAt": ""}
    ).to_json()
    files = folder / "files"
    files.mkdir()
    rows = sqlite3.connect(folder / "rows.sqlite3", isolation_level=None)
    rows.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE record (id TEXT PRIMARY KEY, json BLOB)"
    )

    def write() -> None:
        name = f"mem_{next(numbers)}.json"
        file = os.open(files / ".tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(file, data)
        os.fsync(file)
        os.close(file)
        (files / ".tmp").rename(files / name)
        names = os.open(files, os.O_RDONLY)
        os.fsync(names)
        os.close(names)
        rows.execute("INSERT INTO record VALUES (?, ?)", (name, data))

    return write


class clocked:  # noqa: N801 — used as a function
    """A call that keeps how long each one took."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self.times: list[float] = []

    def __call__(self) -> None:
        began = time.perf_counter()
        self._call()
        self.times.append(time.perf_counter() - began)


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
