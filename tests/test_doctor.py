"""The doctor: each thing that it knows is made wrong; it finds it, and mends or advises."""

from __future__ import annotations

import os
import pickle
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, get_args

import pytest

from membound import MemoryStore, examine
from membound.doctor import Check
from membound.errors import InvalidInputError
from membound.text import printable
from membound.writer import Writer
from tests.examined import advised, made, mended, wrong
from tests.foreign import INDEX

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROOT = os.geteuid() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made(tmp_path / "store")


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file's mode and bytes; a SQLite file's side files come and go."""
    return {
        path.relative_to(folder).as_posix(): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
        if not path.name.endswith(("-wal", "-shm"))
    }


def test_a_sound_store_is_found_sound_and_left_as_it_is(folder: Path) -> None:
    before = everything(folder)
    for fix in (False, True):
        found = examine(folder, fix=fix)
        assert [one.check for one in found] == list(get_args(Check))
        assert {(one.severity, one.advice, one.fixable) for one in found} == {("ok", "", False)}
    assert everything(folder) == before
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 — our own bytes
    with MemoryStore.open(folder) as store:
        store.remember("walnut", scope="user")
        assert wrong(folder, fix=True) == []
        assert len(store.retrieve("walnut").records) == 1


def test_where_there_is_no_store_nothing_is_made(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InvalidInputError, match="the folder of a store"):
            examine(path, fix=True)
    assert list(tmp_path.iterdir()) == []


def test_permissions_are_set(folder: Path) -> None:
    modes = {
        "memory": 0o755,
        "memory/a.json": 0o644,
        INDEX: 0o640,
        "memory.lock": 0o666,
        "memory.queue": 0o644,
    }
    modes |= {"memory-deleted/d.json": 0o604, "memory-purged": 0o711}
    for name, mode in modes.items():
        (folder / name).chmod(mode)
    found = mended(folder)
    assert (found.check, found.severity) == ("permissions", "problem")
    assert set(found.names) == modes.keys()
    assert stat.S_IMODE((folder / "memory").stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / INDEX).stat().st_mode) == 0o600


def test_a_store_that_its_owner_made_read_only_stays_so(folder: Path) -> None:
    (folder / "memory" / "a.json").chmod(0o440)
    for path in (*folder.rglob("b.json"), folder / "memory", folder):
        path.chmod(0o500 if path.is_dir() else 0o400)
    found = examine(folder, fix=True)
    (permissions,) = [one for one in found if one.check == "permissions"]
    assert (permissions.names, permissions.fixed) == (("memory/a.json",), True)
    names = ("memory", "memory/a.json", "memory/b.json")
    modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in names]
    folder.chmod(0o700)
    (folder / "memory").chmod(0o700)
    assert modes == [0o500, 0o400, 0o400]


def test_a_data_folder_that_others_may_write_is_told(folder: Path) -> None:
    folder.chmod(0o777)
    assert advised(folder).check == "permissions"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777, "it may be the user's own folder"
    folder.chmod(0o755)
    assert wrong(folder) == []


@pytest.mark.skipif(not ROOT, reason="only root can give a file away")
def test_a_file_of_another_owner_is_told(folder: Path) -> None:
    os.chown(folder / "memory.lock", 65_534, -1)
    assert advised(folder).names == ("memory.lock",)
    os.chown(folder / "memory.lock", os.geteuid(), -1)
    assert wrong(folder) == []


def test_temporary_files_of_a_dead_writer_are_removed(folder: Path) -> None:
    left = folder / "memory" / ".0123456789abcdef.tmp"
    left.touch(0o600)
    with MemoryStore.open(folder) as store:
        assert store.wait_until_ready()
    if left.exists():
        assert mended(folder).names == ("memory/.0123456789abcdef.tmp",)
    assert not left.exists()


def test_what_a_writer_at_work_needs_is_not_touched(folder: Path) -> None:
    (folder / INDEX).write_bytes(b"no index at all")
    left = folder / "memory" / ".0123456789abcdef.tmp"
    with Writer(folder / "memory.lock", 5).held():
        left.touch(0o600)
        leftover, index = wrong(folder, fix=True)
    assert (leftover.check, leftover.fixable) == ("leftovers", False)
    assert "look again" in leftover.advice
    assert (index.check, index.fixed) == ("index", False)
    assert "could not be mended: another writer held the store" in index.advice
    assert left.exists()
    assert {one.fixed for one in wrong(folder, fix=True)} == {True}
    assert wrong(folder) == []


STRANGERS: dict[str, Callable[[Path], object]] = {
    "link.json": lambda path: path.symlink_to("a.json"),
    "folder.json": lambda path: path.mkdir(mode=0o700),
    "a.json~": lambda path: path.touch(0o600),
    ".a.json.swp": lambda path: path.touch(0o600),
    "a.json.bak": lambda path: path.touch(0o600),
    "#a.json#": lambda path: path.touch(0o600),
    ".hidden.json": lambda path: path.touch(0o600),
    "notes.txt": lambda path: path.touch(0o600),
    "pipe.json": lambda path: os.mkfifo(path, 0o600),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_what_is_no_record_is_named_and_left_alone(folder: Path, name: str) -> None:
    STRANGERS[name](folder / "memory" / name)
    # The next opening looks at the folder, which is another one now.
    assert {one.check for one in wrong(folder)} == {"strangers", "index"}
    with MemoryStore.open(folder) as store:
        assert store.wait_until_ready()
    found = advised(folder)
    assert (found.check, found.severity, found.names) == (
        "strangers",
        "warning",
        (f"memory/{name}",),
    )
    assert os.path.lexists(folder / "memory" / name)


BROKEN = {
    "broken": '{"id": "broken"',
    "nothing": "",
    "other": '{"id": "elsewhere"}',
    "binary": "\0\0\0\0",
    "bell\a": "{",
}


@pytest.mark.parametrize("name", BROKEN, ids=map(printable, BROKEN))
def test_a_file_that_cannot_be_used_is_named_with_the_reason(folder: Path, name: str) -> None:
    file = folder / "memory" / f"{name}.json"
    file.touch(0o600)
    file.write_text(BROKEN[name])
    with MemoryStore.open(folder) as store:
        assert store.wait_until_ready()
    found = advised(folder)
    assert (found.check, found.severity) == ("quarantine", "problem")
    assert found.what.startswith(f"{printable(name)}.json is left out: ")
    assert file.read_text() == BROKEN[name]
    file.unlink()
    wrong(folder, fix=True)
    assert wrong(folder) == []


def test_a_purged_record_that_was_put_back_is_told(folder: Path) -> None:
    text = (folder / "memory" / "a.json").read_text().replace('"id": "a"', '"id": "e"')
    (folder / "memory" / "e.json").touch(0o600)
    (folder / "memory" / "e.json").write_text(text)
    found = [one for one in wrong(folder, fix=True) if not one.fixed]
    assert [one.check for one in found] == ["quarantine"]
    assert "its record was purged: remove it" in found[0].what


def test_a_second_file_of_one_record_is_told_from_a_broken_one(folder: Path) -> None:
    copy = folder / "memory" / "copy of a.json"
    shutil.copy(folder / "memory" / "a.json", copy)
    with MemoryStore.open(folder) as store:
        assert store.wait_until_ready()
    found = advised(folder)
    assert (found.check, found.severity) == ("duplicates", "problem")
    assert "copy of a.json holds the record a too" in found.what
    (folder / "memory" / "a.json").unlink()
    found = next(one for one in wrong(folder) if one.severity == "problem")
    assert found.check == "quarantine"
    assert "a.json: rename" in found.what
    copy.rename(folder / "memory" / "a.json")
    wrong(folder, fix=True)
    assert wrong(folder) == []


def test_records_that_say_the_same_are_a_hint(folder: Path) -> None:
    with MemoryStore.open(folder) as store:
        store.remember("  KIWI harvest a ", scope="user", id="again")
        store.remember("kiwi harvest a", workspace="/ws", id="elsewhere")
        store.remember("kiwi harvest a", scope="user", id="replaced", disabled=True)
    found = advised(folder)
    assert (found.check, found.severity, found.names) == ("duplicates", "warning", ("a", "again"))
    with MemoryStore.open(folder) as store:
        store.delete("again")
    assert wrong(folder) == []


@pytest.mark.parametrize("part", ["memory", INDEX])
def test_a_part_of_the_store_that_is_a_link_is_told(
    folder: Path, tmp_path: Path, part: str
) -> None:
    (folder / part).rename(tmp_path / "elsewhere")
    (folder / part).symlink_to(tmp_path / "elsewhere")
    found = next(one for one in wrong(folder, fix=True) if one.check == "folder")
    assert (found.severity, found.names, found.fixed) == ("problem", (part,), False)
    assert (folder / part).is_symlink()
    (folder / part).unlink()
    (tmp_path / "elsewhere").rename(folder / part)
    wrong(folder, fix=True)
    assert wrong(folder) == []


def test_a_file_in_the_place_of_the_records_is_told(folder: Path) -> None:
    shutil.rmtree(folder / "memory")
    (folder / "memory").touch(0o600)
    found = [one for one in wrong(folder, fix=True) if one.check == "folder"]
    assert "memory is no folder" in found[0].what
    (folder / "memory").unlink()
    wrong(folder, fix=True)
    assert wrong(folder) == []


READ_ONLY = """
import os, sys, tempfile
import membound.cli.app
from membound import examine
if os.geteuid() == 0:
    os.setuid(65_534)
