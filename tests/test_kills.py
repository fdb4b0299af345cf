"""What was acknowledged is there after `kill -9` at any moment, and nothing else is.

A worker is killed again and again, at points that chance chooses, on one and the same store, so
that damage would add up. MEMBOUND_KILLS says how often, MEMBOUND_SEED which points; the long run is

    MEMBOUND_KILLS=1000 python -m pytest tests/test_kills.py -s
"""

from __future__ import annotations

import json
import os
import random
import statistics
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from membound import MemoryStore
from membound.backfill import STEP
from tests.foreign import INDEX, python
from tests.soak.compare import assert_recalled, assert_sound, stored, temporaries
from tests.soak.model import Model, settled, view, views
from tests.soak.process import Worker
from tests.soak.steps import START, Steps, stamp
from tests.soak.worker import recall
from tests.test_hand_edits import EDITS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.soak.model import Command

KILLS = int(os.environ.get("MEMBOUND_KILLS", "40"))
SEED = os.environ.get("MEMBOUND_SEED", "kills")
COMMANDS = 8
"""Most commands that are acknowledged before a kill."""
LONGEST_OPENING = 5.0
"""Seconds; some hundredths were measured, and a busy machine is allowed the rest."""


class Kills:
    """One store, its model, and what the kills met."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "store"
        self.chance = random.Random(SEED)
        self.model = Model()
        self.steps = Steps(self.chance, self.model)
        self.met: Counter[str] = Counter()
        self.openings: list[float] = []
        self.pace = 0.02
        self.plans = 0
        self.workers = 0
        self.acknowledged = 0
        self.killed = 0

    def planned(self, taken: frozenset[str] = frozenset()) -> list[Command]:
        """The commands of one worker: each is chosen from what those before it will have made."""
        self.plans += 1
        future = Model()
        future.records, future.purged = dict(self.model.records), set(self.model.purged)
        steps = Steps(self.chance, future, f"k{self.plans}-")
        steps.now = self.steps.now
        commands = []
        for number in range(COMMANDS + 1):
            command = steps.command(taken)
            commands.append(command)
            if command["verb"] == "supersede":
                # The store will choose the id, so no later command can name it.
                command["new"] = f"?{number}"
                taken |= {command["new"]}
            future.take(future.changes(command))
        self.steps.now = steps.now
        return commands

    def worker(self, commands: list[Command], durability: str = "full") -> Worker:
        self.workers += 1
        plan = self.folder.parent / f"commands{self.workers}"
        plan.write_text("".join(json.dumps(command) + "\n" for command in commands))
        with plan.open() as file:
            return Worker(self.folder, durability, file)

    def one(self) -> None:
        """Have a worker change the store, kill it, and judge what is left."""
        commands = self.planned()
        left = len(temporaries(self.folder))
        with self.worker(commands) as worker:
            heard = self.killed_at_some_point(worker.opened(), len(commands))
        self.met["a temporary file is left"] += len(temporaries(self.folder)) > left
        self.acknowledge(commands, heard)
        rest = commands[len(heard) :]
        if self.chance.random() < 0.3:
            # What a purge has left to erase is noted in the index.
            self.kill_the_next_opening(keep_index=bool(rest) and rest[0]["verb"] == "purge")
        self.judge(rest)

    def one_of_two(self) -> None:
        """Have two workers change the store at once, each its own records, and kill one of them."""
        commands = self.planned()
        others = self.planned(frozenset().union(*map(self.model.touched, commands)))
        with self.worker(commands) as worker, self.worker(others) as other:
            other.opened()
            heard = self.killed_at_some_point(worker.opened(), len(commands))
            answers = [other.hear() for _ in others]
            assert other.end() == 0
        self.met["another goes on"] += 1
        self.acknowledge(others, answers)
        self.acknowledge(commands, heard)
        self.judge(commands[len(heard) :])

    def killed_at_some_point(self, worker: Worker, most: int) -> list[Any]:
        """Kill a worker at any moment of its work; what it has acknowledged."""
        begun = time.perf_counter()
        heard = [worker.hear() for _ in range(self.chance.randrange(most))]
        if heard:
            self.pace = (time.perf_counter() - begun) / len(heard)
        time.sleep(self.chance.uniform(0, 1.5 * self.pace))
        self.killed += 1
        return heard + worker.kill()

    def acknowledge(self, commands: list[Command], answers: list[Any]) -> None:
        """Hold each answer against the model, which has taken all before it."""
        for command, answer in zip(commands, answers, strict=False):
            assert "error" not in answer, (command, answer)
            if command["verb"] == "supersede":
                command["new"] = next(iter(answer))
            changes = self.model.changes(command)
            told = {id: record and view(record) for id, record in answer.items()}
            assert {id: told[id] for id in changes} == views(changes), command
            self.model.take(changes)
        self.acknowledged += len(answers)

    def judge(self, rest: list[Command]) -> None:
        """Open what is left: what was acknowledged, and a beginning of the command in flight."""
        with self.opened() as store:
            found = stored(store)
            if rest:
                self.settle(rest[0], found)
            assert found == views(self.model.records)
        requests = [self.steps.request() for _ in range(3)]
        with MemoryStore.open(self.folder, tokenizer="v1") as store:
            for request in requests:
                assert_recalled(recall(store, request), self.model, request)
        assert_sound(self.folder, requests, temporary=self.killed)

    def settle(self, command: Command, found: dict[str, Any]) -> None:
        done = settled(self.model, command, found)
        whole = len(done) == len(self.model.changes(command))
        self.met[f"{command['verb']}: {'done' if whole else 'partly' if done else 'not done'}"] += 1
        self.model.take(done)

    def opened(self) -> MemoryStore:
        begun = time.perf_counter()
        store = MemoryStore.open(self.folder, tokenizer="v1")
        self.openings.append(time.perf_counter() - begun)
        return store

    def kill_the_next_opening(self, *, keep_index: bool) -> None:
        """Kill a process while it opens the store, now and then one that has to fill the index."""
        if self.chance.random() < 0.5 and not keep_index:
            (self.folder / INDEX).unlink(missing_ok=True)
        with Worker(self.folder) as worker:
            assert worker.hear() == "opening"
            time.sleep(self.chance.uniform(0, 0.05))
            self.met["opening: " + ("over" if worker.kill() else "under way")] += 1
        self.killed += 1

    def report(self) -> str:
        verbs = "\n".join(f"  {met:26} {count}" for met, count in sorted(self.met.items()))
        return (
            f"seed {SEED}: {self.killed} kills, {self.acknowledged} commands acknowledged, "
            f"{len(self.model.records)} records; opening after a kill: median "
            f"{statistics.median(self.openings):.3f} s, most {max(self.openings):.3f} s\n"
            f"in flight:\n{verbs}"
        )


def test_what_was_acknowledged_survives_kills_at_any_moment(tmp_path: Path) -> None:
    kills = Kills(tmp_path)
    while kills.killed < KILLS:
        try:
            kills.one_of_two() if kills.chance.random() < 0.15 else kills.one()
        except AssertionError:
            print(kills.report())  # noqa: T201 — how to repeat it
            raise
    print(kills.report())  # noqa: T201 — what a long run has met
    assert kills.acknowledged >= KILLS
    assert max(kills.openings) < LONGEST_OPENING


OPENS = """
import json, sys, threading
from membound import MemoryStore
looked = []
def watch(event, arguments):
    if event == "open" and str(arguments[0]).endswith(".json"):
        looked.append(arguments[0])
