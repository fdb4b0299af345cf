"""Processes of one workspace: nothing is lost, half or out of step, whatever becomes of them.

Here they work with the package itself; tests/test_workspace_processes.py is of servers.

MEMBOUND_SECONDS says how long processes write beside each other, MEMBOUND_KILLS how many are
killed, MEMBOUND_SEED what they do.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from membound.workspace import Workspace
from tests.foreign import python
from tests.gardener import END, THEME, WORDS, Garden, Gardener, seen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = float(os.environ.get("MEMBOUND_SECONDS", "3"))
KILLS = int(os.environ.get("MEMBOUND_KILLS", "24"))
SEED = os.environ.get("MEMBOUND_SEED", "garden")
FOREVER = 600.0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "stores"


@contextmanager
def opened(project: Path, root: Path) -> Iterator[Workspace]:
    with Workspace.open(project, root=root, environment={}) as workspace:
        yield workspace


def assert_whole(store: Path) -> None:
    """No file is half of one, and the cache is one at this moment."""
    cache = store / "index.json"
    if cache.exists():
        assert json.loads(cache.read_bytes())["version"] == "3-kv"
    for file in store.rglob("*.md"):
        if ".membound" not in file.parts:
            try:
                text = file.read_text("utf-8")
            except FileNotFoundError:  # it was moved meanwhile
                continue
            assert text.startswith("---\n"), file
            assert text.endswith(END), file


def leftovers(store: Path) -> list[Path]:
    """Give the files that are not of a finished store."""
    return [path for path in store.rglob("*") if path.name.endswith((".tmp", "~"))]


def assert_in_step(workspace: Workspace, garden: Garden) -> None:
    """Files, lists, cache and search tell of the same notes."""
    assert seen(workspace) == garden
    workspace.sync()
    index = json.loads((workspace.path / "index.json").read_bytes())["index"]
    assert {key.removesuffix(".md") for key in index if key.endswith(".md")} == garden.keys()
    for word in WORDS:
        found = workspace.search(word, limit=64).items
        assert all(word in garden[f"{one.folder}/{one.key}"] for one in found)
        assert len(found) == min(64, sum(word in body for body in garden.values()))


@pytest.mark.parametrize("count", [2, 4])
def test_processes_that_write_beside_each_other_lose_nothing_and_all_see_all(
    project: Path, root: Path, count: int
) -> None:
    with opened(project, root) as workspace:
        workers = [
            Gardener(project, root, f"w{number}", f"{SEED}{number}", SECONDS)
            for number in range(count)
        ]
        listening = [threading.Thread(target=worker.follow) for worker in workers]
        for thread in listening:
            thread.start()
        looks = 0
        while any(thread.is_alive() for thread in listening):
            assert_whole(workspace.path)
            workspace.list(limit=5)
            looks += 1
        garden = {place: body for worker in workers for place, body in worker.garden.items()}
        assert all(worker.sees() == garden for worker in workers)
        assert looks > 1
        assert min(worker.steps for worker in workers) > SECONDS
        assert_in_step(workspace, garden)
        traced = workspace.trace_theme(THEME)
        alive = {f"{one.folder}/{one.key}" for one in traced.memories if one.deleted is not True}
        assert alive <= garden.keys()
        assert {place for worker in workers for place in worker.themed()} == alive


def test_what_was_acknowledged_is_there_after_kills_at_any_moment(
    project: Path, root: Path
) -> None:
    chance = random.Random(SEED)
    garden: Garden = {}
    with opened(project, root) as workspace:
        for number in range(KILLS):
            worker = Gardener(project, root, f"k{number}", f"{SEED}{number}", FOREVER)
            worker.follow(steps=chance.randrange(1, 5))
            time.sleep(chance.random() * 0.05)
            worker.kill()
            assert worker.steps > 0
            assert_whole(workspace.path)
            now = seen(workspace)
            mine = {place: body for place, body in now.items() if place not in garden}
            assert mine in worker.possible()
            assert now == garden | mine
            garden = now
            key = f"after-{number}"
            workspace.remember(key, f"river {number}{END}", folder="notes")
            garden[f"notes/{key}"] = f"river {number}{END}"
            assert workspace.search(f"river {number}", folder="notes").items
    with opened(project, root) as workspace:
        assert_in_step(workspace, garden)
        assert workspace.delete("after-0", folder="notes")  # the first change sweeps
        assert leftovers(workspace.path) == []


def test_a_lock_of_a_process_that_died_keeps_nobody_from_writing(project: Path, root: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from membound.writer import Writer\n"
        "with Writer(Path(sys.argv[1]), 1).held():\n print('held', flush=True); sys.stdin.read()"
    )
    with opened(project, root) as workspace:
        with python(script, workspace.path / ".membound" / "lock") as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            threading.Timer(0.3, holder.kill).start()
            began = time.monotonic()
            workspace.remember("one", "river")
            assert 0.2 < time.monotonic() - began < 5
        assert workspace.recall("one") is not None


FULL = """
import json, resource, signal, sys
from membound.errors import MemboundError
from membound.workspace import Workspace
project, root, most = sys.argv[1:]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Workspace.open(project, root=root, environment={}) as workspace:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    for number in range(12):
        key, body = f"n{number % 8}", f"heron {number} " + "x" * 900 * number
        try:
            workspace.remember(key, body, themes=["Full"])
        except MemboundError as fault:
            print(json.dumps([key, None, type(fault).__name__]))
        else:
            print(json.dumps([key, body, None]))
"""


@pytest.mark.parametrize("most", [0, 300, 2_000, 6_000, 20_000])
def test_a_full_disk_is_a_typed_error_and_loses_nothing(
    project: Path, root: Path, most: int
) -> None:
    with opened(project, root) as workspace:
        for number in range(8):
            workspace.remember(f"n{number}", f"heron before {number}")
    with python(FULL, project, root, most) as writer:
        assert writer.stdout is not None
        told = [json.loads(line) for line in writer.stdout]
        assert writer.wait(30) == 0
    assert len(told) == 12
    assert {fault for *_, fault in told} <= {None, "CanonicalFileError"}
    assert any(fault for *_, fault in told) == (most < 20_000)
    with opened(project, root) as workspace:
        bodies = {f"n{number}": {f"heron before {number}"} for number in range(8)}
        for number, (key, body, _) in enumerate(told):
            refused = f"heron {number} " + "x" * 900 * number
            # What was refused may have reached the disk, as long as the file is whole.
            bodies[key] = {body} if body else {*bodies[key], refused}
        for key, possible in bodies.items():
            note = workspace.recall(key)
            assert note is not None
            assert note.content in possible
        assert len(workspace.search("heron", limit=64).items) == 8
        workspace.remember("later", "heron later")
        assert "later" in [one.key for one in workspace.search("later").items]
        assert leftovers(workspace.path) == []
