"""What is measured in a process of its own: a build, an opening, interleaved rounds.

`python -m benches.compare.apart '{"task": …}'` prints its findings as one line of JSON.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from benches.compare.corpus import Corpus
from benches.compare.engines import engine

if TYPE_CHECKING:
    from benches.compare.engines.engine import Engine

ROOT = Path(__file__).parent.parent.parent
WARMING = 3
"""Questions that are asked before any is timed; no timed one is among them."""


class Task(TypedDict):
    """What to do, for which engines, over which corpus, in which folder."""

    task: str
    names: list[str]
    records: int
    seed: int
    folder: str
    questions: int
    seconds: float
    in_a_row: int


def apart(**task: Unpack[Task]) -> Any:  # noqa: ANN401 — the JSON of one of the functions below
    """Run a task in a new process and give what it found."""
    command = (sys.executable, "-m", "benches.compare.apart", json.dumps(task))
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)  # noqa: S603 — us
    return json.loads(done.stdout)


def build(task: Task) -> dict[str, Any]:
    """Time a build of one engine, and weigh what it leaves on disk."""
    one = engine(task["names"][0])
    statements = list(Corpus(task["records"], task["seed"]))
    folder = Path(task["folder"]) / one.folder
    folder.mkdir()
    start = perf_counter()
    one.build(statements, folder)
    return {"build": perf_counter() - start, "disk": one.disk(folder)}


def opening(task: Task) -> dict[str, float]:
    """Time an opening up to the first answer, and tell by how much memory the process grew."""
    one = engine(task["names"][0])
    asked = Corpus(task["records"], task["seed"]).questions(WARMING)
    gc.collect()
    before = _resident()
    start = perf_counter()
    one.open(Path(task["folder"]) / one.folder)
    one.question(asked[0])()
    seconds = perf_counter() - start
    for query in asked[1:]:
        one.question(query)()
    gc.collect()
    grown = _resident() - before
    one.close()
    return {"open": seconds, "resident": grown}


def rounds(task: Task) -> dict[str, dict[str, list[Any]]]:
    """Ask some questions of each engine before the next ones; one whose time is used up rests.

    So what disturbs the machine disturbs all. With one question in a row each finds the processor's
    caches as the others left them; with more, as it left them itself by a question before that is
    not timed. The order among engines is another one in each round.
    """
    engines = [engine(name) for name in task["names"]]
    queries = Corpus(task["records"], task["seed"]).questions(WARMING + task["questions"])
    for one in engines:
        one.open(Path(task["folder"]) / one.folder)
        for query in queries[:WARMING]:
            one.question(query)()
    gc.collect()
    gc.freeze()
    random = Random(task["seed"])
    found = {one.name: Asked(one, task["seconds"]) for one in engines}
    for at in range(WARMING, len(queries), task["in_a_row"]):
        for asked in random.sample(list(found.values()), len(engines)):
            if task["in_a_row"] > 1 and asked.left > 0:
                asked.engine.question(queries[at - 1])()
            for query in queries[at : at + task["in_a_row"]]:
                asked.ask(query)
    for one in engines:
        one.close()
    return {name: {"seconds": asked.times, "rows": asked.rows} for name, asked in found.items()}


class Asked:
    """What an engine answered, and how fast, until its time was used up."""

    def __init__(self, engine: Engine[Any], seconds: float) -> None:
        self.engine = engine
        self.times: list[float] = []
        self.rows: list[list[int]] = []
        self.left = seconds

    def ask(self, query: str) -> None:
        """Ask a question and note the answer, if there is time left."""
        if self.left <= 0:
            return
        question = self.engine.question(query)
        start = perf_counter()
        answer = question()
        self.times.append(perf_counter() - start)
        self.left -= self.times[-1]
        self.rows.append(list(self.engine.rows(answer)))


def _resident() -> int:
    """Bytes of this process in memory, where the system tells."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if pages.exists() else 0


if __name__ == "__main__":
    given: Task = json.loads(sys.argv[1])
    tasks = {"build": build, "open": opening, "rounds": rounds}
    json.dump(tasks[given["task"]](given), sys.stdout)
