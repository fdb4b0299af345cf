"""From the files to the index: a process that goes over loses sight of nothing."""

from __future__ import annotations

from threading import Event, Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any

import pytest

from membound import MemoryStore
from membound.backfill import Backfill
from membound.canonical import CanonicalStore
from membound.intents import follow
from tests.stores import NOW

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another recall"])
def test_what_the_files_have_told_is_not_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, beside: bool
) -> None:
    """A recall turns to the files, the index is filled, one is written, and now they are read."""
    with MemoryStore.open(tmp_path, index=False, durability="relaxed") as store:
        store.remember_many(
            [{"content": f"kiwi {n}", "scope": "user"} for n in range(200)], now=NOW
        )
    may_fill, written, may_settle = Event(), Event(), Event()
    step, load = Backfill.step, CanonicalStore.load

    def held_step(self: Backfill, most: int, timeout: float | None = None) -> bool:
        assert current_thread() is main_thread() or may_fill.wait(60)
        return step(self, most, timeout)

    def held_follow(*arguments: Any, **more: Any) -> bool:  # noqa: ANN401 — passed on
        written.set()
        assert may_settle.wait(60)
        return follow(*arguments, **more)

    def late_load(self: CanonicalStore) -> object:
        if not may_fill.is_set():
            may_fill.set()
            assert reader.wait_until_ready(60)
            assert writer.wait_until_ready(60)
            if beside:
                trace = reader.retrieve("kiwi", now=NOW).trace
                assert (trace.mode, trace.candidate_count) == ("sqlite-fts5", 200)
            monkeypatch.setattr("membound.projection.follow", held_follow)
            verb.start()
            assert written.wait(60)
        return load(self)

    monkeypatch.setattr(Backfill, "step", held_step)
    monkeypatch.setattr(CanonicalStore, "load", late_load)
    with (
        MemoryStore.open(tmp_path, durability="relaxed") as reader,
        MemoryStore.open(tmp_path, durability="relaxed") as writer,
    ):
        verb = Thread(target=lambda: writer.remember("kiwi", scope="user", now=NOW))
        first = reader.retrieve("kiwi", now=NOW).trace
        later = reader.retrieve("kiwi", now=NOW).trace
        may_settle.set()
        verb.join()
        last = reader.retrieve("kiwi", now=NOW).trace
    assert [one.candidate_count for one in (first, later, last)] == [201, 201, 201]
    assert (first.mode, last.mode) == ("filesystem-fallback", "sqlite-fts5")
