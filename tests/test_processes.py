"""Many processes and threads on one store, and what a fresh process loads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore
from membound.errors import RevisionConflictError

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
UPDATES = 30


def count_up(folder: str) -> int:
    """Raise the number in a record, again and again, losing nothing to the other process."""
    conflicts = 0
    with MemoryStore.open(folder, durability="relaxed") as store:
        for _ in range(UPDATES):
            while True:
                record = store.get("counter")
                number = int(record.content.split()[-1]) + 1
                try:
                    store.update(
                        "counter", content=f"kiwi {number}", expected_revision=record.revision
                    )
                    break
                except RevisionConflictError:
                    conflicts += 1
    return conflicts


def recall(folder: str) -> int:
    with MemoryStore.open(folder, durability="relaxed") as store:
        return sum(len(store.retrieve("kiwi", now=NOW).records) for _ in range(100))


def test_two_writers_lose_nothing_and_readers_go_on(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember("kiwi 0", scope="user", id="counter", now=NOW)
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        writers = [pool.submit(count_up, str(tmp_path)) for _ in range(2)]
        readers = [pool.submit(recall, str(tmp_path)) for _ in range(2)]
        assert [reader.result(60) for reader in readers] == [100, 100]
        assert all(writer.result(60) >= 0 for writer in writers)
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        assert store.get("counter").content == f"kiwi {2 * UPDATES}"
        assert store.retrieve(f"kiwi {2 * UPDATES}", now=NOW).trace.selected_ids == ("counter",)
        assert store.wait_until_ready(30)
        assert store.verify().ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_is_told_to_open_the_store_itself(tmp_path: Path) -> None:
    script = """
import os, sys
from membound import MemoryStore
from membound.errors import StoreClosedError
store = MemoryStore.open(sys.argv[1])
store.remember("kiwi", scope="user")
child = os.fork()
if not child:
    try:
        store.retrieve("kiwi")
    except StoreClosedError:
        del store
        sys.exit(7)
    sys.exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
store.remember("kiwi again", scope="user")
assert len(store.retrieve("kiwi").records) == 2
assert store.retrieve("kiwi").trace.mode != "filesystem-fallback"
assert store.verify().ok
"""
    subprocess.run([sys.executable, "-c", script, tmp_path], check=True, timeout=60)


def test_importing_starts_nothing_and_loads_no_extra() -> None:
    script = """
import socket, sys, threading
def refuse(*args, **kwargs):
    raise AssertionError("a socket")
socket.socket = refuse
import membound
membound.MemoryStore
assert threading.active_count() == 1
extra = {"click", "rich", "asyncio", "logging", "membound.evaluation", "membound.cli"}
assert not extra & set(sys.modules), extra & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == done.stderr == b""
