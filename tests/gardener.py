"""A process that changes notes of its own in a workspace, and says before and after each change.

`python -m tests.gardener PROJECT ROOT NAME SEED SECONDS`: what it says it will do is in flight
until it says that it is done, and from then on has to be there, whatever happens to the process. At
the end it waits for a line, then tells all that it sees.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from membound.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["END", "FOLDERS", "THEME", "Garden", "Gardener", "after", "seen", "step"]

Step = dict[str, Any]
Garden = dict[str, str]
"""The bodies of notes, by folder and key with a slash between."""

FOLDERS = ("memory", "memory/decisions", "memory/知识/深", "notes")
THEME = "All of it"
END = "\nthe end"
"""How each body ends, so that half a file is known as such."""
WORDS = ("heron", "walnut", "river", "茶树")


def step(garden: Garden, chance: random.Random, name: str, number: int) -> Step:
    """Choose a change: mostly of a new note, else of one that is there."""
    words = " ".join(chance.choices(WORDS, k=chance.choice([1, 5, 400])))
    body = f"{name} {number} {words}{END}"
    place = f"{chance.choice(FOLDERS)}/{name}-{number}"
    verb = chance.choice(["new", "new", "change", "move", "delete"])
    if verb == "new" or not garden:
        return {"verb": "remember", "place": place, "body": body, "themed": chance.random() < 0.3}
    old = chance.choice(sorted(garden))
    if verb == "change":
        return {"verb": "remember", "place": old, "body": body, "themed": False}
    return {"verb": verb, "place": old, "to": place}


def after(garden: Garden, step: Step) -> Garden:
    """Give what a garden is once a change is done."""
    changed = dict(garden)
    if step["verb"] == "remember":
        changed[step["place"]] = step["body"]
    elif step["verb"] == "move":
        changed[step["to"]] = changed.pop(step["place"])
    else:
        del changed[step["place"]]
    return changed


def do(workspace: Workspace, step: Step) -> None:
    folder, _, key = step["place"].rpartition("/")
    if step["verb"] == "remember":
        themes = [THEME] if step["themed"] else []
        workspace.remember(key, step["body"], folder=folder, tags=["garden"], themes=themes)
    elif step["verb"] == "move":
        to, _, new = step["to"].rpartition("/")
        workspace.move(key, to, folder=folder, new_key=new)
    else:
        assert workspace.delete(key, folder=folder)


def seen(workspace: Workspace) -> Garden:
    """Give all notes that a workspace lists, as it recalls them."""
    garden: Garden = {}
    cursor = None
    while True:
        page = workspace.list(cursor=cursor)
        for item in page.items:
            note = workspace.recall(item.key, folder=item.folder)
            assert note is not None, item
            garden[f"{item.folder}/{item.key}"] = note.content
        if (cursor := page.next_cursor) is None:
            return garden


class Gardener:
    """The handle of such a process.

    Attributes:
        garden: what it has acknowledged of its notes.
        flying: the change that it has begun and not acknowledged.
        steps: how many it has acknowledged.
    """

    def __init__(self, project: Path, root: Path, name: str, seed: str, seconds: float) -> None:
        words = [str(project), str(root), name, seed, str(seconds)]
        self.garden: Garden = {}
        self.flying: Step | None = None
        self.steps = 0
        self._themed: set[str] = set()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.gardener", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=__file__.rpartition("/tests/")[0],
        )

    @property
    def _output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def follow(self, steps: int | None = None) -> None:
        """Listen until it has acknowledged so many steps, or to its end."""
        while steps is None or self.steps < steps:
            line = self._output.readline()
            if not line.endswith("\n") or (said := json.loads(line)) == "ended":
                return
            if said == "done":
                assert self.flying is not None
                self._acknowledge(self.flying)
                self.flying = None
                self.steps += 1
            else:
                self.flying = said

    def _acknowledge(self, step: Step) -> None:
        self.garden = after(self.garden, step)
        place = step["place"]
        if step["verb"] == "move" and place in self._themed:
            self._themed.add(step["to"])
        if step["verb"] != "remember":
            self._themed.discard(place)
        elif step["themed"]:
            self._themed.add(place)

    def themed(self) -> set[str]:
        """Give the places of the notes that are in the theme."""
        return self._themed

    def sees(self) -> Garden:
        """Ask it for all that it sees."""
        output, _ = self._process.communicate("now\n", timeout=60)
        assert self._process.returncode == 0
        garden: Garden = json.loads(output)
        return garden

    def kill(self) -> None:
        """Kill it, and listen to what it had still said."""
        self._process.kill()
        self.follow()
        self._process.communicate()

    def possible(self) -> list[Garden]:
        """Give what its notes may be: the change in flight may be done or not."""
        if self.flying is None:
            return [self.garden]
        done = after(self.garden, self.flying)
        # A note that moves is there anew before it goes from where it was.
        return [self.garden, done, *([self.garden | done] if self.flying["verb"] == "move" else [])]


def say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    project, root, name, seed, seconds = sys.argv[1:]
    chance = random.Random(seed)
    garden: Garden = {}
    with Workspace.open(project, root=root, environment={}) as workspace:
        until = time.monotonic() + float(seconds)
        number = 0
        while time.monotonic() < until:
            chosen = step(garden, chance, name, number := number + 1)
            say(chosen)
            do(workspace, chosen)
            say("done")
            garden = after(garden, chosen)
        say("ended")
        sys.stdin.readline()
        say(seen(workspace))


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main()
