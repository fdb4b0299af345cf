"""Forks: what a child inherits harms nobody, and it may open the store anew."""

from __future__ import annotations

import os
import signal
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryStore, _core
from membound.writer import Writer
from tests.foreign import python

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


BESIDE = """
import os, sys
from membound import MemoryStore
store = MemoryStore.open(sys.argv[1])
store.remember("the launch code is walrus", scope="user", id="secret")
to_child, to_parent = os.pipe(), os.pipe()
child = os.fork()
if not child:
    mine = MemoryStore.open(sys.argv[1])
    assert mine.retrieve("launch code").trace.mode != "filesystem-fallback"
    os.write(to_parent[1], b"1")
    os.read(to_child[0], 1)
    mine.delete("secret")
    mine.remember("the child writes zulu", scope="user", id="zulu")
    os.write(to_parent[1], b"2")
    os.read(to_child[0], 1)
    assert mine.retrieve("parent writes yankee").trace.selected_ids[:1] == ("yankee",)
    assert mine.verify().ok
    os._exit(0)
os.read(to_parent[0], 1)
store.close()
store = MemoryStore.open(sys.argv[1])
os.write(to_child[1], b"1")
os.read(to_parent[0], 1)
assert store.retrieve("launch code walrus").trace.selected_ids == ()
assert store.retrieve("child writes zulu").trace.selected_ids == ("zulu",)
store.remember("the parent writes yankee", scope="user", id="yankee")
os.write(to_child[1], b"2")
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert store.verify().ok
"""


def test_a_child_that_opens_the_store_anew_and_its_parent_see_each_other(tmp_path: Path) -> None:
    with python(BESIDE, tmp_path) as parent:
        assert parent.wait(60) == 0


RECALL_IN_A_CHILD = """
import faulthandler, os, sys, threading, time
from membound import MemoryStore
folder = sys.argv[1]

def recall_in_a_child():
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(20, exit=True)
        with MemoryStore.open(folder, durability="relaxed", tokenizer="v1") as store:
            assert store.retrieve("kiwi").records
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""

AT_WORK = f"""{RECALL_IN_A_CHILD}
for turn in range(6):
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(f"{{folder}}/memory-index.sqlite3{{ending}}"):
            os.unlink(f"{{folder}}/memory-index.sqlite3{{ending}}")
    with MemoryStore.open(folder, durability="relaxed", tokenizer="v1"):
        time.sleep(0.01 + 0.01 * turn)
        recall_in_a_child()
"""


def test_a_fork_while_the_index_is_filled_hangs_nobody(tmp_path: Path) -> None:
    drafts = [MemoryDraft(f"kiwi {n} " + "pad " * 300, scope="user") for n in range(800)]
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(drafts, now=NOW)
    with python(AT_WORK, tmp_path) as parent:
        assert parent.wait(120) == 0


CHURN = f"""{RECALL_IN_A_CHILD}
at_work = True

def churn():
    while at_work:
        with MemoryStore.open(folder, durability="relaxed", tokenizer="v1") as store:
            assert store.retrieve("kiwi").records

threads = [threading.Thread(target=churn) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(20):
    recall_in_a_child()
at_work = False
for thread in threads:
    thread.join()
"""


def test_a_fork_while_threads_open_and_close_stores_hangs_nobody(tmp_path: Path) -> None:
    drafts = [MemoryDraft(f"kiwi {n}", scope="user") for n in range(50)]
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(drafts, now=NOW)
    with python(CHURN, tmp_path) as parent:
        assert parent.wait(120) == 0


def test_a_forked_child_does_not_give_the_right_to_write_away(tmp_path: Path) -> None:
    held = _core.WriterLock.try_acquire(tmp_path / "lock")
    child = os.fork()
    if not child:
        held = None
        os._exit(0)
    os.waitpid(child, 0)
    assert held is not None
    assert _core.WriterLock.try_acquire(tmp_path / "lock") is None
    held.release()
    assert _core.WriterLock.try_acquire(tmp_path / "lock") is not None


def test_a_child_that_lives_on_does_not_keep_the_right_to_write(tmp_path: Path) -> None:
    with Writer(tmp_path / "lock", 5).held():
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
    try:
        with Writer(tmp_path / "lock", 0.05).held():
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


FORK = """
import os, sys
from membound import MemoryStore
from membound.errors import StoreClosedError
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    store.remember("kiwi", scope="user", id="k")
    child = os.fork()
    if not child:
        refused = 0
        for verb in (store.list, store.diagnostics, store.verify, store.rebuild_index):
            try:
                verb()
            except StoreClosedError:
                refused += 1
        store.close()
        with MemoryStore.open(sys.argv[1]) as own:
            own.remember("pear", scope="user")
            assert own.retrieve("pear").records
        {how}
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    assert store.retrieve("pear").records and store.retrieve("kiwi").records
    store.update("k", content="walnut")
    assert store.retrieve("walnut").trace.mode != "filesystem-fallback"
    assert store.verify().ok
"""


@pytest.mark.parametrize("how", ["sys.exit(refused)", "os._exit(refused)", "del store; exit(4)"])
def test_however_a_forked_child_ends_the_parent_goes_on(tmp_path: Path, how: str) -> None:
    with python(FORK.replace("{how}", how), tmp_path) as parent:
        assert parent.wait(30) == 0
    with MemoryStore.open(tmp_path) as store:
        assert store.verify().ok
