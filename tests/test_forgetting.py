"""What is forgotten does not come back: tombstones and purges."""

from __future__ import annotations

import shutil
import signal
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryRecord, MemoryStore
from membound.errors import ConflictError, IndexSchemaError, NotFoundError
from tests.foreign import INDEX, python, sealed_sql, sql
from tests.stores import NOW, found

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAID = "Zebrafinke wohnt am Quittenweg"
SECRETS = ("zebrafinke", "Zebrafinke", "quittenweg", "gzeb", "wquitten", "斑马雀", "birdcage")


def tell(store: MemoryStore, id: str = "secret") -> MemoryRecord:
    """Remember a secret, with every place in which a record can keep words."""
    source = {"id": "s", "kind": "file", "trust": "observed", "excerpt": SAID, "locator": SAID}
    store.remember(
        f"{SAID} 斑马雀", scope="user", id=id, tags=["birdcage"], sources=[source], now=NOW
    )
    return store.update(id, content=f"{SAID} 2 斑马雀", now=NOW + timedelta(minutes=1))


def holding(folder: Path, *words: str) -> set[str]:
    """The files of a data folder in whose bytes one of the words stands."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {
        str(file.relative_to(folder))
        for file in files
        if any(word.encode() in file.read_bytes() for word in words)
    }


def filled(store: MemoryStore, count: int = 120) -> None:
    store.remember_many(
        [{"content": f"kiwi harvest {n}", "scope": "user", "id": f"k{n}"} for n in range(count)]
    )


def test_a_tombstone_says_nothing_and_restore_brings_all_back(
    store: MemoryStore, tmp_path: Path
) -> None:
    before = tell(store)
    tombstone = store.delete("secret", now=NOW)
    assert tombstone == store.get("secret")
    assert (tombstone.revision, tombstone.deleted_at) == (3, "2026-07-01T12:00:00.000Z")
    assert [entry.operation for entry in tombstone.history] == ["update", "forget"]
    assert holding(tmp_path / "store" / "memory", *SECRETS) == set()
    assert not any(word in str(list(store.export())) for word in SECRETS)
    assert found(store, SAID) == ()
    restored = store.restore("secret", now=NOW)
    assert restored.revision == 4
    assert (restored.content, restored.tags, restored.sources) == (
        before.content, before.tags, before.sources,
    )  # fmt: skip
    assert restored.history[0] == before.history[0]
    assert found(store, SAID) == ("secret",)
    assert holding(tmp_path / "store" / "memory-deleted", *SECRETS) == set()


def test_what_a_tombstone_of_elsewhere_said_cannot_be_restored(
    store: MemoryStore, tmp_path: Path
) -> None:
    tell(store)
    tombstone = store.delete("secret")
    with MemoryStore.open(tmp_path / "other", durability="relaxed") as other:
        other.import_records([tombstone])
        with pytest.raises(ConflictError, match="remember it anew"):
            other.restore("secret")
        assert other.get("secret") == tombstone


@pytest.mark.parametrize("deleted", [False, True], ids=["active", "deleted"])
def test_a_purge_leaves_no_byte_of_it_in_the_data_folder(
    store: MemoryStore, tmp_path: Path, *, deleted: bool
) -> None:
    folder = tmp_path / "store"
    filled(store)
    tell(store)
    tell(store, "other")
    (folder / "memory" / f".{'0' * 16}.tmp").write_text(SAID)  # of a writer that died
    if deleted:
        store.delete("secret")
    store.purge("other")
    assert "memory/secret.json" in holding(folder, *SECRETS) or deleted
    store.purge("secret")
    assert holding(folder, *SECRETS) == set()
    assert found(store, SAID) == ()
    assert len(found(store, "kiwi harvest")) == 8
    assert store.verify().ok


def test_a_purge_without_an_index_erases_it_from_one_that_is_there(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        filled(store, 3)
        tell(store)
    with MemoryStore.open(tmp_path, index=False, durability="relaxed") as store:
        store.purge("secret")
    assert holding(tmp_path, *SECRETS) == set()
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        assert len(found(store, "kiwi harvest")) == 3
        assert store.verify().ok


def test_a_purge_of_a_file_that_cannot_be_used_takes_it_from_the_reasons_too(
    tmp_path: Path,
) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        tell(store)
        (tmp_path / "memory" / "secret.json").write_text('{"id": "secret", "birdcage": ')
        (tmp_path / "memory" / "b.json").write_text('{"scope": "birdcage"}')
        store.verify()
        assert store.wait_until_ready(30)
        assert [one.file for one in store.diagnostics().quarantined] == ["b.json", "secret.json"]
        store.purge("secret")
        assert [one.file for one in store.diagnostics().quarantined] == ["b.json"]
        store.purge("b")
        assert store.diagnostics().quarantined == ()
        assert holding(tmp_path, *SECRETS) == set()


READ = """
import sys
from membound import MemoryStore
def pause(done, total):
    print(done, flush=True)
    sys.stdin.readline()
