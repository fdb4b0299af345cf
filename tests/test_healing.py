"""What damage and hand edits do: recall stays right, and the index is healed."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryRecord, MemoryStore, _core
from membound.canonical import CanonicalStore
from membound.errors import IndexDamagedError
from membound.index_file import IndexFile
from membound.projection import Projection
from membound.writer import Writer
from tests.foreign import INDEX, python, sealed_sql, sql

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


def index_of(folder: Path) -> Path:
    return folder / INDEX


def filled(folder: Path, count: int = 200) -> Path:
    drafts = [MemoryDraft(f"kiwi harvest {n}", scope="user", id=f"m{n}") for n in range(count)]
    with MemoryStore.open(folder, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(drafts, now=NOW)
    return folder


def test_a_cold_start_never_gives_an_empty_answer(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 600)
    index_of(folder).unlink()
    with MemoryStore.open(folder, durability="relaxed") as store:
        first = store.retrieve("kiwi harvest", now=NOW)
        assert len(first.records) == 8
        assert store.wait_until_ready(60)
        again = store.retrieve("kiwi harvest", now=NOW)
        assert again.trace.mode == "sqlite-fts5"
        assert (again.context, again.trace.filtered) == (first.context, first.trace.filtered)


def flip(at: int) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        data = bytearray(index_of(folder).read_bytes())
        data[at : at + 64] = bytes(255 - byte for byte in data[at : at + 64])
        index_of(folder).write_bytes(data)

    return damage


DAMAGE: dict[str, Callable[[Path], object]] = {
    "header": flip(0),
    "empty": lambda folder: index_of(folder).write_bytes(b""),
    "half": lambda folder: index_of(folder).write_bytes(index_of(folder).read_bytes()[:9_000]),
    "text": lambda folder: index_of(folder).write_text("not a database " * 1_000),
    "words": lambda folder: sql(folder, "DROP TABLE search_data"),
    "rows": lambda folder: sql(folder, "DROP TABLE census"),
    "tokenizer": lambda folder: sealed_sql(
        folder, "UPDATE meta SET value='v0' WHERE name='tokenizer'"
    ),
    "schema": lambda folder: sql(folder, "PRAGMA user_version = 0"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_healed_without_restart(tmp_path: Path, damage: str) -> None:
    folder = filled(tmp_path / "store")
    DAMAGE[damage](folder)
    with MemoryStore.open(folder, durability="relaxed") as store:
        for _ in range(3):
            assert len(store.retrieve("kiwi harvest 7", now=NOW).records) == 8
        deadline = time.monotonic() + 30
        while not store.wait_until_ready(5) and time.monotonic() < deadline:
            store.retrieve("kiwi", now=NOW)
        assert store.retrieve("kiwi harvest 7", now=NOW).trace.mode == "sqlite-fts5"
        assert store.verify().ok


def test_a_failing_index_that_was_replaced_takes_no_other_out_of_use(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 3)
    projection = Projection(
        IndexFile(index_of(folder), durable=False, tokenizer=lambda: "v1"),
        CanonicalStore(folder / "memory", durable=False),
        Writer(folder / "memory.lock", 5),
    )
    projection.open()

    def fail_after_a_rebuild(_index: _core.Index) -> None:
        projection.rebuild()
        reason = "pages of the former file"
        raise IndexDamagedError(reason)

    assert projection.ask(fail_after_a_rebuild) is None
    assert (projection.state, projection.reason) == ("ready", None)
    assert projection.ask(_core.Index.ids) == ["m0", "m1", "m2"]
    projection.close()


def test_damage_under_an_open_store_is_answered_from_the_files(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store")
    with MemoryStore.open(folder, durability="relaxed") as store:
        sql(folder, "DROP TABLE search_data")
        for _ in range(5):
            assert len(store.retrieve("kiwi harvest 7", now=NOW).records) == 8
        assert store.wait_until_ready(30)
        assert store.retrieve("kiwi harvest 7", now=NOW).trace.mode == "sqlite-fts5"


@pytest.mark.parametrize(
    ("script", "reason"),
    [("PRAGMA user_version = 9999", "9999"), ("PRAGMA application_id = 7", "another program")],
    ids=["newer", "foreign"],
)
def test_a_file_that_is_not_ours_is_named_and_left_alone(
    tmp_path: Path, script: str, reason: str
) -> None:
    folder = filled(tmp_path / "store")
    sql(folder, f"PRAGMA journal_mode = DELETE; {script}")
    before = index_of(folder).read_bytes()
    with MemoryStore.open(folder, durability="relaxed") as store:
        result = store.retrieve("kiwi harvest 7", now=NOW)
        assert len(result.records) == 8
        assert result.trace.mode == "filesystem-fallback"
        state = store.diagnostics()
        assert state.index_state == "degraded"
        assert state.reason is not None
        assert reason in state.reason
        store.remember("walnut", scope="user", now=NOW)
        assert store.retrieve("walnut", now=NOW).records
    assert index_of(folder).read_bytes() == before


def test_files_that_came_from_outside_are_found(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 5)
    memory = folder / "memory"
    with MemoryStore.open(folder, durability="relaxed") as store:
        made = MemoryRecord.from_dict({**store.get("m1").to_dict(), "id": "x", "content": "pear"})
        (memory / "x.json").write_bytes(made.to_json())
        store.remember("walnut", scope="user", now=NOW)
        assert store.wait_until_ready(30)
        assert store.retrieve("pear", now=NOW).trace.selected_ids == ("x",)
        (memory / "x.json").unlink()
        (memory / "m1.json").write_bytes(made.to_json().replace(b'"x"', b'"m1"'))
        report = store.verify()
        assert (report.orphaned, report.stale) == (("x",), ("m1",))
        store.retrieve("pear", now=NOW)
        assert store.wait_until_ready(30)
        assert store.retrieve("pear", now=NOW).trace.selected_ids == ("m1",)
        assert store.verify().ok


def test_a_file_that_cannot_be_used_is_named_and_hides_nothing(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 5)
    memory = folder / "memory"
    good = (memory / "m1.json").read_bytes()
    (memory / "copy.json").write_bytes(good)
    (memory / "broken.json").write_text("{")
    (memory / "list.json").write_text("[]")
    for ignored in (".hidden.json", "m1.json~", "notes.txt"):
        (memory / ignored).write_bytes(good)
    (memory / "folder.json").mkdir()
    for index in (True, False):
        with MemoryStore.open(folder, index=index, durability="relaxed") as store:
            assert len(store.retrieve("kiwi harvest", now=NOW).records) == 5
            named = {quarantined.file for quarantined in store.diagnostics().quarantined}
            assert named == {"copy.json", "broken.json", "list.json"}
            assert not store.verify().ok


def test_a_row_number_out_of_range_is_damage_and_no_demand_for_memory(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store")
    sealed_sql(folder, "UPDATE record SET row = 9000000000000000000 WHERE id = 'm1'")
    with MemoryStore.open(folder, durability="relaxed") as store:
        assert len(store.retrieve("kiwi harvest 7", now=NOW).records) == 8
        assert store.wait_until_ready(30)
        assert store.verify().ok


def test_what_verify_found_is_mended_by_the_next_process(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 200)
    file = folder / "memory" / "m1.json"
    file.write_bytes(file.read_bytes().replace(b"kiwi harvest 1", b"pear harvest 1"))
    with MemoryStore.open(folder, durability="relaxed") as store:
        assert store.verify().stale == ("m1",)
    with MemoryStore.open(folder, durability="relaxed") as store:
        assert store.wait_until_ready(30)
        assert store.verify().ok
        assert store.retrieve("pear", now=NOW).trace.selected_ids == ("m1",)


def test_a_place_is_normal_once_and_for_all(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember("kiwi", workspace="/ws/a /", id="k", now=NOW)
        for workspace in ("/ws/a /", "/ws/a"):
            found = store.retrieve("kiwi", workspace=workspace, now=NOW)
            assert found.trace.selected_ids == ("k",)


UNREADABLE = """
import os, tempfile
from pathlib import Path
from membound import MemoryDraft, MemoryStore
def show(store):
    found = store.retrieve("kiwi").trace
    left_out = [one.file for one in store.diagnostics().quarantined]
    print(*sorted(found.selected_ids), found.mode, *left_out)
