"""Sixteen threads on one store: nothing lost, nobody starved."""

from __future__ import annotations

import os
import random
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from membound import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
SECONDS = float(os.environ.get("MEMBOUND_SECONDS", "4"))
THREADS = 16


class Worker(threading.Thread):
    """Changes records of its own, reads everybody's, and keeps account of both."""

    def __init__(self, store: MemoryStore, number: int, until: float) -> None:
        super().__init__()
        self.store = store
        self.number = number
        self.until = until
        self.expected: dict[str, tuple[int, str]] = {}
        self.alive: list[str] = []
        self.done = 0
        self.fault: BaseException | None = None

    def run(self) -> None:
        chance = random.Random(self.number)
        try:
            while time.monotonic() < self.until:
                self.step(chance)
                self.done += 1
        except BaseException as fault:  # noqa: BLE001 — told to the main thread
            self.fault = fault

    def step(self, chance: random.Random) -> None:
        verb = chance.choice(["remember", "update", "delete", "retrieve"])
        text = f"kiwi {self.number} {self.done}"
        if verb == "retrieve":
            assert self.store.retrieve("kiwi", now=NOW).records or not self.alive
            return
        if verb == "remember" or not self.alive:
            made = self.store.remember(text, scope="user", now=NOW)
            self.alive.append(made.id)
        else:
            id = chance.choice(self.alive)
            if verb == "update":
                made = self.store.update(id, content=text, now=NOW)
            else:
                made = self.store.delete(id, now=NOW)
                self.alive.remove(id)
        assert self.store.get(made.id) == made
        self.expected[made.id] = (made.revision, made.content)


def test_sixteen_threads_lose_nothing_and_starve_nobody(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed", tokenizer="v1") as store:
        until = time.monotonic() + SECONDS
        workers = [Worker(store, number, until) for number in range(THREADS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.fault for worker in workers if worker.fault] == []
        shares = sorted(worker.done for worker in workers)
        print(f"steps of each thread: {shares}")  # noqa: T201 — seen with -s
        # All wait for the same lock in turn, so that no thread gets far ahead of another one.
        assert shares[0] > 0
        assert shares[-1] <= 4 * shares[0] + 10
        expected = {id: state for worker in workers for id, state in worker.expected.items()}
        kept = {record.id: (record.revision, record.content) for record in store.export()}
        assert kept == expected
        assert store.retrieve("kiwi", now=NOW).trace.mode == "sqlite-fts5"
        assert store.verify().ok
