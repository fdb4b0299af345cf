"""What others do to the folder: hand edits, strange files, a broken index under an open store."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryStore, _core
from membound.backfill import Backfill
from membound.canonical import CanonicalStore
from membound.errors import CanonicalFileError, DuplicateIdError, IndexUnavailableError
from membound.writer import Writer
from tests.foreign import sql

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


def filled(folder: Path, count: int) -> Path:
    drafts = [MemoryDraft(f"kiwi harvest {n}", scope="user", id=f"m{n}") for n in range(count)]
    with MemoryStore.open(folder, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(drafts, now=NOW)
    return folder


def opened(folder: Path) -> MemoryStore:
    return MemoryStore.open(folder, clock=lambda: NOW, durability="relaxed")


def found(store: MemoryStore, query: str) -> set[str]:
    return set(store.retrieve(query).trace.selected_ids)


def settled(store: MemoryStore) -> MemoryStore:
    """Ask once, so that what is known to differ is looked for, and wait until it is found."""
    store.retrieve("kiwi")
    assert store.wait_until_ready(30)
    assert store.retrieve("kiwi").trace.mode == "sqlite-fts5"
    return store


def add(memory: Path) -> None:
    text = (memory / "m1.json").read_text("utf-8")
    (memory / "new.json").write_text(text.replace('"m1"', '"new"').replace("kiwi", "pear"))


def remove(memory: Path) -> None:
    (memory / "m1.json").unlink()


def edit_in_place(memory: Path) -> None:
    text = (memory / "m1.json").read_text("utf-8")
    (memory / "m1.json").write_text(text.replace("kiwi", "pear"))


def edit_as_editors_do(memory: Path) -> None:
    text = (memory / "m1.json").read_text("utf-8")
    (memory / "m1.json~").write_text(text.replace("kiwi", "pear"))
    (memory / "m1.json~").replace(memory / "m1.json")


def break_it(memory: Path) -> None:
    (memory / "m1.json").write_text('{"id": "m1"}')


# What recall for "kiwi" and "pear" gives after each edit, of the records m0, m1 and m2.
EDITS: dict[str, tuple[Callable[[Path], None], set[str], set[str]]] = {
    "added": (add, {"m0", "m1", "m2"}, {"new"}),
    "removed": (remove, {"m0", "m2"}, set()),
    "in place": (edit_in_place, {"m0", "m2"}, {"m1"}),
    "replaced": (edit_as_editors_do, {"m0", "m2"}, {"m1"}),
    "broken": (break_it, {"m0", "m2"}, set()),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_under_an_open_store_is_found_by_verify(tmp_path: Path, name: str) -> None:
    edit, kiwis, pears = EDITS[name]
    with opened(filled(tmp_path / "store", 3)) as store:
        edit(tmp_path / "store" / "memory")
        assert not store.verify().ok
        settled(store)
        assert (found(store, "kiwi"), found(store, "pear")) == (kiwis, pears)
        assert store.verify().ok == (name != "broken")
        named = [one.file for one in store.diagnostics().quarantined]
        assert named == (["m1.json"] if name == "broken" else [])


@pytest.mark.parametrize("name", EDITS.keys() - {"in place", "broken"})
@pytest.mark.parametrize("writes", [True, False], ids=["written after", "only edited"])
def test_files_that_came_or_went_are_found_at_the_next_opening(
    tmp_path: Path, name: str, *, writes: bool
) -> None:
    edit, kiwis, pears = EDITS[name]
    with opened(filled(tmp_path / "store", 3)) as store:
        edit(tmp_path / "store" / "memory")
        if writes:
            store.remember("walnut", scope="user")
    with opened(tmp_path / "store") as store:
        settled(store)
        assert (found(store, "kiwi"), found(store, "pear")) == (kiwis, pears)
        assert store.verify().ok


@pytest.mark.parametrize("name", EDITS.keys() - {"in place", "broken"})
def test_files_that_come_or_go_under_an_open_store_are_found_by_the_next_recall(
    tmp_path: Path, name: str
) -> None:
    edit, kiwis, pears = EDITS[name]
    with opened(filled(tmp_path / "store", 3)) as store:
        assert found(store, "kiwi") == {"m0", "m1", "m2"}
        edit(tmp_path / "store" / "memory")
        assert (found(store, "kiwi"), found(store, "pear")) == (kiwis, pears)
        assert store.wait_until_ready(30)
        assert store.retrieve("kiwi").trace.mode == "sqlite-fts5"
        assert (found(store, "kiwi"), found(store, "pear")) == (kiwis, pears)
        assert store.verify().ok


def test_a_store_without_an_index_is_heard_by_one_that_has_one(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 3)
    with opened(folder) as store, MemoryStore.open(folder, index=False) as other:
        other.delete("m1")
        other.remember("kiwi again", scope="user", id="n")
        assert found(store, "kiwi") == {"m0", "m2", "n"}
        assert store.wait_until_ready(30)
        assert found(store, "kiwi") == {"m0", "m2", "n"}


def test_a_file_that_is_repaired_is_used_again(tmp_path: Path) -> None:
    memory = filled(tmp_path / "store", 3) / "memory"
    good = (memory / "m1.json").read_bytes()
    with opened(tmp_path / "store") as store:
        (memory / "m1.json").write_bytes(good[:-20])
        assert [one.file for one in store.verify().quarantined] == ["m1.json"]
        with pytest.raises(CanonicalFileError, match=r"m1\.json"):
            store.get("m1")
        with pytest.raises(DuplicateIdError):
            store.remember("walnut", scope="user", id="m1")
        (memory / "m1.json").write_bytes(good)
        store.verify()
        settled(store)
        assert found(store, "kiwi") == {"m0", "m1", "m2"}
        assert store.diagnostics().quarantined == ()
        assert store.verify().ok


def test_what_changes_during_a_backfill_is_found_by_the_next_verify(tmp_path: Path) -> None:
    """Whatever a backfill that is under way has read of the file already."""
    memory = filled(tmp_path / "store", 3) / "memory"
    good = (memory / "m1.json").read_bytes()
    with opened(tmp_path / "store") as store:
        for _ in range(20):
            (memory / "m1.json").write_bytes(good[:-20])
            store.verify()
            (memory / "m1.json").write_bytes(good)
            store.verify()
            settled(store)
            assert found(store, "kiwi") == {"m0", "m1", "m2"}
            (memory / "m1.json").write_bytes(good.replace(b"kiwi", b"pear"))
            store.verify()
            (memory / "m1.json").write_bytes(good.replace(b"kiwi", b"plum"))
            store.verify()
            settled(store)
            assert (found(store, "pear"), found(store, "plum")) == (set(), {"m1"})
            (memory / "m1.json").write_bytes(good)
            store.verify()
            settled(store)


def test_a_file_repaired_while_the_index_is_filled_is_used(tmp_path: Path) -> None:
    memory = filled(tmp_path / "store", 3) / "memory"
    index = _core.Index.open(
        tmp_path / "store" / "memory-index.sqlite3", durable=False, tokenizer="v1"
    )
    canonical = CanonicalStore(memory, durable=False)
    backfill = Backfill(index, canonical, Writer(tmp_path / "lock", 5), anew=True)
    good = (memory / "m1.json").read_bytes()
    (memory / "m1.json").write_bytes(good[:-20])
    assert not backfill.step(2)
    (memory / "m1.json").write_bytes(good)
    (memory / "m2.json").write_bytes(good[:-20])
    assert backfill.step(2)
    assert index.ids() == ["m0", "m1"]
    (memory / "m2.json").unlink()
    assert Backfill(index, canonical, Writer(tmp_path / "lock", 5)).step(9)


def test_a_copy_is_named_and_its_original_stays(tmp_path: Path) -> None:
    memory = filled(tmp_path / "store", 3) / "memory"
    shutil.copy(memory / "m1.json", memory / "m1 copy.json")
    shutil.copy(memory / "m1.json", memory / "m7.json")
    with opened(tmp_path / "store") as store:
        settled(store)
        assert found(store, "kiwi") == {"m0", "m1", "m2"}
        assert [one.file for one in store.diagnostics().quarantined] == ["m1 copy.json", "m7.json"]
        assert "m1.json" in store.diagnostics().quarantined[0].reason
        store.purge("m7")
        assert store.get("m1").content == "kiwi harvest 1"


def test_links_and_folders_are_no_records(tmp_path: Path) -> None:
    memory = filled(tmp_path / "store", 3) / "memory"
    secret = tmp_path / "secret.json"
    secret.write_bytes((memory / "m1.json").read_bytes().replace(b'"m1"', b'"link"'))
    (memory / "link.json").symlink_to(secret)
    (memory / "folder.json").mkdir()
    with opened(tmp_path / "store") as store:
        settled(store)
        assert found(store, "kiwi") == {"m0", "m1", "m2"}
        for id in ("link", "folder"):
            with pytest.raises(CanonicalFileError, match=id):
                store.get(id)
            with pytest.raises(DuplicateIdError):
                store.remember("walnut", scope="user", id=id)
        store.purge("link")
        assert secret.exists()
        assert store.verify().ok


@pytest.mark.parametrize("table", ["meta", "intent", "record", "search_data", "search_config"])
@pytest.mark.parametrize("verb", ["retrieve", "wait_until_ready", "diagnostics", "verify"])
def test_a_table_lost_under_an_open_store_is_no_ones_error(
    tmp_path: Path, table: str, verb: str
) -> None:
    folder = filled(tmp_path / "store", 3)
    with opened(folder) as store:
        sql(folder, f"DROP TABLE {table}")
        getattr(store, verb)(*["kiwi"] * (verb == "retrieve"))
        assert found(store, "kiwi") == {"m0", "m1", "m2"}
        store.remember("pear", scope="user", id="p")
        assert found(store, "pear") == {"p"}
        assert len(store.list()) == 4


def test_damage_is_told_while_it_is_mended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = filled(tmp_path / "store", 900)
    (folder / "memory-index.sqlite3").write_text("not a database " * 1000)
    with caplog.at_level(logging.WARNING, logger="membound"), opened(folder) as store:
        state = store.diagnostics()
        if state.index_state == "backfilling":
            assert state.reason is not None
            assert "not what its checksum says" in state.reason
            assert state.backfill.scanned > 0
        assert "made anew" in caplog.text
        settled(store)
        assert store.diagnostics().reason is None


def test_a_backfill_goes_in_bounded_steps(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 500)
    (folder / "memory-index.sqlite3").unlink()
    with opened(folder) as store:
        first = store.retrieve("kiwi harvest")
        assert len(first.records) == 8
        assert first.trace.index_state in {"backfilling", "ready"}
        for _ in range(500):
            if store.backfill(1):
                break
        assert store.wait_until_ready(30)
        assert store.retrieve("kiwi harvest").context == first.context
        assert store.backfill(0)


def test_an_index_that_was_deleted_is_made_anew_under_an_open_store(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 3)
    with opened(folder) as store:
        for ending in ("", "-wal", "-shm"):
            (folder / f"memory-index.sqlite3{ending}").unlink(missing_ok=True)
        assert found(store, "kiwi") == {"m0", "m1", "m2"}
        settled(store)
        assert store.verify().ok


def test_readers_and_writers_go_on_while_the_index_is_rebuilt(tmp_path: Path) -> None:
    at_work, go_on = threading.Event(), threading.Event()

    def hold(_done: int, _total: int) -> None:
        at_work.set()
        go_on.wait(30)

    with opened(filled(tmp_path / "store", 100)) as store:
        rebuilding = threading.Thread(target=lambda: store.rebuild_index(progress=hold))
        rebuilding.start()
        assert at_work.wait(30)
        began = time.monotonic()
        assert len(store.retrieve("kiwi harvest").records) == 8
        assert len(store.list(limit=3)) == 3
        assert store.diagnostics().canonical_count == 100
        assert time.monotonic() - began < 3
        go_on.set()
        rebuilding.join(30)
        settled(store)


def test_without_an_index_its_verbs_are_refused(tmp_path: Path) -> None:
    with MemoryStore.open(filled(tmp_path / "store", 1), index=False) as store:
        for verb in (store.rebuild_index, store.backfill, store.wait_until_ready):
            with pytest.raises(IndexUnavailableError, match="index=False"):
                verb()
        assert store.verify().ok


READ_ONLY = """
import logging, os, sys
from membound import MemoryStore
from membound.errors import CanonicalFileError
if os.geteuid() == 0:
    os.setuid(65_534)  # the superuser may write anywhere