for fix in (False, True):
    for one in examine(sys.argv[1], fix=fix):
        print(fix, one.check, one.severity, one.fixed, one.what, sep="|")
"""


def test_a_folder_that_cannot_be_written_is_looked_at_all_the_same(folder: Path) -> None:
    with MemoryStore.open(folder, index=False) as store:
        assert len(store.list()) == 3
    below = [folder, *folder.rglob("*")]
    # Whoever runs this as root looks as another user, who may read only.
    for path in below:
        path.chmod(
            (0o555 if path.is_dir() else 0o444) if ROOT else (0o500 if path.is_dir() else 0o400)
        )
    above = [path for path in folder.parents if path.stat().st_uid == os.geteuid()]
    modes = {path: path.stat().st_mode for path in above}
    try:
        for path in above:
            path.chmod(0o755)
        before = everything(folder)
        words = [sys.executable, "-c", READ_ONLY, str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert everything(folder) == before
    finally:
        for path, mode in modes.items():
            path.chmod(stat.S_IMODE(mode))
        for path in below:
            path.chmod(0o700 if path.is_dir() else 0o600)
    found = [line.split("|") for line in done.stdout.splitlines()]
    assert {row[0] for row in found} == {"True", "False"}
    for row in found:
        if row[1] == "folder":
            assert row[2] == "warning"
            assert "cannot write" in row[4]
        if row[1] == "quarantine":
            assert row[4] == "4 records, all can be used"
    wrong(folder, fix=True)
    assert wrong(folder) == []


def test_a_disk_that_is_nearly_full_is_told(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = [
        shutil.which("mount") or "mount",
        "-t",
        "tmpfs",
        "-o",
        "size=8m,mode=700",
        "tmpfs",
        str(disk),
    ]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not mount a disk")
    try:
        with MemoryStore.open(disk / "store") as store:
            store.remember("kiwi", scope="user")
        found = advised(disk / "store")
        assert (found.check, found.severity) == ("space", "warning")
        assert "MiB free" in found.what
    finally:
        subprocess.run([shutil.which("umount") or "umount", str(disk)], check=True)
