"""A workspace of 10,000 Markdown files: what its first look costs, and each call from then on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import count, cycle
from typing import TYPE_CHECKING

import pytest

from benches.corpus import questions, texts
from benches.gardens import folder_of, opened, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benches.conftest import Timing
    from membound.workspace import Workspace

FILES = 10_000
PROCESS = """
import sys
from membound.workspace import Workspace
cwd, root, sessions, files = sys.argv[1:]
with Workspace.open(cwd, root=root, sessions_root=sessions) as workspace:
    assert workspace.bootstrap().memory_index_tree.count("note-") >= int(files)
"""


@pytest.fixture(scope="module", name="files")
def number_of_files(timed: bool) -> int:
    return FILES if timed else 100


@pytest.fixture(scope="module", name="place")
def filled_place(files: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a store whose files other programs have written."""
    return written(tmp_path_factory.mktemp("workspace"), files)


@pytest.fixture(scope="module", name="workspace")
def synced_workspace(place: Path) -> Iterator[Workspace]:
    with opened(place) as workspace:
        workspace.sync()
        yield workspace


def test_first_sync(timing: Timing, place: Path, files: int) -> None:
    """Without an index: every file is read, taken apart, and put into one."""

    def forget() -> None:
        with opened(place) as workspace:
            path = workspace.path
        shutil.rmtree(path / ".membound")
        (path / "index.json").unlink(missing_ok=True)

    def sync() -> None:
        with opened(place) as workspace:
            assert workspace.sync().report.scanned_files == files

    timing(sync, 5, setup=forget)


def test_bootstrap_of_a_new_process(timing: Timing, place: Path, files: int) -> None:
    """Nothing changed; the interpreter's start and what it imports are part of it."""
    with opened(place) as workspace:
        workspace.sync()
    words = map(str, (place / "project", place / "store", place / "sessions", files))
    command = [sys.executable, "-c", PROCESS, *words]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(place / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run() -> None:
        subprocess.run(command, check=True, env=environment)  # noqa: S603 — us

    run()  # compiles the package
    timing(run, 40)


def test_open_and_bootstrap(timing: Timing, place: Path) -> None:
    """Nothing changed: a walk of all files, and no file is read for the index."""
    with opened(place) as workspace:
        workspace.sync()

    def run() -> None:
        with opened(place) as again:
            again.bootstrap()

    timing(run, 40)


def test_bootstrap(timing: Timing, workspace: Workspace) -> None:
    """Nothing changed, and the workspace is open already."""
    workspace.bootstrap()
    timing(workspace.bootstrap, 100)


def test_search(timing: Timing, workspace: Workspace, files: int) -> None:
    asked = cycle(questions(300, files))
    for _ in range(5):  # reading goes into memory behind the first ones
        workspace.search(next(asked))
    timing(lambda: workspace.search(next(asked)), 300)


def test_recall(timing: Timing, workspace: Workspace, files: int) -> None:
    numbers = cycle(range(0, files, 7))

    def recall() -> None:
        number = next(numbers)
        assert workspace.recall(f"note-{number}", folder=folder_of(number)) is not None

    timing(recall, 300)


def test_remember(timing: Timing, workspace: Workspace) -> None:
    """A new note: its file, synced with its folder, the index and `index.json`."""
    numbers = count()
    told = cycle(texts(100))

    def remember() -> None:
        key = f"new-{next(numbers)}"
        assert workspace.remember(key, next(told), folder="memory/new", tags=["new"]).created

    timing(remember, 100)


def test_remember_over(timing: Timing, workspace: Workspace) -> None:
    """A note that is there: the former file is kept as a revision."""
    numbers = count()

    def remember() -> None:
        workspace.remember("over", f"text {next(numbers)}", folder="memory/new")

    remember()
    timing(remember, 100)


def test_list(timing: Timing, workspace: Workspace) -> None:
    """A page of the newest 200."""
    assert workspace.list().items
    timing(workspace.list, 100)
