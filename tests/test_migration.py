"""Stores of every released schema open with what they hold, and their former index is kept."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

import pytest

from membound import MemoryDraft, MemoryStore, _core
from tests.damages import answers
from tests.foreign import INDEX, python, sql
from tests.golden_store import NOW

STORES = Path("fixtures/stores")
RELEASED = sorted(path.name for path in STORES.iterdir() if path.is_dir())
OLDER = RELEASED[: _core.index_schema_version - 1]
FORMER = "memory-index.schema-1.sqlite3"


def opened(folder: Path, *, index: bool = True) -> MemoryStore:
    return MemoryStore.open(folder, clock=lambda: NOW, index=index, durability="relaxed")


def copied(name: str, folder: Path) -> Path:
    shutil.copytree(STORES / name, folder)
    return folder


def grown(folder: Path, count: int) -> Path:
    """A store of schema 1 with more files than one step looks at."""
    copied("schema-1", folder)
    with opened(folder, index=False) as store:
        store.remember_many(
            [MemoryDraft(f"kiwi harvest {n}", scope="user", id=f"k{n}") for n in range(count)]
        )
    return folder


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_store_opens_in_one_go_with_all_it_holds(tmp_path: Path, name: str) -> None:
    folder = copied(name, tmp_path / "store")
    files = {path.name: path.read_bytes() for path in (folder / "memory").iterdir()}
    with opened(folder, index=False) as store:
        expected = answers(store)
        records = list(store.export())
    assert len(records) == len(files)
    with opened(folder) as store:
        assert store.diagnostics().index_schema_version == _core.index_schema_version
        assert store.retrieve("deploy helm").trace.mode == "sqlite-fts5"
        assert answers(store) == expected
        assert list(store.export()) == records
        assert store.verify().ok
    assert {path.name: path.read_bytes() for path in (folder / "memory").iterdir()} == files


@pytest.mark.parametrize("name", OLDER)
def test_the_former_index_is_kept_until_it_is_to_be_forgotten(tmp_path: Path, name: str) -> None:
    folder = copied(name, tmp_path / "store")
    former = (folder / INDEX).read_bytes()
    kept = folder / f"memory-index.{name}.sqlite3"
    kept.write_bytes(b"of an earlier time")
    opened(folder).close()
    assert kept.read_bytes() == former
    assert kept.stat().st_mode & 0o777 == 0o600
    with opened(folder) as store:
        store.rebuild_index()
    assert kept.read_bytes() == former
    with opened(folder) as store:
        store.purge("en-0")
    assert not kept.exists()


def test_what_is_left_in_the_log_of_an_older_index_is_kept_too(tmp_path: Path) -> None:
    folder = copied("schema-1", tmp_path / "store")
    with python(LEAVES_A_LOG, folder / INDEX) as writer:
        writer.wait()
    assert (folder / f"{INDEX}-wal").stat().st_size > 0
    opened(folder).close()
    with python(READS, folder / FORMER) as reader:
        assert reader.stdout is not None
        assert reader.stdout.read() == "left in the log"


LEAVES_A_LOG = """
import os, sqlite3, sys
index = sqlite3.connect(sys.argv[1])
index.execute("INSERT INTO meta (name, value) VALUES ('x', 'left in the log')")
index.commit()
os._exit(0)
"""
READS = """
import sqlite3, sys
index = sqlite3.connect(sys.argv[1])
print(index.execute("SELECT value FROM meta WHERE name = 'x'").fetchone()[0], end="")
index.close()
"""


@pytest.mark.parametrize("name", OLDER)
def test_an_older_index_that_cannot_be_kept_is_left_alone(tmp_path: Path, name: str) -> None:
    folder = copied(name, tmp_path / "store")
    former = (folder / INDEX).read_bytes()
    (folder / f"memory-index.{name}.sqlite3" / "in the way").mkdir(parents=True)
    with opened(folder) as store:
        assert store.retrieve("deploy helm").trace.selected_ids == ("chain-3",)
        assert store.diagnostics().index_state == "degraded"
    assert (folder / INDEX).read_bytes() == former


OPENS = """
import sys
from membound import MemoryStore
print("ready", flush=True)
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    store.wait_until_ready(60)
    print("done", flush=True)
"""


def test_a_migration_that_is_killed_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    folder = grown(tmp_path / "store", 300)
    former = (folder / INDEX).read_bytes()
    with opened(folder, index=False) as store:
        expected = answers(store)
    for kill in range(10):
        for path in folder.glob("memory-index*"):
            path.unlink()
        (folder / INDEX).write_bytes(former)
        with python(OPENS, folder) as opening:
            assert opening.stdout is not None
            opening.stdout.readline()
            # Every other one is killed while the new index is being filled, whatever the machine.
            while kill % 2 and opening.poll() is None and not (folder / FORMER).exists():
                time.sleep(0.001)
            time.sleep(0.002 * kill)
            opening.send_signal(signal.SIGKILL)
        kept = FORMER if (folder / FORMER).exists() else INDEX
        assert (folder / kept).read_bytes() == former
        assert kept == FORMER or not kill % 2
        with opened(folder) as store:
            assert answers(store) == expected
            assert store.wait_until_ready(60)
            assert answers(store) == expected
            assert store.verify().ok
        assert (folder / FORMER).read_bytes() == former


@pytest.mark.parametrize("step", ["kept", "kept, its log not yet removed", "empty", "no rows yet"])
def test_a_migration_that_stopped_between_two_steps_goes_on(tmp_path: Path, step: str) -> None:
    folder = grown(tmp_path / "store", 100)
    former = (folder / INDEX).read_bytes()
    with opened(folder, index=False) as store:
        expected = answers(store)
    if step == "kept, its log not yet removed":
        with python(LEAVES_A_LOG, folder / INDEX) as writer:
            writer.wait()
    (folder / INDEX).rename(folder / FORMER)
    if step == "empty":
        (folder / INDEX).touch(0o600)
    if step == "no rows yet":
        _core.Index.open(folder / INDEX, durable=False, tokenizer="v1")
    with opened(folder) as store:
        assert answers(store) == expected
        assert store.wait_until_ready(60)
        assert answers(store) == expected
        assert store.verify().ok
    assert (folder / FORMER).read_bytes() == former


@pytest.mark.parametrize("log", [False, True], ids=["closed", "with a log"])
def test_a_newer_schema_is_refused_with_both_versions_and_left_alone(
    tmp_path: Path, *, log: bool
) -> None:
    folder = copied("schema-1", tmp_path / "store")
    opened(folder).close()
    if log:
        with python(LEAVES_A_NEWER_LOG, folder / INDEX) as writer:
            writer.wait()
    else:
        sql(folder, "PRAGMA user_version = 9999")
    names = [INDEX, f"{INDEX}-wal"] if log else [INDEX]
    before = {name: (folder / name).read_bytes() for name in names}
    with opened(folder) as store:
        assert store.retrieve("deploy helm").trace.selected_ids == ("chain-3",)
        reason = store.diagnostics().reason or ""
        assert "9999" in reason
        assert str(_core.index_schema_version) in reason
        store.remember("walnut", scope="user")
        assert store.retrieve("walnut").records
    assert {name: (folder / name).read_bytes() for name in names} == before


LEAVES_A_NEWER_LOG = """
import os, sqlite3, sys
index = sqlite3.connect(sys.argv[1])
index.execute("PRAGMA user_version = 9999")
os._exit(0)
"""