with MemoryStore.open(sys.argv[1]) as store:
    assert store.retrieve("Zebrafinke").records
    print("has read", flush=True)
    sys.stdin.readline()
    print(len(store.retrieve("Zebrafinke").records), len(store.retrieve("kiwi").records))
"""
SNAPSHOT = """
import sqlite3, sys
index = sqlite3.connect(sys.argv[1], isolation_level=None)
index.execute("BEGIN")
index.execute("SELECT count(*) FROM record").fetchall()
print("reads", flush=True)
sys.stdin.readline()
"""


def test_another_process_sees_a_purge_at_its_next_recall(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        filled(store)
        tell(store)
        with python(READ, tmp_path) as other:
            assert other.stdout is not None
            assert other.stdin is not None
            assert other.stdout.readline() == "has read\n"
            store.purge("secret")
            other.stdin.write("\n")
            other.stdin.flush()
            assert other.stdout.readline() == "0 8\n"
    assert holding(tmp_path, *SECRETS) == set()


def test_a_reader_that_holds_a_former_state_does_not_keep_a_purge_from_erasing(
    tmp_path: Path,
) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        filled(store)
        tell(store)
        with python(SNAPSHOT, tmp_path / INDEX) as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "reads\n"
            store.purge("secret")
            assert holding(tmp_path, *SECRETS) == set()
            reader.kill()
        assert store.wait_until_ready(30)
        assert len(found(store, "kiwi harvest")) == 8
        assert store.verify().ok


def test_a_purge_says_so_where_an_index_that_it_must_not_touch_may_hold_it(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        tell(store)
    sql(tmp_path, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 9999")
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        with pytest.raises(IndexSchemaError, match="9999"):
            store.purge("secret")
        assert holding(tmp_path, *SECRETS) == {INDEX}
        with pytest.raises(NotFoundError):
            store.get("secret")


PURGE = """
import sys
from membound import MemoryStore
with MemoryStore.open(sys.argv[1]) as store:
    print("open", flush=True)
    for n in range(int(sys.argv[2]), 100_000):
        store.purge(f"k{n}")
        print(n, flush=True)
