"""The canonical store: whole files or none, and one bad file never hides another."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from membound import _core
from membound.canonical import CanonicalStore, Quarantined
from membound.errors import (
    CanonicalFileError,
    InvalidInputError,
    NotFoundError,
    PartialChangeError,
)
from membound.file_names import file_name
from membound.records import MemoryRecord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def record_of(id: str, content: str = "kiwi") -> MemoryRecord:
    moment = "2026-01-01T00:00:00.000Z"
    return MemoryRecord.from_dict(
        {"id": id, "content": content, "scope": "user", "createdAt": moment, "updatedAt": moment}
    )


@pytest.fixture(params=[True, False], ids=["durable", "relaxed"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> CanonicalStore:
    return CanonicalStore(tmp_path / "store" / "memory", durable=request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store" / "memory"


def test_what_is_written_is_read(store: CanonicalStore) -> None:
    records = [record_of(each) for each in ("mem_2", "mem_1", "a:b", "con")]
    seen: list[tuple[int, int]] = []
    store.write_many(records, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [store.require(record.id) for record in records] == records
    names = ["%63on.json", "a%3Ab.json", "mem_1.json", "mem_2.json"]
    assert store.names() == names
    assert store.load() == (
        [record_of(each).to_json() for each in ("con", "a:b", "mem_1", "mem_2")],
        [],
    )


def test_a_later_state_takes_the_place_of_the_earlier(store: CanonicalStore) -> None:
    store.write_many([record_of("mem_1", "long " * 100)])
    store.write_many([record_of("mem_1", "short")])
    assert store.require("mem_1") == record_of("mem_1", "short")


def test_files_and_folder_are_their_owners_only(store: CanonicalStore, folder: Path) -> None:
    store.write_many([record_of("mem_1")])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "mem_1.json").stat().st_mode & 0o777 == 0o600


def test_reading_makes_no_folder_and_changes_none(store: CanonicalStore, folder: Path) -> None:
    assert store.load() == ([], [])
    assert store.identity() == ""
    store.delete(["mem_1"])
    store.write_many([])
    with pytest.raises(NotFoundError):
        store.require("mem_1")
    assert not folder.exists()
    folder.mkdir(parents=True, mode=0o755)
    before = store.identity()
    assert store.load() == ([], [])
    assert folder.stat().st_mode & 0o777 == 0o755
    assert store.identity() == before != ""


def test_the_identity_changes_with_the_files(store: CanonicalStore) -> None:
    store.write_many([record_of("mem_1")])
    before = store.identity()
    store.write_many([record_of("mem_2")])
    assert store.identity() != before


def test_deleted_files_are_gone_and_missing_ones_passed_over(store: CanonicalStore) -> None:
    store.write_many([record_of("mem_1"), record_of("mem_2")])
    store.delete(["mem_0", "mem_1", "x" * 300])
    assert store.names() == ["mem_2.json"]


@pytest.mark.parametrize("id", ["../outside", "/etc/passwd", ".", "x" * 4_000, "a\0b", "\ud800"])
def test_an_odd_id_names_nothing_outside_the_folder(store: CanonicalStore, id: str) -> None:
    store.write_many([record_of("mem_1")])
    with pytest.raises(NotFoundError):
        store.require(id)
    with pytest.raises(InvalidInputError):
        store.require("")


def test_what_is_no_record_file_is_not_looked_at(store: CanonicalStore, folder: Path) -> None:
    store.write_many([record_of("mem_1")])
    for name in (".hidden.json", ".0123.tmp", "notes.txt", "mem_1.json.bak"):
        (folder / name).write_text("x")
    (folder / "folder.json").mkdir()
    (folder / "link.json").symlink_to(folder / "mem_1.json")
    os.mkfifo(folder / "pipe.json")
    assert store.load() == ([record_of("mem_1").to_json()], [])


def test_a_bad_file_is_quarantined_by_name_and_hides_no_other(
    store: CanonicalStore, folder: Path
) -> None:
    good = [record_of("mem_1"), record_of("mem_9")]
    store.write_many(good)
    copy = good[0].to_json()
    bad = {
        "mem_2.json": b"{",
        "mem_3.json": b'{"id": "mem_3"}',
        "mem_4.json": copy,
        "good copy.json": copy,
        "mem_5.json": b"\xff",
        "mem_6.json": b"[" * 100_000,
    }
    for name, data in bad.items():
        (folder / name).write_bytes(data)
    odd = os.fsencode(folder) + b"/\xff.json"
    with open(odd, "wb") as file:  # noqa: PTH123 — a name that no text holds
        file.write(copy)
    records, quarantined = store.load()
    assert records == [record.to_json() for record in good]
    reasons = {found.file: found.reason for found in quarantined}
    assert reasons.keys() == bad.keys() | {"\\udcff.json"}
    assert reasons["mem_3.json"].startswith("content: ")
    renamed = "it holds the record whose file is mem_1.json: rename or remove it"
    assert reasons["mem_4.json"] == reasons["good copy.json"] == renamed


def test_a_file_that_cannot_be_read_is_quarantined(
    store: CanonicalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_many([record_of("mem_1"), record_of("mem_2")])
    read_files = _core.read_files

    def refuse(paths: Sequence[str]) -> list[bytes | int]:
        found = zip(paths, read_files(paths), strict=True)
        return [errno.EACCES if path.endswith("mem_1.json") else one for path, one in found]

    monkeypatch.setattr(_core, "read_files", refuse)
    records, quarantined = store.load()
    assert records == [record_of("mem_2").to_json()]
    reason = "Permission denied; let this user read and write the folder"
    assert quarantined == [Quarantined("mem_1.json", reason)]
    with pytest.raises(CanonicalFileError, match=r"mem_1\.json.*let this user"):
        store.require("mem_1")


def test_files_that_are_too_much_for_one_look_are_all_read(
    store: CanonicalStore, folder: Path
) -> None:
    store.write_many([record_of("mem_0"), record_of("mem_9")])
    large = [f"mem_{number}.json" for number in range(1, 5)]
    for name in large:
        (folder / name).write_bytes(b" " * (6 << 20))
    records, quarantined = store.load()
    assert records == [record_of("mem_0").to_json(), record_of("mem_9").to_json()]
    assert [one.file for one in quarantined] == large


def test_a_link_in_a_records_place_is_not_followed(store: CanonicalStore, folder: Path) -> None:
    store.write_many([record_of("mem_1")])
    outside = folder.parent / "outside.json"
    outside.write_bytes(record_of("mem_2").to_json())
    (folder / "mem_2.json").symlink_to(outside)
    for action in (
        lambda: store.require("mem_2"),
        lambda: store.write_many([record_of("mem_0"), record_of("mem_2", "new")]),
    ):
        with pytest.raises(CanonicalFileError, match="symbolic link"):
            action()
    assert outside.read_bytes() == record_of("mem_2").to_json()
    assert sorted(os.listdir(folder)) == ["mem_1.json", "mem_2.json"]  # noqa: PTH208 — hidden files too


def test_a_write_that_fails_leaves_the_earlier_state_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CanonicalStore(tmp_path, durable=True)
    store.write_many([record_of("mem_1", "old")])

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CanonicalFileError, match=r"write .*mem_1\.json: No space.*free some"):
        store.write_many([record_of("mem_1", "new")])
    assert os.listdir(tmp_path) == ["mem_1.json"]  # noqa: PTH208 — hidden files too
    assert store.require("mem_1") == record_of("mem_1", "old")


@pytest.mark.parametrize("at", [1, 3, 5])
def test_an_interrupted_batch_leaves_nothing(tmp_path: Path, at: int) -> None:
    store = CanonicalStore(tmp_path, durable=False)
    store.write_many([record_of("mem_1", "old")])

    def stop(done: int, _total: int) -> None:
        if done == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write_many([record_of(f"mem_{n}") for n in range(5)], stop)
    assert os.listdir(tmp_path) == ["mem_1.json"]  # noqa: PTH208 — hidden files too
    assert store.require("mem_1") == record_of("mem_1", "old")


def test_changes_in_one_block_are_undone_together(store: CanonicalStore) -> None:
    store.write_many([record_of("mem_1", "old"), record_of("mem_2")])
    before = store.load()

    def fail() -> None:
        with store.changing():
            store.write_many([record_of("mem_1", "new"), record_of("mem_3")])
            store.delete(["mem_1", "mem_2"])
            store.write_many([record_of("mem_2", "new")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert store.load() == before


def test_what_cannot_be_undone_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = CanonicalStore(tmp_path, durable=True)
    store.write_many([record_of("mem_1", "old")])
    synced = os.fsync
    calls = iter(range(10))

    def breaks(handle: int) -> None:
        if next(calls):
            raise OSError(errno.EIO, "Input/output error")
        synced(handle)

    monkeypatch.setattr(os, "fsync", breaks)
    named = r"put back .*mem_1\.json: Input/output error; look at the disk.*cannot sync"
    with pytest.raises(PartialChangeError, match=named):
        store.write_many([record_of("mem_1", "new")])
    assert os.listdir(tmp_path) == ["mem_1.json"]  # noqa: PTH208 — hidden files too
    assert store.require("mem_1") == record_of("mem_1", "new")


def test_an_id_that_cannot_be_looked_for_is_not_free(
    store: CanonicalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_many([record_of("mem_1")])

    def broken(path: Path, **_options: bool) -> os.stat_result:
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr(os, "lstat", broken)
    monkeypatch.setattr("os.path.lexists", lambda _path: False)
    with pytest.raises(CanonicalFileError, match="look at"):
        store.holds("mem_1")


def test_every_failure_of_the_disk_is_our_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    store = CanonicalStore(tmp_path / "file" / "memory", durable=True)
    for action in (
        lambda: store.write_many([record_of("mem_1")]),
        lambda: store.require("mem_1"),
        lambda: store.delete(["mem_1"]),
        store.load,
        store.identity,
    ):
        with pytest.raises(CanonicalFileError, match="file/memory"):
            action()


def test_a_folder_in_a_records_place_is_reported_and_kept(
    store: CanonicalStore, folder: Path
) -> None:
    (folder / file_name("mem_1")).mkdir(parents=True)
    with pytest.raises(CanonicalFileError, match="a folder has the place"):
        store.write_many([record_of("mem_1")])
    assert os.listdir(folder) == ["mem_1.json"]  # noqa: PTH208 — hidden files too


def test_one_file_is_a_record_a_fault_or_nothing(store: CanonicalStore, folder: Path) -> None:
    store.write_many([record_of("mem_1")])
    (folder / "mem_2.json").write_bytes(b"{")
    assert store.record("mem_1.json") == store.find("mem_1") == record_of("mem_1")
    assert isinstance(store.record("mem_2.json"), Quarantined)
    assert store.find("mem_2") is None
    assert store.record(file_name("x" * 4_000)) is None
    held = [each for each in ("mem_1", "mem_2", "mem_3", "x" * 4_000) if store.holds(each)]
    assert held == ["mem_1", "mem_2"]
