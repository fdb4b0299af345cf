"""The walk and the watch of a garden: what the watch tells is all that a walk finds changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membound import _core
from membound.errors import CanonicalFileError
from tests.garden_edits import EDITS, Edit, make

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

AREAS = ["memory", "notes"]
NAMES = ["a", "b", "é"]
FOLDERS = ["memory", "memory/a", "memory/a/b", "notes", "notes/b", "other"]
PATHS = [f"{folder}/{name}.md" for folder in FOLDERS for name in NAMES] + ["memory.md", "x.txt"]

edits = st.lists(
    st.tuples(st.sampled_from([*EDITS]), st.sampled_from(PATHS), st.sampled_from(PATHS)), max_size=8
)

Stamp = tuple[int, int, int, int]


def put(root: Path, path: str, text: str = "text") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def walked(root: Path) -> tuple[dict[str, Stamp], set[str]]:
    files, folders, _ = _core.walk(root, AREAS)
    return {path: (a, b, c, d) for path, a, b, c, d in files}, set(folders)


def started(root: Path) -> _core.Watch:
    watch = _core.Watch.start(root, AREAS)
    assert watch is not None
    return watch


class Follower:
    """What somebody knows who walks once, and then looks only at what the watch names."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.walks = 0
        self.begin()

    def begin(self) -> None:
        self.watch = started(self.root)
        self.walks += 1
        self.files, self.folders = walked(self.root)

    def follow(self) -> None:
        touched = self.watch.changed()
        if touched is None:
            self.begin()
            return
        files, folders = walked(self.root)
        for path in touched:
            if not path.endswith("/"):
                self.files.pop(path, None)
                self.files.update({path: files[path]} if path in files else {})
                continue
            self.folders = {one for one in self.folders if not f"{one}/".startswith(path)}
            self.folders |= {one for one in folders if f"{one}/".startswith(path)}
            for one in [one for one in self.files if one.startswith(path) and one not in files]:
                del self.files[one]

    def knows_all(self) -> bool:
        return (self.files, self.folders) == walked(self.root)


