"""Pools of processes, however they are started: a store is opened anew or refused, never shared."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from membound import MemoryPolicy, MemoryStore
from membound.errors import InvalidInputError, StoreClosedError
from membound.policy import FeedbackPolicy

if TYPE_CHECKING:
    from pathlib import Path

    from membound import MemoryRecord

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
STARTS = ["fork", "spawn", "forkserver"]

inherited: MemoryStore | None = None


def work(folder: str, number: int) -> tuple[int, bool, MemoryRecord]:
    """Uses the store in this process, opened here."""
    with MemoryStore.open(folder, durability="relaxed") as store:
        made = store.remember(f"kiwi {number}", scope="user", now=NOW)
        found = store.retrieve(made.content, now=NOW).trace.selected_ids
        return os.getpid(), made.id in found, made


def use_what_was_inherited(_number: int) -> str:
    if inherited is None:
        return "nothing was inherited"
    try:
        inherited.retrieve("kiwi")
    except StoreClosedError as fault:
        return str(fault)
    return "it answered"


def never_reached(live: object) -> None:
    raise AssertionError(live)


@pytest.mark.parametrize("start", STARTS)
def test_the_processes_of_a_pool_open_the_store_themselves(tmp_path: Path, start: str) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember("kiwi", scope="user", id="first", now=NOW)
        with ProcessPoolExecutor(2, mp_context=get_context(start)) as pool:
            done = list(pool.map(work, [str(tmp_path)] * 8, range(8), timeout=120))
        assert os.getpid() not in {process for process, *_ in done}
        assert all(found for _, found, _ in done)
        # The pool's records came back whole, and this process sees them.
        made = {record.id: record for *_, record in done}
        assert made | {"first": store.get("first")} == {r.id: r for r in store.export()}
        assert store.retrieve("kiwi 3", now=NOW).trace.mode == "sqlite-fts5"
        assert store.verify().ok


@pytest.mark.parametrize("start", STARTS)
def test_a_store_from_before_the_pool_is_refused_in_it(tmp_path: Path, start: str) -> None:
    global inherited  # noqa: PLW0603 — what a forked process finds
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember("kiwi", scope="user", now=NOW)
        inherited = store
        try:
            with ProcessPoolExecutor(2, mp_context=get_context(start)) as pool:
                told = set(pool.map(use_what_was_inherited, range(4), timeout=120))
        finally:
            inherited = None
        refused = "the store was opened before the fork; open it in this process"
        assert told == {refused if start == "fork" else "nothing was inherited"}
        assert store.retrieve("kiwi", now=NOW).trace.mode == "sqlite-fts5"
        store.remember("pear", scope="user", now=NOW)
        assert store.verify().ok


@pytest.mark.parametrize("start", STARTS)
def test_a_live_store_and_its_log_say_what_to_send_instead(tmp_path: Path, start: str) -> None:
    policy = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))
    with (
        MemoryStore.open(tmp_path, policy=policy) as store,
        ProcessPoolExecutor(1, mp_context=get_context(start)) as pool,
    ):
        for live in (store, store.feedback):
            with pytest.raises(InvalidInputError, match="the path of the store"):
                pool.submit(never_reached, live).result(60)
        # The pool is not broken by the refusal.
        assert pool.submit(os.getpid).result(60) != os.getpid()
