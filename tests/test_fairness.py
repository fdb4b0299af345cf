"""The right to write goes round: nobody starves while others write and rebuild without a pause."""

from __future__ import annotations

import os
import signal
import threading
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore, _core
from membound.errors import StoreBusyError
from membound.fair_lock import FairLock
from membound.writer import Writer
from tests.foreign import python

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
SECONDS = float(os.environ.get("MEMBOUND_SECONDS", "4"))


def started(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_threads_get_a_fair_lock_in_the_order_in_which_they_ask() -> None:
    lock = FairLock()
    came: list[int] = []

    def work(number: int) -> None:
        with lock:
            came.append(number)

    threads = []
    with lock:
        for number in range(8):
            threads.append(started(partial(work, number)))
            time.sleep(0.05)
    # Whoever gives it up and wants it back at once is the last.
    with lock:
        came.append(8)
    for thread in threads:
        thread.join()
    assert came == list(range(9))


def test_a_fair_lock_is_taken_again_by_its_holder_and_waited_for_in_vain_by_others() -> None:
    lock = FairLock()
    got: list[bool] = []
    with lock, lock:
        assert lock.acquire(timeout=0)
        lock.release()
        started(lambda: got.append(lock.acquire(timeout=0.05))).join()
        started(lambda: got.append(lock.acquire(timeout=0))).join()
    started(lambda: got.append(lock.acquire(timeout=0))).join()
    assert got == [False, False, True]


INTERRUPTED = """
import signal, threading, time
from membound.fair_lock import FairLock
lock = FairLock()
held, done = threading.Event(), threading.Event()
def hold():
    with lock:
        held.set()
        done.wait()
def refuse(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, refuse)
thread = threading.Thread(target=hold)
thread.start()
held.wait()
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    lock.acquire()
except KeyboardInterrupt:
    done.set()
    assert lock.acquire(timeout=20), "it was given to a thread that waits no more"
else:
    raise SystemExit(1)
"""


def test_a_wait_that_is_interrupted_keeps_nobody_from_the_lock() -> None:
    with python(INTERRUPTED) as waiting:
        assert waiting.wait(60) == 0


BUSY = """
import sys, threading, time
from membound import MemoryStore
from membound.errors import StoreBusyError
ended = threading.Event()
faults = []

def work(store):
    try:
        while not ended.is_set():
            store.remember("kiwi", scope="user")
            store.rebuild_index()
    except StoreBusyError as fault:
        faults.append(fault)

with MemoryStore.open(sys.argv[1], durability="relaxed", tokenizer="v1") as store:
    threads = [threading.Thread(target=work, args=(store,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    print("started", flush=True)
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
sys.exit(len(faults))
"""


def test_a_process_is_not_starved_by_another_one_that_never_pauses(tmp_path: Path) -> None:
    made = 0
    longest = 0.0
    with python(BUSY, tmp_path) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "started\n"
        with MemoryStore.open(tmp_path, durability="relaxed") as store:
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                began = time.monotonic()
                store.remember("pear", scope="user", now=NOW)
                longest = max(longest, time.monotonic() - began)
                made += 1
        assert other.stdin is not None
        other.stdin.close()
        assert other.wait(60) == 0
    print(f"{made} writes, the longest {longest * 1e3:.0f} ms")  # noqa: T201 — seen with -s
    assert made > 3
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        assert len(store.retrieve("pear", now=NOW, limit=64).trace.rankings) == min(made, 64)
        assert store.verify().ok


QUEUE = """
import sys
from pathlib import Path
from membound.writer import Writer
with Writer(Path(sys.argv[1]), 30).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_writer_that_comes_back_does_not_overtake_who_waits(tmp_path: Path) -> None:
    path = tmp_path / "memory.lock"
    writer = Writer(path, 30)
    with writer.held():
        waiting = python(QUEUE, path)
        # The other process has queued: nobody else gets in line.
        while (queue := _core.WriterLock.try_acquire(tmp_path / "memory.queue")) is not None:
            queue.release()
            time.sleep(0.01)
    with pytest.raises(StoreBusyError), writer.held(timeout=0):
        pass
    with waiting:
        assert waiting.stdout is not None
        assert waiting.stdin is not None
        assert waiting.stdout.readline() == "held\n"
        waiting.stdin.close()
        assert waiting.wait(60) == 0
    with writer.held():
        assert (tmp_path / "memory.queue").stat().st_mode & 0o777 == 0o600


def test_a_recall_does_not_wait_for_a_rebuild_that_waits_for_a_writer(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        store.remember("kiwi", scope="user", id="k", now=NOW)
        with python(QUEUE, tmp_path / "memory.lock") as writing:
            assert writing.stdout is not None
            assert writing.stdout.readline() == "held\n"
            rebuilding = started(store.rebuild_index)
            time.sleep(0.2)
            # By hand, so that the recall finds the index behind the files.
            by_hand = (tmp_path / "memory" / "k.json").read_text().replace('"k"', '"pear"')
            (tmp_path / "memory" / "pear.json").write_text(by_hand)
            began = time.monotonic()
            assert len(store.retrieve("kiwi", now=NOW).records) == 1
            assert time.monotonic() - began < 2
            writing.kill()
        rebuilding.join()
        assert store.retrieve("kiwi", now=NOW).trace.mode == "sqlite-fts5"
        assert store.verify().checked == 2


def test_a_busy_store_tells_how_long_was_really_waited(tmp_path: Path) -> None:
    with Writer(tmp_path / "lock", 5).held():
        for timeout in (0.0, 0.3):
            began = time.monotonic()
            with pytest.raises(StoreBusyError) as caught, Writer(tmp_path / "lock", timeout).held():
                pass
            assert timeout <= caught.value.waited_seconds <= time.monotonic() - began


def test_the_copy_of_a_child_does_not_outlast_a_holder_that_is_killed(tmp_path: Path) -> None:
    holder = os.fork()
    if not holder:
        with Writer(tmp_path / "lock", 5).held():
            child = os.fork()
            if child:
                (tmp_path / "child").write_text(str(child))
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)
            os._exit(0)
    os.waitpid(holder, 0)
    child = int((tmp_path / "child").read_text())
    try:
        with Writer(tmp_path / "lock", 5).held():
            pass
    finally:
        os.kill(child, signal.SIGKILL)