class Editor:
    """Another process that edits a garden."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.garden_edits", root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def make(self, edits: Sequence[Edit]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(edits)}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module", name="garden")
def edited_garden() -> Iterator[tuple[Path, Editor]]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        editor = Editor(root)
        yield root, editor
        editor.close()


@settings(max_examples=150)
@given(batches=st.lists(edits, min_size=1, max_size=6))
def test_whatever_another_process_does_the_watch_names_all_that_a_walk_finds_changed(
    garden: tuple[Path, Editor], batches: list[list[Edit]]
) -> None:
    root, editor = garden
    shutil.rmtree(root, ignore_errors=True)
    for path in PATHS[::2]:
        put(root, path)
    follower = Follower(root)
    for batch in batches:
        editor.make(batch)
        follower.follow()
        assert follower.knows_all()
    assert follower.watch.changed() == []


@settings(max_examples=20)
@given(batches=st.lists(edits, min_size=2, max_size=6))
def test_what_is_done_while_the_watch_is_asked_is_told_by_the_next_answer(
    batches: list[list[Edit]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in PATHS[::2]:
            put(root, path)
        follower = Follower(root)
        thread = threading.Thread(target=lambda: [make(root, batch) for batch in batches])
        thread.start()
        while thread.is_alive():
            follower.follow()
        thread.join()
        follower.follow()
        assert follower.knows_all()


@given(batches=st.lists(edits, max_size=3))
def test_a_walk_finds_what_a_plain_recursion_finds(batches: list[list[Edit]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in PATHS[::3]:
            put(root, path)
        for batch in batches:
            make(root, batch)
        files, folders = [], []
        for area in AREAS:
            for parent, names, inner in os.walk(root / area):
                if (root / area).is_symlink():
                    break
                names[:] = [name for name in names if not name.startswith(".")]
                folders.append(Path(parent).relative_to(root).as_posix())
                paths = [Path(parent, one) for one in inner if not one.startswith(".")]
                files += [path for path in paths if path.suffix == ".md" and not path.is_symlink()]
        looked = [(path.relative_to(root).as_posix(), path.lstat()) for path in files]
        expected = [
            (path, at.st_size, at.st_mtime_ns, at.st_ctime_ns, at.st_ino) for path, at in looked
        ]
        links = {path for path in folders if (root / path).is_symlink()}
        assert _core.walk(root, AREAS) == (sorted(expected), sorted({*folders} - links), 0)


def test_a_walk_gives_what_is_there_in_the_order_of_code_points(tmp_path: Path) -> None:
    for path in ("memory/b.md", "memory/B.md", "memory/b/\U0001f642.md", "memory/b/\uffee.md"):
        put(tmp_path, path)
    for path in ("memory/.hidden.md", "memory/.in/a.md", "memory/a.MD", "memory/a.txt", "top.md"):
        put(tmp_path, path)
    files, folders, left_out = _core.walk(tmp_path, AREAS)
    assert [file[0] for file in files] == [
        "memory/B.md", "memory/b.md", "memory/b/\uffee.md", "memory/b/\U0001f642.md",
    ]  # fmt: skip
    assert (folders, left_out) == (["memory", "memory/b"], 0)


def test_a_walk_of_many_folders_misses_none(tmp_path: Path) -> None:
    paths = sorted(f"memory/{one}/{other}/a.md" for one in range(5) for other in range(9))
    for path in paths:
        put(tmp_path, path)
    files, folders, _ = _core.walk(tmp_path, AREAS)
    assert [file[0] for file in files] == paths
    assert folders == sorted({*folders})
    assert len(folders) == 1 + 5 + 45


def test_names_that_are_no_text_are_left_out_and_counted(tmp_path: Path) -> None:
    put(tmp_path, "memory/a.md")
    memory = os.fsencode(tmp_path / "memory")
    for name in (b"\xff.md", b"\xff.txt", b".\xff.md"):
        Path(os.fsdecode(memory + b"/" + name)).touch()
    Path(os.fsdecode(memory + b"/\xfe")).mkdir()
    files, folders, left_out = _core.walk(tmp_path, AREAS)
    assert ([file[0] for file in files], folders, left_out) == (["memory/a.md"], ["memory"], 2)


def test_where_there_is_nothing_a_walk_finds_nothing(tmp_path: Path) -> None:
    assert _core.walk(tmp_path, AREAS) == ([], [], 0)
    assert _core.walk(tmp_path / "missing", AREAS) == ([], [], 0)
    assert _core.Watch.start(tmp_path / "missing", AREAS) is None


def test_an_area_that_leads_elsewhere_is_not_walked(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/a.md")
    (tmp_path / "memory").symlink_to(tmp_path / "elsewhere")
    assert _core.walk(tmp_path, AREAS) == ([], [], 0)


def test_a_folder_that_cannot_be_read_is_an_error_and_not_empty(tmp_path: Path) -> None:
    with pytest.raises(CanonicalFileError, match=r"cannot read .*: File name too long"):
        _core.walk(tmp_path, ["x" * 300])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_left_out_and_hides_no_other(tmp_path: Path) -> None:
    put(tmp_path, "memory/a/one.md")
    put(tmp_path, "memory/b/two.md")
    (tmp_path / "memory/a").chmod(0)
    files, folders, left_out = _core.walk(tmp_path, AREAS)
    assert [file[0] for file in files] == ["memory/b/two.md"]
    assert (folders, left_out) == (["memory", "memory/b"], 1)
    watch = started(tmp_path)
    (tmp_path / "memory/a").chmod(0o700)
    assert watch.changed() == ["memory/a/", "memory/a/one.md"]


def test_a_change_that_leaves_size_and_time_is_told(tmp_path: Path) -> None:
    put(tmp_path, "memory/a.md", "one")
    before = (tmp_path / "memory/a.md").stat()
    watch = started(tmp_path)
    put(tmp_path, "memory/a.md", "two")
    os.utime(tmp_path / "memory/a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert watch.changed() == ["memory/a.md"]
    assert watch.changed() == []


def test_a_new_folder_is_named_with_its_files_and_watched(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    watch = started(tmp_path)
    put(tmp_path, "memory/new/deep/a.md")
    named = ["memory/new/", "memory/new/deep/", "memory/new/deep/a.md"]
    assert watch.changed() == named
    put(tmp_path, "memory/new/deep/b.md")
    assert watch.changed() == ["memory/new/deep/b.md"]
    put(tmp_path, "notes/first.md")
    assert watch.changed() == ["notes/", "notes/first.md"]


def test_a_folder_whose_name_ends_as_a_file_does_is_told_from_one(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    watch = started(tmp_path)
    (tmp_path / "memory/a.md").mkdir()
    assert watch.changed() == ["memory/a.md/"]


def test_what_a_garden_does_not_hold_is_not_told(tmp_path: Path) -> None:
    put(tmp_path, "memory/.in/a.md")
    watch = started(tmp_path)
    for path in ("memory/.a.md", "memory/.in/a.md", "memory/a.txt", "other/a.md", "index.json"):
        put(tmp_path, path)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/memory/\xff.md")).touch()
    assert watch.changed() == []


def test_a_folder_that_moves_ends_the_watch(tmp_path: Path) -> None:
    put(tmp_path, "memory/a/one.md")
    watch = started(tmp_path)
    (tmp_path / "memory/a").rename(tmp_path / "memory/b")
    assert watch.changed() is None
    assert watch.changed() is None


@pytest.mark.parametrize("moved", ["up", "up/root", "up/root/memory"])
def test_a_garden_that_moves_ends_the_watch(tmp_path: Path, moved: str) -> None:
    put(tmp_path, "up/root/memory/a.md")
    watch = started(tmp_path / "up/root")
    (tmp_path / moved).rename(tmp_path / "elsewhere")
    assert watch.changed() is None


def test_a_garden_that_another_one_replaces_ends_the_watch(tmp_path: Path) -> None:
    for root in ("one", "two"):
        put(tmp_path, f"{root}/memory/a.md")
    (tmp_path / "root").symlink_to(tmp_path / "one")
    watch = started(tmp_path / "root")
    (tmp_path / "root").unlink()
    (tmp_path / "root").symlink_to(tmp_path / "two")
    assert watch.changed() is None


def test_a_garden_that_is_removed_ends_the_watch(tmp_path: Path) -> None:
    put(tmp_path, "root/memory/a.md")
    watch = started(tmp_path / "root")
    shutil.rmtree(tmp_path / "root")
    assert watch.changed() is None


def test_more_than_the_system_keeps_ends_the_watch(tmp_path: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 100_000:
        pytest.skip("the system keeps very much")
    put(tmp_path, "memory/a.md")
    put(tmp_path, "memory/b.md")
    watch = started(tmp_path)
    for _ in range(most // 2 + 1):
        for name in ("a", "b"):
            os.utime(tmp_path / f"memory/{name}.md")
    assert watch.changed() is None


def test_where_others_may_change_files_unseen_nothing_is_watched() -> None:
    assert _core.Watch.start("/proc", ["sys"]) is None
    assert _core.Watch.start("/proc", AREAS) is None


def test_a_forked_child_takes_nothing_from_its_parents_watch(tmp_path: Path) -> None:
    put(tmp_path, "memory/a.md")
    watch = started(tmp_path)
    put(tmp_path, "memory/a.md", "other")
    child = os.fork()
    if child == 0:
        os._exit(0 if watch.changed() is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert watch.changed() == ["memory/a.md"]


def test_watches_know_nothing_of_each_other(tmp_path: Path) -> None:
    put(tmp_path, "memory/a.md")
    one, other = started(tmp_path), started(tmp_path)
    put(tmp_path, "memory/a.md", "other")
    assert one.changed() == other.changed() == ["memory/a.md"]
    assert one.changed() == other.changed() == []
