"""Servers of one workspace, in processes of their own: nothing is lost, by each other or by a kill.

MEMBOUND_SECONDS says how long they work side by side, MEMBOUND_KILLS how often one is killed; the
long runs are

    MEMBOUND_SECONDS=60 MEMBOUND_KILLS=200 python -m pytest tests/test_workspace_processes.py -s
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer
from typing import TYPE_CHECKING, Any

import pytest

from membound.workspace import Workspace
from tests.mcp_server import Place, Raw

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = float(os.environ.get("MEMBOUND_SECONDS", "3"))
KILLS = int(os.environ.get("MEMBOUND_KILLS", "12"))
FOLDERS = ["memory", "memory/decisions", "memory/决策", "notes"]
THEME = "queue design"

At = tuple[str, str]
"""Folder and key."""


class Life:
    """What one client does with notes of its own, and what it was told is done."""

    def __init__(self, server: Raw, name: str) -> None:
        self.server = server
        self.chance = random.Random(name)
        self.name = name
        self.notes: dict[At, str] = {}
        self.gone: list[str] = []
        self.calls = 0
        self.doing: tuple[str, dict[str, Any]] | None = None

    def live(self, seconds: float) -> Life:
        """Change notes for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.step()
        return self

    def step(self) -> None:
        """One change, and one look whether it is found."""
        verb = self.chance.choice(["new", "new", "again", "move", "delete"])
        mine = sorted(self.notes)
        if verb == "new" or not mine:
            self.write((self.chance.choice(FOLDERS), f"{self.name}-{self.calls}"))
        elif verb == "again":
            self.write(self.chance.choice(mine))
        elif verb == "delete":
            at = self.chance.choice(mine)
            self.call("delete", folder=at[0], key=at[1])
            self.gone.append(self.notes.pop(at))
        else:
            self.move(self.chance.choice(mine))

    def write(self, at: At) -> None:
        word = f"{self.name}x{self.calls}x"
        self.call("remember", folder=at[0], key=at[1], content=f"{word}\n", themes=[THEME])
        if at in self.notes:
            self.gone.append(self.notes[at])
        self.notes[at] = word
        (found, *_) = self.call("search", query=word)["items"]
        assert (found["folder"], found["key"]) == at

    def move(self, at: At) -> None:
        to = (self.chance.choice(FOLDERS), f"{self.name}-{self.calls}m")
        self.call("move", folder=at[0], key=at[1], toFolder=to[0], newKey=to[1])
        self.notes[to] = self.notes.pop(at)

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        self.calls += 1
        self.doing = (tool, arguments)
        answer = self.server.call(tool, **arguments)["result"]
        assert not answer["isError"], answer
        self.doing = None
        fields: dict[str, Any] = answer["structuredContent"]
        return fields


def opened(place: Place) -> Workspace:
    return Workspace.open(place.project, environment=place.environment)


def assert_kept(place: Place, notes: dict[At, str], gone: list[str]) -> None:
    """The files, the lists, search, the cache and the theme say the same, and nothing else."""
    with opened(place) as workspace:
        listed = {(one.folder, one.key) for one in every(workspace)}
        assert listed == set(notes)
        for (folder, key), word in notes.items():
            note = workspace.recall(key, folder=folder)
            assert note is not None
            assert note.content == f"{word}\n"
            (found, *_) = workspace.search(word, limit=1).items
            assert (found.folder, found.key) == (folder, key)
        for word in gone[-50:]:
            assert not [one for one in workspace.search(word).items if word in str(one.matches)]
        traced = workspace.trace_theme(THEME)
        there = {(one.folder, one.key) for one in traced.memories if not one.deleted}
        assert there == set(notes)
        index = json.loads((workspace.path / "index.json").read_text())["index"]
        kept = {name for name in index if name.endswith(".md")}
        assert kept == {f"{folder}/{key}.md" for folder, key in notes}
        assert temporaries(workspace.path) == []


def every(workspace: Workspace) -> list[Any]:
    items: list[Any] = []
    cursor = None
    while True:
        page = workspace.list(limit=50, cursor=cursor)
        items += page.items
        if (cursor := page.next_cursor) is None:
            return items


def temporaries(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if ".tmp" in path.name]


@pytest.mark.parametrize("count", [2, 4])
def test_servers_side_by_side_lose_nothing(tmp_path: Path, count: int) -> None:
    place = Place(tmp_path)
    ended = Event()

    def watch(path: Path) -> int:
        """Other programs read the cache whenever they like, and find it whole."""
        looks = 0
        while not ended.wait(0.01):
            if path.exists():
                assert json.loads(path.read_bytes())["version"] == "3-kv"
                looks += 1
        return looks

    with opened(place) as workspace:
        cache = workspace.path / "index.json"
    servers = [Raw(place) for _ in range(count)]
    with ThreadPoolExecutor() as threads:
        watched = threads.submit(watch, cache)
        try:
            for server in servers:
                server.shake_hands()
            lives = [Life(server, f"s{at}") for at, server in enumerate(servers)]
            doing = [threads.submit(life.live, SECONDS) for life in lives]
            done = [one.result() for one in doing]
            for server in servers:
                server.end()
        finally:
            ended.set()
            for server in servers:
                server.__exit__(None, None, None)
        assert watched.result() > 0
    notes = {at: word for life in done for at, word in life.notes.items()}
    assert_kept(place, notes, [word for life in done for word in life.gone])
    calls = sum(life.calls for life in done)
    sys.stdout.write(f"{count} servers, {SECONDS:g} s: {calls:,} calls, {len(notes):,} notes\n")


def test_what_was_acknowledged_is_there_after_a_kill_at_any_moment(tmp_path: Path) -> None:
    place = Place(tmp_path)
    chance = random.Random("workspace")
    notes: dict[At, str] = {}
    gone: list[str] = []
    for number in range(KILLS):
        with Raw(place) as server:
            server.shake_hands()
            life = Life(server, f"k{number}")
            life.notes, life.gone = notes, gone
            killer = Timer(chance.uniform(0, 0.3), server.process.kill)
            killer.start()
            with pytest.raises((EOFError, BrokenPipeError)):
                life.live(30)
            killer.join()
        assert server.process.returncode == -9
        settle(place, life)
    with opened(place) as workspace:
        workspace.sync()  # the cache is written after the note, and a kill may fall between the two
    assert_kept(place, notes, gone)


def settle(place: Place, life: Life) -> None:
    """What was under way is done or not, never half; the model takes what it finds."""
    if life.doing is None or life.doing[0] == "search":
        return
    tool, asked = life.doing
    at = (asked["folder"], asked["key"])
    with opened(place) as workspace:
        note = workspace.recall(at[1], folder=at[0])
        said = None if note is None else note.content.strip()
        if tool == "remember":
            assert said in {life.notes.get(at), asked["content"].strip()}
            if said is not None:
                life.notes[at] = said
                workspace.tag_theme(THEME, memory_key=at[1], memory_folder=at[0])
        elif tool == "delete":
            assert said in {life.notes[at], None}
            if said is None:
                life.gone.append(life.notes.pop(at))
        else:
            to = (asked["toFolder"], asked["newKey"])
            moved = workspace.recall(to[1], folder=to[0])
            assert note is not None or moved is not None
            if moved is not None:  # the new file is there before the former one goes
                assert moved.content.strip() == life.notes[at]
                workspace.delete(at[1], folder=at[0])
                workspace.tag_theme(THEME, memory_key=to[1], memory_folder=to[0])
                life.notes[to] = life.notes.pop(at)