with MemoryStore.open(sys.argv[1]) as store:
    assert len(store.retrieve("kiwi").records) == 3, store.diagnostics()
    assert len(store.list()) == 3
    state = store.diagnostics()
    assert state.index_state == "degraded" and state.reason, state
    try:
        store.remember("walnut", scope="user")
    except CanonicalFileError as error:
        assert "permission" in str(error).lower(), error
    else:
        raise AssertionError("written")
"""


def test_a_folder_that_may_only_be_read_is_read() -> None:
    folder = Path(tempfile.mkdtemp())  # a path that other users may walk
    try:
        filled(folder / "store", 3)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        subprocess.run([sys.executable, "-c", READ_ONLY, folder / "store"], check=True)
        assert {path.stat().st_mode & 0o777 for path in folder.rglob("*")} == {0o555, 0o444}
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        shutil.rmtree(folder)


def test_a_file_that_was_repaired_in_place_is_found_without_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = filled(tmp_path / "store", 3)
    file = folder / "memory" / "m1.json"
    good = file.read_bytes()
    file.write_bytes(b"{")
    monkeypatch.setattr("membound.watch._PAUSE_SECONDS", 0.0)
    with opened(folder) as store:
        store.rebuild_index()
        assert store.retrieve("kiwi harvest").trace.selected_ids == ("m0", "m2")
        assert store.retrieve("kiwi harvest").trace.mode == "sqlite-fts5"
        file.write_bytes(good)
        assert len(store.retrieve("kiwi harvest").records) == 3
        assert store.wait_until_ready(30)
        assert store.verify().ok
