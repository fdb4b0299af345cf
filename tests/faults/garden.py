"""Run in a child: let verbs of a workspace meet a fault at each of their calls, and judge the rest.

The child prints a line of JSON for each verb: how many calls failed, and what was wrong after each.
"""

from __future__ import annotations

import json
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from membound.errors import MemboundError
from membound.workspace import Workspace
from tests.faults.layer import Layer
from tests.faults.sweep import FAULTS, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.layer import Fault

__all__ = ["VERBS"]

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = datetime(2026, 3, 1, 10, tzinfo=UTC)
THEME = "Birds"

Files = dict[str, bytes]

VERBS: dict[str, Callable[[Workspace], object]] = {
    "remember": lambda garden: garden.remember("new", "heron new", themes=[THEME], tags=["a"]),
    "remember again": lambda garden: garden.remember("one", "heron later", themes=[THEME]),
    "move": lambda garden: garden.move("one", "memory/deep/er", new_key="moved"),
    "delete": lambda garden: garden.delete("one"),
    "tag a theme": lambda garden: garden.tag_theme("More", memory_key="two"),
    "organize": lambda garden: garden.organize("heron essence"),
    "sync": lambda garden: garden.sync({"memory": "heron comments"}),
}


def opened(folder: Path, now: datetime = LATER) -> Workspace:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    return Workspace.open(project, root=folder / "stores", environment={}, clock=lambda: now)


def prepared(folder: Path) -> None:
    with opened(folder, NOW) as garden:
        for key in ("one", "two", "three"):
            garden.remember(key, f"heron {key}", themes=[THEME])


def files_of(garden: Workspace) -> Files:
    """Give what no cache can bring back: notes and themes."""
    return {
        path.relative_to(garden.path).as_posix(): path.read_bytes()
        for area, ending in [
            ("memory", "md"),
            ("notes", "md"),
            ("essence", "md"),
            ("themes", "json"),
        ]
        for path in (garden.path / area).rglob(f"[!.]*.{ending}")
    }


class Sweep:
    """One verb, from one state of a workspace."""

    def __init__(self, folder: Path, verb: Callable[[Workspace], object]) -> None:
        prepared(folder)
        self._folder = folder
        self._start = Snapshot(folder)
        self._verb = verb
        with opened(folder) as garden:
            self._before = files_of(garden)
            verb(garden)
            self._after = files_of(garden)
        self._layer = Layer(folder)
        self.injected = 0
        self.wrong: list[str] = []

    def run(self, name: str, fault: Fault, step: int) -> None:
        """Let each call fail, or each so manieth one, until the verb makes no more."""
        call = 1
        while True:
            self._start.restore()
            with opened(self._folder) as garden:
                fired, problems = self._once(garden, fault, call)
            self.injected += fired
            self.wrong += [f"{name}, call {call}: {problem}" for problem in problems]
            if not fired:
                return
            call += step

    def _once(self, garden: Workspace, fault: Fault, call: int) -> tuple[int, list[str]]:
        error: Exception | None = None
        self._layer.arm(call, fault)
        try:
            self._verb(garden)
        except Exception as raised:  # noqa: BLE001 — whatever gets out is what is looked for
            error = raised
        fired = self._layer.disarm()
        if error is not None and not isinstance(error, MemboundError):
            return fired, ["".join(traceback.format_exception(error))]
        try:
            return fired, [*self._judged(garden, error), *self._healed(garden)]
        except Exception:  # noqa: BLE001 — the same
            return fired, [traceback.format_exc()]

    def _judged(self, garden: Workspace, error: Exception | None) -> list[str]:
        files = files_of(garden)
        if error is None and files != self._after:
            return [f"it is said to be done, and is not: {files.keys() ^ self._after.keys()}"]
        problems = [
            f"{path} is neither the former nor the later file after {error!r}"
            for path in files.keys() | self._before.keys() | self._after.keys()
            if files.get(path) not in (self._before.get(path), self._after.get(path))
        ]
        bodies = {data.rpartition(b"\n")[2] for path, data in files.items() if path[-1] == "d"}
        for path, data in self._before.items():
            body = data.rpartition(b"\n")[2]
            kept = path in self._after or any(one.endswith(body) for one in self._after.values())
            if path.endswith(".md") and kept and path not in files and body not in bodies:
                problems.append(f"{path} is lost after {error!r}")
        return problems

    def _healed(self, garden: Workspace) -> list[str]:
        """The fault is gone: this workspace, and another one, work and tell what the files tell."""
        garden.remember("again", "heron again")
        problems = self._sound(garden, "the same workspace")
        with opened(self._folder) as other:
            return problems + self._sound(other, "another one")

    def _sound(self, garden: Workspace, which: str) -> list[str]:
        notes = {path for path in files_of(garden) if path.endswith(".md")}
        listed = {f"{one.folder}/{one.key}.md" for one in garden.list().items}
        found = {f"{one.folder}/{one.key}.md" for one in garden.search("heron", limit=64).items}
        garden.sync()
        index = json.loads((garden.path / "index.json").read_bytes())["index"]
        cached = {key for key in index if key.endswith(".md")}
        told = {"a list": listed, "a search": found, "the cache": cached}
        return [
            f"{which}: {what} differs: {one ^ notes}" for what, one in told.items() if one != notes
        ]


def main(work: str, wanted: str) -> None:
    """Try verbs with faults, given as JSON: at each so manieth call of each verb."""
    for verb, steps in json.loads(wanted).items():
        folder = Path(work) / verb.replace(" ", "-")
        folder.mkdir()
        sweep = Sweep(folder, VERBS[verb])
        for name, step in steps.items():
            sweep.run(name, FAULTS[name], step)
        told = {"verb": verb, "injected": sweep.injected, "wrong": sweep.wrong}
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
