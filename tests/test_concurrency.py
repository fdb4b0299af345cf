"""Much at once: a writer that does not yield, rebuilds beside openings and writes, kills."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryStore, _core
from membound.errors import CanonicalFileError, StoreBusyError
from tests.foreign import python

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)

HOLD = """
import sys, time
from membound import MemoryDraft, MemoryStore
def hold(done, total):
    print(done, flush=True)
    time.sleep(float(sys.argv[2]))
with MemoryStore.open(sys.argv[1]) as store:
    store.remember_many([MemoryDraft("walnut", scope="user")], progress=hold)
"""


def test_a_writer_that_does_not_yield_blocks_writers_only(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path) as store, python(HOLD, tmp_path, 9) as holder:
        store.remember("kiwi", scope="user", now=NOW)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "1\n"
        began = time.monotonic()
        for _ in range(20):
            assert len(store.retrieve("kiwi", now=NOW).records) == 1
        with MemoryStore.open(tmp_path) as other:
            assert len(other.retrieve("kiwi", now=NOW).records) == 1
        assert time.monotonic() - began < 2
        with pytest.raises(StoreBusyError, match=r"for \d+\.\d s; try again") as caught:
            store.remember("pear", scope="user")
        assert 5 <= caught.value.waited_seconds < 9
        holder.kill()
        holder.wait()
        store.remember("pear", scope="user", now=NOW)
        assert len(store.retrieve("pear", now=NOW).records) == 1


def test_a_rebuild_that_must_not_write_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membound.session.BUSY_SECONDS", 0.05)
    drafts = [MemoryDraft(f"kiwi {n}", scope="user") for n in range(300)]
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(drafts, now=NOW)
    (tmp_path / "memory-index.sqlite3").unlink()
    with python(HOLD, tmp_path, 1) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with MemoryStore.open(tmp_path, durability="relaxed") as store:
            with pytest.raises(StoreBusyError):
                store.rebuild_index()
            assert store.diagnostics().index_state == "backfilling"
            assert len(store.retrieve("kiwi", now=NOW).records) == 8
            assert store.wait_until_ready(30)
            assert store.retrieve("kiwi", now=NOW).trace.mode == "sqlite-fts5"


REBUILD = """
import sys
from membound import MemoryStore
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    for _ in range(200):
        store.rebuild_index()
        assert store.retrieve("kiwi").records, store.diagnostics()
"""


def test_a_rebuild_and_an_opening_do_not_meet(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember("kiwi", scope="user", now=NOW)
    with python(REBUILD, tmp_path) as rebuilding:
        while rebuilding.poll() is None:
            with MemoryStore.open(tmp_path, durability="relaxed") as store:
                assert len(store.retrieve("kiwi", now=NOW).records) == 1
        assert rebuilding.returncode == 0


def test_a_rebuild_inside_a_write_loses_nothing(tmp_path: Path) -> None:
    drafts = [MemoryDraft(f"kiwi {n}", scope="user", id=f"k{n}") for n in range(4)]
    with MemoryStore.open(tmp_path, durability="relaxed") as store:

        def rebuild(done: int, _total: int) -> None:
            if done == 2:
                store.rebuild_index()

        store.remember_many(drafts, now=NOW, progress=rebuild)
        assert len(store.retrieve("kiwi", now=NOW).records) == 4
        assert store.wait_until_ready(30)
        assert len(store.retrieve("kiwi", now=NOW).records) == 4
        assert store.verify().ok


FULL = """
import resource, signal, sys
from membound import MemoryStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with MemoryStore.open(sys.argv[1]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    assert store.delete("k0").deleted_at
    assert store.diagnostics().index_state == "degraded"
"""


def test_what_a_writer_without_a_working_index_deleted_is_gone_for_all(tmp_path: Path) -> None:
    drafts = [MemoryDraft(f"kiwi {n} " + "x " * 300, scope="user", id=f"k{n}") for n in range(200)]
    with MemoryStore.open(tmp_path) as store:
        store.remember_many(drafts, now=NOW)
        assert store.retrieve("kiwi 0", limit=64, now=NOW).records
        with python(FULL, tmp_path) as writer:
            assert writer.wait(30) == 0
        for _ in range(3):
            found = store.retrieve("kiwi 0", now=NOW).trace
            assert "k0" not in {ranking.memory_id for ranking in found.rankings}
        assert store.wait_until_ready(30)
        assert store.retrieve("kiwi 0", now=NOW).trace.mode == "sqlite-fts5"


def test_a_lock_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(CanonicalFileError) as caught:
        _core.WriterLock.try_acquire(tmp_path)
    assert (caught.value.path, caught.value.action) == (str(tmp_path), "lock")


def test_a_writer_waits_for_one_that_yields(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path) as store, python(HOLD, tmp_path, 0.5) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        store.remember("kiwi", scope="user", now=NOW)
        assert len(store.list()) == 2


STEPS = """
import json, random, sys
from membound import MemoryStore
chance = random.Random(sys.argv[2])
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    ids = [record.id for record in store.list()]
    for n in range(100_000):
        verb = chance.choice(["remember", "update", "delete", "restore", "purge"])
        if verb == "remember" or not ids:
            made = store.remember(f"kiwi {n}", scope="user")
            ids.append(made.id)
        else:
            id = chance.choice(ids)
            if verb == "purge":
                print(json.dumps([id, None]), flush=True)
                store.purge(id)
                ids.remove(id)
                continue
            if verb == "update" and store.get(id).deleted_at:
                continue
            made = store.update(id, content=f"walnut {n}") if verb == "update" else getattr(store, verb)(id)
        print(json.dumps([made.id, made.revision]), flush=True)
"""  # noqa: E501 — the script's own line


def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    chance = random.Random("kills")
    acknowledged: dict[str, int | None] = {}
    for kill in range(25):
        with python(STEPS, tmp_path, kill) as writer:
            assert writer.stdout is not None
            lines = [writer.stdout.readline()]
            time.sleep(chance.uniform(0, 0.05))
            writer.kill()
            lines += writer.stdout
        acknowledged |= dict(json.loads(line) for line in lines if line.endswith("\n"))
        with MemoryStore.open(tmp_path, durability="relaxed") as store:
            assert store.wait_until_ready(30)
            kept = {record.id: record.revision for record in store.export()}
            for id, revision in acknowledged.items():
                # A purge is told before it happens, so that either outcome is right.
                assert revision is None or kept[id] >= revision
            report = store.verify()
            assert (report.ok, report.checked) == (True, len(kept))
    assert len(acknowledged) > 15


def test_the_import_is_short() -> None:
    words = [sys.executable, "-X", "importtime", "-c", "import membound; membound.MemoryStore"]
    shown = subprocess.run(words, capture_output=True, encoding="utf-8", check=True).stderr
    last = [line for line in shown.splitlines() if re.search(r"\| +membound", line)]
    total = sum(int(line.split("|")[0].removeprefix("import time:")) for line in last)
    print(f"the package's own modules take {total / 1e3:.1f} ms to import")  # noqa: T201 — seen with -s
    assert total < 500_000
