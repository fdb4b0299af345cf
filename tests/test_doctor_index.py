"""The doctor and the index: it is looked at as it lies there, and made anew when asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore
from tests.examined import advised, made, mended, only, wrong
from tests.foreign import INDEX, python, sealed_sql, sql
from tests.stores import NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made(tmp_path / "store")


INDEXES: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "it is no SQLite file": ("index", "problem", lambda f: (f / INDEX).write_bytes(b"x" * 9_000)),
    "it is cut": ("index", "problem", lambda f: os.truncate(f / INDEX, 9_000)),
    "it is gone": ("index", "warning", lambda f: (f / INDEX).unlink()),
    "a row is gone": (
        "index",
        "problem",
        lambda f: sealed_sql(f, "DELETE FROM record WHERE id = 'a'"),
    ),
    "a count is wrong": (
        "index",
        "problem",
        lambda f: sealed_sql(f, "UPDATE census SET records = 9"),
    ),
    "it is older": ("versions", "problem", lambda f: sql(f, "PRAGMA user_version = 0")),
    "its tokenizer is older": (
        "versions",
        "problem",
        lambda f: sealed_sql(f, "UPDATE meta SET value = 'v0' WHERE name = 'tokenizer'"),
    ),
    "it is not complete": (
        "index",
        "warning",
        lambda f: sealed_sql(f, "DELETE FROM meta WHERE name = 'complete'"),
    ),
    "a change is not finished": (
        "index",
        "warning",
        lambda f: sealed_sql(f, "INSERT INTO intent VALUES ('a')"),
    ),
}


@pytest.mark.parametrize("fault", INDEXES)
def test_an_index_that_is_wrong_is_made_anew(folder: Path, fault: str) -> None:
    check, severity, damage = INDEXES[fault]
    damage(folder)
    found = mended(folder)
    assert (found.check, found.severity) == (check, severity)
    with MemoryStore.open(folder) as store:
        assert store.retrieve("kiwi", now=NOW).trace.mode == "sqlite-fts5"
        assert len(store.retrieve("kiwi", now=NOW).records) == 3


def test_a_file_that_was_edited_in_place_is_named(folder: Path) -> None:
    file = folder / "memory" / "b.json"
    file.write_text(file.read_text().replace("kiwi", "pear"))
    found = mended(folder)
    assert (found.check, found.names) == ("index", ("b",))
    with MemoryStore.open(folder) as store:
        assert store.retrieve("pear", now=NOW).trace.selected_ids == ("b",)


FOREIGN = {
    "a newer schema": ("versions", "PRAGMA user_version = 99"),
    "another program": ("index", "PRAGMA application_id = 7"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_an_index_that_is_not_ours_to_touch_is_left_as_it_is(folder: Path, kind: str) -> None:
    check, script = FOREIGN[kind]
    sql(folder, script)
    before = (folder / INDEX).read_bytes()
    found = advised(folder)
    assert (found.check, found.severity) == (check, "problem")
    assert (folder / INDEX).read_bytes() == before
    (folder / INDEX).unlink()
    assert only(folder, fix=True).fixed
    assert wrong(folder) == []


GROW = """
import os, signal, sqlite3, sys
index = sqlite3.connect(sys.argv[1], isolation_level=None)
index.execute("PRAGMA wal_autocheckpoint = 0")
index.execute("INSERT INTO meta VALUES ('large', hex(zeroblob(9000000)))")
index.execute("DELETE FROM meta WHERE name = 'large'")
os.kill(os.getpid(), signal.SIGKILL)
"""
HOLD = """
import sqlite3, sys
index = sqlite3.connect(sys.argv[1])
index.execute("BEGIN")
index.execute("SELECT count(*) FROM record").fetchone()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def grown(folder: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A store whose log has grown behind a long read, which is still going on."""
    words = [sys.executable, "-c", HOLD, str(folder / INDEX)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"held\n"
        with python(GROW, folder / INDEX) as writer:
            assert writer.wait() == -signal.SIGKILL
        yield folder, reader
        reader.kill()


def test_a_log_that_grew_is_brought_in_when_its_readers_are_gone(
    grown: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    folder, reader = grown
    log = folder / f"{INDEX}-wal"
    found = {one.check: one for one in wrong(folder, fix=True)}
    assert (found["log"].severity, found["log"].fixed) == ("warning", False)
    assert "close it" in found["log"].advice
    assert log.stat().st_size > 16 * 2**20
    reader.kill()
    reader.wait()
    found = {one.check: one for one in wrong(folder, fix=True)}
    assert found["log"].fixed
    assert wrong(folder) == []


WRITE = """
import sys
from membound import MemoryStore
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    print("begun", flush=True)
    for n in range(150):
        store.update("a", content=f"kiwi {n}")
        store.purge(store.remember(f"walnut {n}", scope="user").id)
"""


def test_a_writer_at_work_is_no_fault(folder: Path) -> None:
    looks = 0
    with python(WRITE, folder) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        while writer.poll() is None:
            problems = [one for one in wrong(folder) if one.severity == "problem"]
            assert problems == []
            looks += 1
    assert writer.returncode == 0
    assert looks > 1
    assert wrong(folder) == []
