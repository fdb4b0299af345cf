"""Users' reports about whole processes: order, errors that travel, nothing sent or left behind."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from time import perf_counter
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryStore
from membound.errors import InvalidInputError, MemboundError
from tests.foreign import python
from tests.test_errors import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2031, 4, 1, 12, tzinfo=UTC)
DETERMINISM = """
import sys
from datetime import UTC, datetime
from membound import MemoryPolicy, MemoryStore
POLICY = MemoryPolicy(max_injected_records=10)
with MemoryStore.open(sys.argv[1], index=sys.argv[2] == "index") as store:
    found = store.retrieve("equal note", now=datetime(2031, 4, 1, 12, tzinfo=UTC), policy=POLICY)
    assert len(found.records) == 10
    print(found.context, found.trace.selected_ids, found.trace.filtered)
"""


def test_determinism(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(
            [MemoryDraft(f"equal note {n:02}", scope="user") for n in range(50)], now=NOW
        )
    shown = {
        subprocess.run(
            [sys.executable, "-c", DETERMINISM, tmp_path, ["index", "files"][seed % 4 == 0]],
            env={"PYTHONHASHSEED": str(seed), "TZ": ["UTC", "Asia/Tokyo"][seed % 2]},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(20)
    }
    assert len(shown) == 1


def raise_it(error: MemboundError) -> None:
    raise error


def test_pickle() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for error in SAMPLES:
            came = pool.submit(raise_it, error).exception(60)
            assert (type(came), str(came)) == (type(error), str(error))
            assert vars(pickle.loads(pickle.dumps(error))) == vars(error)  # noqa: S301 — our own


def test_pickle_of_values(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed", clock=lambda: NOW) as store:
        store.remember("the tram leaves at nine", scope="user", id="tram")
        values = (store.get("tram"), store.retrieve("tram"), store.diagnostics(), store.verify())
        for value in values:
            assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 — our own
        with pytest.raises(InvalidInputError, match="the path of the store, to open it"):
            pickle.dumps(store)


def test_fork(tmp_path: Path) -> None:
    """The child is told to open the store itself, can do so, and does not disturb the parent."""
    script = """
import os, sys
from membound import MemoryStore
from membound.errors import StoreClosedError
store = MemoryStore.open(sys.argv[1])
store.remember("the tram leaves at nine", scope="user", id="tram")
child = os.fork()
if child == 0:
    try:
        store.retrieve("tram")
    except StoreClosedError as error:
        told = "open it in this process" in str(error)
    with MemoryStore.open(sys.argv[1]) as own:
        found = own.retrieve("tram").trace.selected_ids == ("tram",)
        own.remember("the bus leaves at ten", scope="user", id="bus")
    os._exit(0 if told and found else 1)
assert os.waitpid(child, 0)[1] == 0
assert store.retrieve("bus ten").trace.selected_ids == ("bus",)
assert store.verify().ok
"""
    subprocess.run([sys.executable, "-c", script, tmp_path], check=True, timeout=60)


def test_sqlite_locked(tmp_path: Path) -> None:
    """One writer and three readers: nobody is told of a lock."""
    writer = """
import sys, time
from membound import MemoryStore
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    end, at = time.monotonic() + 3, 0
    while time.monotonic() < end or at < 20:
        store.remember(f"tram {at} leaves", scope="user")
        at += 1
print(at)
"""
    reader = """
import sys, time
from membound import MemoryStore
with MemoryStore.open(sys.argv[1]) as store:
    end, most = time.monotonic() + 3, 0
    while time.monotonic() < end:
        found = store.retrieve("tram leaves")
        assert found.trace.index_state in ("ready", "backfilling"), store.diagnostics()
        assert found.trace.candidate_count >= most
        most = found.trace.candidate_count
print(most)
"""
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember("tram of the past leaves", scope="user")
    work = [python(script, tmp_path) for script in (writer, reader, reader, reader)]
    told = [int(process.communicate(timeout=120)[0]) for process in work]
    assert [process.returncode for process in work] == [0, 0, 0, 0]
    assert 1 < min(told[1:]) <= max(told[1:]) <= told[0] + 1


def test_startup(tmp_path: Path) -> None:
    """A cold opening of many files answers at once, from the files that it has not seen."""
    with MemoryStore.open(tmp_path, index=False, durability="relaxed", clock=lambda: NOW) as store:
        drafts = [MemoryDraft(f"note {n} of many", scope="user", id=f"n{n}") for n in range(3000)]
        store.remember_many(drafts)
    began = perf_counter()
    with MemoryStore.open(tmp_path, durability="relaxed", clock=lambda: NOW) as store:
        opened = perf_counter() - began
        found = store.retrieve("note 2999 of many")
        assert (found.trace.selected_ids[0], found.trace.candidate_count) == ("n2999", 3000)
        assert store.wait_until_ready()
        assert store.retrieve("note 2999 of many").context == found.context
    whole = perf_counter() - began
    assert opened < 1 or opened < whole / 5
    began = perf_counter()
    with MemoryStore.open(tmp_path, durability="relaxed", clock=lambda: NOW) as store:
        assert store.diagnostics().index_state == "ready"
    assert perf_counter() - began < max(1, whole / 5)


HEAVY = ("asyncio", "click", "email", "http", "multiprocessing", "rich", "socket", "sqlite3", "ssl")


def test_startup_of_an_import() -> None:
    """Under 150 ms of work, the best of five, and nothing heavy with it; the same for --help."""
    script = """
import sys, time
began = time.process_time()
import membound
from membound import MemoryStore
print(time.process_time() - began, *sys.modules)
"""
    words = [sys.executable, "-c", script]
    told = [subprocess.check_output(words, text=True, timeout=60).split() for _ in range(5)]
    assert not set(HEAVY) & set(told[0])
    assert min(float(seconds) for seconds, *_ in told) < 0.15
    command = [sys.executable, "-X", "importtime", "-m", "membound.cli", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "Usage: membound" in shown.stdout
    modules = {line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()}
    assert not modules & {"asyncio", "multiprocessing", "sqlite3"}


def test_telemetry(tmp_path: Path) -> None:
    script = """
import socket, sys, threading
def refuse(*args, **kwargs): raise AssertionError("network")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
from membound import MemoryStore
with MemoryStore.open(sys.argv[1] + "/s") as store:
    store.remember("the tram leaves at nine", scope="user")
    assert store.retrieve("tram").records
    assert threading.active_count() == 1
"""
    environment = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-c", script, tmp_path], env=environment, cwd=tmp_path, check=True
    )
    files = {path.name for path in (tmp_path / "s").iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == {"s"}
    ours = {"memory", "memory.lock", "memory.queue", "memory-index.sqlite3", "memory-settings.json"}
    assert files == ours
