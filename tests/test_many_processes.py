"""Four writers and eight readers in processes of their own: nothing lost, nobody blocked."""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import TYPE_CHECKING

from membound import MemoryStore, RetrievalResult
from tests.foreign import INDEX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from membound import MemoryRecord
    from membound.store import Durability

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
SECONDS = float(os.environ.get("MEMBOUND_SECONDS", "6"))
WRITERS, READERS = 4, 8
NEW_STORES = 60
MOST_WAL = 24 * 2**20
QUERIES = [f"kiwi {word}" for word in ("harvest", "walnut", "river 7", "")]

all_meet: Barrier

Expected = dict[str, tuple[int, str, bool] | None]
"""Revision, content and whether it lives, of every record that was made; None for a purged one."""


def join(barrier: Barrier) -> None:
    global all_meet  # noqa: PLW0603 — how a pool's process keeps what it was given
    all_meet = barrier
    barrier.wait(120)


def change(store: MemoryStore, chance: random.Random, expected: Expected, name: int) -> None:
    """One random change, to a record of this writer's own."""
    mine = [id for id, state in expected.items() if state is not None and state[2]]
    verb = chance.choice(["remember", "remember", "update", "delete", "purge"])
    if verb == "remember" or not mine:
        word = chance.choice(["harvest", "walnut", "river"])
        made = store.remember(f"kiwi {word} {len(expected)} {name}", scope="user", now=NOW)
    elif verb == "purge":
        expected[id := chance.choice(mine)] = None
        store.purge(id)
        return
    elif verb == "delete":
        made = store.delete(chance.choice(mine), now=NOW)
    else:
        made = store.update(chance.choice(mine), content=f"kiwi {len(expected)} {name}", now=NOW)
    expected[made.id] = state_of(made)


def state_of(record: MemoryRecord) -> tuple[int, str, bool]:
    return record.revision, record.content, record.deleted_at is None


def write(folder: str, name: int, durability: Durability) -> tuple[Expected, list[float], str]:
    expected: Expected = {}
    took: list[float] = []
    chance = random.Random(name)
    with nobody_waits_in_vain(), MemoryStore.open(folder, durability=durability) as store:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            began = time.monotonic()
            change(store, chance, expected, name)
            took.append(time.monotonic() - began)
        return expected, took, view(store)


def read(folder: str, name: int, durability: Durability) -> tuple[Expected, list[float], str]:
    took: list[float] = []
    chance = random.Random(name)
    with nobody_waits_in_vain(), MemoryStore.open(folder, durability=durability) as store:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            began = time.monotonic()
            store.retrieve(chance.choice(QUERIES), now=NOW, limit=64)
            took.append(time.monotonic() - began)
        return {}, took, view(store)


@contextmanager
def nobody_waits_in_vain() -> Iterator[None]:
    """Lets the others go on where this process fails."""
    try:
        yield
    except BaseException:
        all_meet.abort()
        raise


def view(store: MemoryStore) -> str:
    """What a process sees once all have stopped writing."""
    all_meet.wait(60)
    seen = [(record.id, record.revision, record.content) for record in store.export()]
    found = from_index(store)
    return repr((seen, [result.context for result in found]))


def from_index(store: MemoryStore) -> list[RetrievalResult]:
    """Recalls through the index, once no process has the files looked at any more."""
    until = time.monotonic() + 60
    while True:
        assert store.wait_until_ready(60)
        found = [store.retrieve(query, now=NOW, limit=64) for query in QUERIES]
        if all(result.trace.mode == "sqlite-fts5" for result in found):
            return found
        assert time.monotonic() < until, store.diagnostics()


def largest_log(folder: Path, running: list[Future[tuple[Expected, list[float], str]]]) -> int:
    """Watches the size of the write-ahead log for as long as anybody works."""
    most = 0
    log = folder / f"{INDEX}-wal"
    while not all(future.done() for future in running):
        if log.exists():
            most = max(most, log.stat().st_size)
        time.sleep(0.02)
    return most


def show(name: str, took: list[float]) -> None:
    took.sort()
    p99, worst = took[len(took) * 99 // 100] * 1e3, took[-1] * 1e3
    print(f"{name}: {len(took)}, p99 {p99:.0f} ms, longest {worst:.0f} ms")  # noqa: T201 — seen with -s


def test_writers_and_readers_share_a_store(tmp_path: Path) -> None:
    context = get_context("spawn")
    barrier = context.Barrier(WRITERS + READERS)
    with ProcessPoolExecutor(
        WRITERS + READERS, mp_context=context, initializer=join, initargs=(barrier,)
    ) as pool:
        jobs = [write] * WRITERS + [read] * READERS
        running = [
            pool.submit(job, str(tmp_path), number, ("full", "relaxed")[number % 2])
            for number, job in enumerate(jobs)
        ]
        log = largest_log(tmp_path, running)
        # No StoreBusyError came out of any of them.
        faults = [fault for future in running if (fault := future.exception())]
        assert faults == []
        results = [future.result() for future in running]
    expected = {id: state for made, *_ in results for id, state in made.items()}
    kept = {id: state for id, state in expected.items() if state is not None}
    for name, part in (("writes", results[:WRITERS]), ("recalls", results[WRITERS:])):
        show(name, [seconds for _, took, _ in part for seconds in took])
    print(f"largest log {log / 2**20:.1f} MiB")  # noqa: T201 — seen with -s
    # A reader that waited for a writer's lock would wait for seconds, and for all of them.
    assert max(seconds for _, took, _ in results[WRITERS:] for seconds in took) < 3
    assert all(len(took) > 3 for _, took, _ in results), "starved"
    assert log < MOST_WAL
    assert len({seen for *_, seen in results}) == 1, "the processes disagree"
    agrees_with_files(tmp_path, kept)


def agrees_with_files(folder: Path, kept: Mapping[str, object]) -> None:
    with MemoryStore.open(folder, durability="relaxed") as store:
        assert {record.id: state_of(record) for record in store.export()} == kept
        assert store.wait_until_ready(30)
        assert store.verify().ok
        indexed = [store.retrieve(query, now=NOW, limit=64) for query in QUERIES]
    with MemoryStore.open(folder, index=False) as store:
        for query, result in zip(QUERIES, indexed, strict=True):
            again = store.retrieve(query, now=NOW, limit=64)
            assert again.context == result.context
            assert again.trace.selected_ids == result.trace.selected_ids


def opened(folder: str) -> list[str]:
    """Opens new stores at the same moments as the others do; why an index could not be used."""
    reasons = []
    for number in range(NEW_STORES):
        all_meet.wait(60)
        with nobody_waits_in_vain(), MemoryStore.open(f"{folder}/{number}") as store:
            reasons.append(store.diagnostics().reason)
    return [reason for reason in reasons if reason is not None]


def test_many_open_a_new_store_at_once(tmp_path: Path) -> None:
    context = get_context("spawn")
    barrier = context.Barrier(READERS)
    with ProcessPoolExecutor(
        READERS, mp_context=context, initializer=join, initargs=(barrier,)
    ) as pool:
        assert list(pool.map(opened, [str(tmp_path)] * READERS)) == [[]] * READERS
