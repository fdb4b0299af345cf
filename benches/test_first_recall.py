"""The first recall of a process that has just started, by what it spends its CPU time on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import cycle
from statistics import median
from typing import TYPE_CHECKING

from benches.compare.corpus import NOW, Corpus
from benches.compare.engines.ours import WORKSPACE, memory_record
from membound import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pytest_benchmark.fixture import BenchmarkFixture

PROCESS = """
import sys, time
from datetime import datetime
times = [time.process_time()]
from membound import MemoryStore
times.append(time.process_time())
folder, query, workspace, now = sys.argv[1:]
store = MemoryStore.open(folder)
times.append(time.process_time())
found = store.retrieve(query, workspace=workspace, now=datetime.fromisoformat(now))
found.context
times.append(time.process_time())
assert found.trace.mode == "sqlite-fts5" and not found.from_memory
print([1e3 * (after - before) for before, after in zip(times, times[1:])])
"""
PARTS = ("import", "open", "recall")


def test_first_recall(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, timed: bool
) -> None:
    """What is timed is the whole process, the interpreter's start with it; the parts are not."""
    corpus = Corpus(100_000 if timed else 200)
    folder = tmp_path / "store"
    with MemoryStore.open(folder, durability="relaxed") as store:
        store.import_records(map(memory_record, corpus))
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    asked = cycle(corpus.questions(40))
    spent: list[list[float]] = []

    def recall() -> None:
        words = (str(folder), next(asked), WORKSPACE, NOW.isoformat())
        done = subprocess.run(  # noqa: S603 — us
            (sys.executable, "-c", PROCESS, *words),
            stdout=subprocess.PIPE,
            check=True,
            env=environment,
        )
        spent.append(json.loads(done.stdout))

    benchmark.pedantic(recall, rounds=80 if timed else 1, warmup_rounds=1)
    if timed:
        measured = spent[1:]  # the first one compiled the package
        parts = zip(PARTS, zip(*measured, strict=True), strict=True)
        told = ", ".join(f"{part} {median(times):.1f} ms" for part, times in parts)
        benchmark.extra_info["CPU time"] = told
        with capsys.disabled():
            print(f"\nfirst recall: {median(map(sum, measured)):.1f} ms of CPU time: {told}")  # noqa: T201 — pytest-benchmark shows no such thing