"""


def test_a_purge_that_is_killed_is_finished_at_the_next_opening(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        filled(store, 400)
        for n in range(0, 400, 3):
            store.delete(f"k{n}")
    purged = -1
    for lines in (1, 3, 6, 9, 11):
        with python(PURGE, tmp_path, purged + 1) as purging:
            assert purging.stdout is not None
            read = [purging.stdout.readline() for _ in range(lines)]
            purging.send_signal(signal.SIGKILL)
            read += purging.stdout
            purged = max([purged, *(int(line) for line in read if line[0].isdigit())])
        with MemoryStore.open(tmp_path) as store:
            kept = {record.id for record in store.export()}
            assert kept.isdisjoint(f"k{n}" for n in range(purged + 1))
            first = min(int(id[1:]) for id in kept)
            assert first - purged in {1, 2}, "at most one was under way"
            gone = [f'"kiwi harvest {n}"' for n in range(first)]
            assert holding(tmp_path, *gone) == set()
            assert store.verify().ok
            purged = first - 1


BRINGING_BACK: dict[str, Callable[[Path, Path], object]] = {
    "a copy of its file": lambda folder, copy: shutil.copy(
        copy / "memory" / "secret.json", folder / "memory" / "secret.json"
    ),
    "its former index": lambda folder, copy: [
        shutil.copy(file, folder / file.name) for file in copy.glob(f"{INDEX}*")
    ],
}


@pytest.mark.parametrize("way", BRINGING_BACK)
def test_a_purged_record_is_not_brought_back(tmp_path: Path, way: str) -> None:
    folder, copy = tmp_path / "store", tmp_path / "copy"
    with MemoryStore.open(folder, durability="relaxed") as store:
        filled(store)
        made = tell(store)
    shutil.copytree(folder, copy)
    with MemoryStore.open(folder, durability="relaxed") as store:
        store.purge("secret")
    BRINGING_BACK[way](folder, copy)
    for index in (True, False):
        with MemoryStore.open(folder, index=index, durability="relaxed") as store:
            assert found(store, SAID) == ()
            assert not index or store.wait_until_ready(30)
            assert found(store, SAID) == ()
            assert store.import_records([made], on_conflict="replace").skipped == ("secret",)
            with pytest.raises(ConflictError, match="purged"):
                store.remember("a kiwi", scope="user", id="secret")
            with pytest.raises(ConflictError, match="purged"):
                store.remember_many(
                    [MemoryDraft("pear", scope="user", id=id) for id in ("x", "secret")]
                )
            assert found(store, SAID) == ()
    with MemoryStore.open(folder, durability="relaxed") as store:
        assert [one.file for one in store.verify().quarantined] == (
            ["secret.json"] if way == "a copy of its file" else []
        )
        if way == "a copy of its file":
            store.purge("secret")
        assert holding(folder, *SECRETS) == set()


FULL = """
import resource, signal, sys
from membound import MemoryStore
from membound.errors import IndexUnavailableError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with MemoryStore.open(sys.argv[1]) as store:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, most))
    try:
        store.purge("secret")
    except IndexUnavailableError:
        print("refused")
"""


def test_what_a_full_disk_kept_a_purge_from_erasing_goes_with_the_next_opening(
    tmp_path: Path,
) -> None:
    with MemoryStore.open(tmp_path) as store:
        filled(store)
        tell(store)
    with python(FULL, tmp_path) as purging:
        assert purging.stdout is not None
        assert purging.stdout.read() == "refused\n"
    assert holding(tmp_path / "memory", *SECRETS) == set()
    with MemoryStore.open(tmp_path) as store:
        assert store.wait_until_ready(30)
        assert found(store, SAID) == ()
    assert holding(tmp_path, *SECRETS) == set()


def test_what_was_set_aside_can_be_purged_without_its_tombstone(
    store: MemoryStore, tmp_path: Path
) -> None:
    tell(store)
    store.delete("secret")
    (tmp_path / "store" / "memory" / "secret.json").unlink()
    store.purge("secret")
    assert holding(tmp_path / "store" / "memory-deleted", *SECRETS) == set()
    with pytest.raises(NotFoundError):
        store.purge("secret")


def test_a_deleted_record_is_not_brought_back(store: MemoryStore, tmp_path: Path) -> None:
    made = tell(store)
    store.delete("secret")
    tombstone = (tmp_path / "store" / "memory" / "secret.json").read_bytes()
    for conflict in ("skip", "replace"):
        assert store.import_records([made], on_conflict=conflict).skipped == ("secret",)
    assert (tmp_path / "store" / "memory" / "secret.json").read_bytes() == tombstone
    for change in (store.disable, store.enable, partial(store.supersede, content="x")):
        with pytest.raises(ConflictError, match="restore it before"):
            change("secret")


@pytest.mark.parametrize("index", ["kept", "lost"])
def test_what_an_interrupted_deletion_set_aside_goes_with_the_next_opening(
    tmp_path: Path, index: str
) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        made = tell(store)
    # As a writer leaves it that dies between the two files.
    sealed_sql(tmp_path, "INSERT INTO intent (id) VALUES ('secret')")
    (tmp_path / "memory-deleted").mkdir()
    (tmp_path / "memory-deleted" / "secret.json").write_bytes(made.to_json())
    if index == "lost":
        (tmp_path / INDEX).unlink()
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        assert store.get("secret") == made
        assert holding(tmp_path / "memory-deleted", *SECRETS) == set()