with tempfile.TemporaryDirectory() as folder, MemoryStore.open(folder) as store:
    store.remember("everything is imported", scope="user")
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "memory", "m1.json")
    with MemoryStore.open(folder, durability="relaxed") as store:
        store.remember_many([MemoryDraft(f"kiwi {n}", scope="user", id=f"m{n}") for n in range(3)])
        file.chmod(0)
        store.rebuild_index()
        show(store)
    with MemoryStore.open(folder, durability="relaxed") as store:
        show(store)
    file.chmod(0o600)
    with MemoryStore.open(folder, durability="relaxed") as store:
        assert store.wait_until_ready(30)
        show(store)
        assert store.verify().ok
"""


def test_a_file_that_could_not_be_read_is_used_once_it_can_be() -> None:
    with python(UNREADABLE) as reader:
        assert reader.stdout is not None
        lines = reader.stdout.read().splitlines()
    left_out = "m0 m2 sqlite-fts5 m1.json"
    assert lines == [left_out, left_out, "m0 m1 m2 sqlite-fts5"]


def test_files_that_are_no_records_make_no_endless_work(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 100)
    memory = folder / "memory"
    good = (memory / "m1.json").read_bytes()
    for name in (
        "copy.json",
        "m1 (2).json",
        "m1.json~",
        ".m1.json.swp",
        "#m1.json#",
        "m1.json.bak",
    ):
        (memory / name).write_bytes(good)
    (memory / "m2.json").write_bytes(good)
    (memory / "m3.json").write_bytes(b"{")
    (memory / "m4.json").unlink()
    (memory / "m4.json").symlink_to(memory / "m5.json")
    expected = {"copy.json", "m1 (2).json", "m2.json", "m3.json"}
    with MemoryStore.open(folder, durability="relaxed") as store:
        for _ in range(2):
            assert store.wait_until_ready(30)
            for _ in range(20):
                result = store.retrieve("kiwi harvest", limit=64, now=NOW)
                assert result.trace.mode == "sqlite-fts5"
                assert result.trace.candidate_count == 97
            assert {one.file for one in store.diagnostics().quarantined} == expected
            threads = [thread for thread in threading.enumerate() if "membound" in thread.name]
            for thread in threads:
                thread.join(30)
            assert not any(thread.is_alive() for thread in threads)
            assert not store.verify().ok