sys.addaudithook(watch)
store = MemoryStore.open(sys.argv[1])
at_once = len(looked)
assert store.wait_until_ready(60)
store.retrieve("walnut")
assert store.diagnostics().index_state == "ready"
print(json.dumps([at_once, len(looked)]))
assert store.verify().ok
"""


def kill_a_writer(folder: Path, name: str) -> int:
    """Kill a worker while it writes files of its own; how many it was to write."""
    drafts = [{"content": "walnut", "scope": "user", "id": f"{name}{n}"} for n in range(50)]
    with Worker(folder).opened() as worker:
        worker.tell({"verb": "remember_many", "now": stamp(START), "drafts": drafts})
        deadline = time.monotonic() + 5
        while not temporaries(folder) and time.monotonic() < deadline:
            time.sleep(0.001)
        worker.kill()
    return len(drafts)


def filled(folder: Path, count: int, name: str = "m") -> Path:
    drafts = [{"content": f"kiwi {n}", "scope": "user", "id": f"{name}{n}"} for n in range(count)]
    with MemoryStore.open(folder, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(drafts)
    return folder


def test_opening_after_a_kill_looks_at_few_files_however_many_there_are(tmp_path: Path) -> None:
    folder = filled(tmp_path / "store", 1_000)
    time.sleep(2.1)  # what was written just before the state that is known is looked at again
    filled(folder, 1, "n")
    for number in range(3):
        written = kill_a_writer(folder, f"w{number}-")
        with python(OPENS, folder) as opening:
            assert opening.stdout is not None
            at_once, all_in_all = json.loads(opening.stdout.readline())
        assert opening.returncode == 0
        assert at_once <= STEP + written
        # Looked at because their writer died, again because they were touched, and those before.
        assert all_in_all <= 1 + (number + 2) * written


@pytest.mark.parametrize("name", EDITS)
def test_what_others_did_while_a_writer_lay_dead_is_found(tmp_path: Path, name: str) -> None:
    edit, kiwis, pears = EDITS[name]
    folder = filled(tmp_path / "store", 3)
    kill_a_writer(folder, "w")
    edit(folder / "memory")
    with MemoryStore.open(folder) as store:
        assert store.wait_until_ready(60)
        for query, wanted in (("kiwi", kiwis), ("pear", pears)):
            assert set(store.retrieve(query).trace.selected_ids) == wanted
        assert store.verify().ok == (name != "broken")


class Stop(BaseException):
    pass


def test_a_stop_while_files_are_written_leaves_no_record_replaced_by_one_that_is_not_there(
    store: MemoryStore,
) -> None:
    store.remember("kiwi old", scope="user", id="old", now=START)
    draft = {"content": "kiwi new", "scope": "user", "id": "new", "supersedes": "old"}

    def stop(_written: int, _all: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        store.remember_many([draft], progress=stop, now=START)
    assert [record.id for record in store.export()] == ["old"]
    assert store.get("old").superseded_at is None
    assert store.retrieve("kiwi", now=START).trace.selected_ids == ("old",)
