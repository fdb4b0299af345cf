"""A process that recalls for ever, and opens, closes and rebuilds for ever, stays as it is.

Measured in a process of its own, after a warm-up. MEMBOUND_RECALLS says how many recalls (from the
files a fiftieth of them), MEMBOUND_CYCLES how often the store is opened, and rebuilt a quarter of
that; the long run is

    MEMBOUND_RECALLS=100000 MEMBOUND_CYCLES=1000 python -m pytest tests/test_leaks.py -s
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore
from tests.foreign import python
from tests.stores import NOW

if TYPE_CHECKING:
    from pathlib import Path

RECALLS = int(os.environ.get("MEMBOUND_RECALLS", "5000"))
CYCLES = int(os.environ.get("MEMBOUND_CYCLES", "60"))
GROWTH = 3 * 2**20
"""Bytes; some hundred KiB were measured, whatever the number of recalls."""

MEASURED = """
import gc, json, os, sys, time
from datetime import UTC, datetime
from membound import MemoryStore
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
folder, times = sys.argv[1], int(sys.argv[2])
QUERIES = ["kiwi harvest", "数据库备份", "what do I like", "데이터베이스 서울", "naïve cafe", ""]

def measure():
    until = time.monotonic() + 10
    while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < until:
        time.sleep(0.01)  # a thread that has read postings is about to end
    gc.collect()
    with open("/proc/self/statm") as file:
        memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return memory, len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

def run(work, warm_up):
    for n in range(warm_up):
        work(n)
    before = measure()
    for n in range(warm_up, warm_up + times):
        work(n)
    print(json.dumps([before, measure()]))

def recall(store, n):
    query = f"{QUERIES[n % len(QUERIES)]} {n % 500}"
    store.retrieve(query, now=NOW, purpose="tool" if n % 3 else "injection")
"""
RECALL = """
with MemoryStore.open(folder, index=sys.argv[3] == "index") as store:
    run(lambda n: recall(store, n), 500 if sys.argv[3] == "index" else 50)
    assert store.diagnostics().index_state == ("ready" if sys.argv[3] == "index" else "disabled")
"""
OPEN = """
def work(n):
    with MemoryStore.open(folder, durability="relaxed") as store:
        recall(store, n)
        if n % 2:
            store.update("m1", content=f"kiwi harvest again {n}")
run(work, 40)
"""
REBUILD = """
with MemoryStore.open(folder, durability="relaxed") as store:
    def work(n):
        store.rebuild_index()
        recall(store, n)
    run(work, 10)
"""
RUNS = {
    "recall by the index": (RECALL, RECALLS, "index"),
    "recall from the files": (RECALL, RECALLS // 50, "files"),
    "open and close": (OPEN, CYCLES, ""),
    "rebuild": (REBUILD, CYCLES // 4, ""),
}


@pytest.mark.parametrize("name", RUNS)
def test_memory_files_and_threads_stay_as_they_are(tmp_path: Path, name: str) -> None:
    contents = ["kiwi harvest", "数据库备份", "데이터베이스 서울", "naïve café", "紅茶が好き"]
    drafts = [
        {"content": f"{contents[n % 5]} {n}", "scope": "user", "id": f"m{n}"} for n in range(200)
    ]
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember_many(drafts, now=NOW)
    script, times, path = RUNS[name]
    with python(MEASURED + script, tmp_path, times, path) as process:
        assert process.stdout is not None
        measured = process.stdout.read()
    assert process.returncode == 0
    before, after = json.loads(measured)
    print(f"{name}, {times} times: {after[0] - before[0]:,} bytes more")  # noqa: T201 — the figure
    assert after[0] - before[0] < GROWTH
    assert after[1:] == before[1:]
