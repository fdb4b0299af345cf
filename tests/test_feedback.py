"""Feedback: each event once and durable, nothing dropped silently, and never an exception."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from membound.errors import CanonicalFileError, InvalidInputError
from membound.events import Retrieved, retrieved_events
from membound.feedback import FeedbackLog, FeedbackStatus, record_retrieved
from membound.policy import FeedbackPolicy

if TYPE_CHECKING:
    from pathlib import Path

KIB = 1024
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
ON = FeedbackPolicy(enabled=True, max_segment_bytes=64 * KIB, max_total_bytes=128 * KIB)


class Store(NamedTuple):
    feedback: FeedbackLog

    def now(self) -> datetime:
        return NOW


def events(*memory_ids: str, turn: str = "u") -> tuple[Retrieved, ...]:
    return retrieved_events("t", turn, memory_ids, "2026-07-01T12:00:00.000Z")


def ids_of(some: tuple[Retrieved, ...]) -> tuple[str, ...]:
    return tuple(event.id for event in some)


def log_of(folder: Path, policy: FeedbackPolicy = ON) -> FeedbackLog:
    return FeedbackLog(folder, policy)


def logged(folder: Path) -> list[dict[str, Any]]:
    paths = sorted((folder / "memory-feedback").iterdir())
    return [
        msgspec.json.decode(line) for path in paths for line in path.read_bytes().split(b"\n")[:-1]
    ]


def test_events_are_logged_once_in_order(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    some = events("b", "a", "b")
    assert log.append(some) == ids_of(some)
    assert log.append(some) == ids_of(some)
    assert log_of(tmp_path).append(some) == ids_of(some)
    assert logged(tmp_path) == msgspec.to_builtins(list(some))
    assert log.status() == FeedbackStatus(enabled=True, state="ready", event_count=2)
    assert log_of(tmp_path).status() == log.status()


def test_off_means_that_nothing_is_read_or_written(tmp_path: Path) -> None:
    log = log_of(tmp_path, FeedbackPolicy())
    assert log.append(events("a")) == ()
    assert log.status() == FeedbackStatus(enabled=False, state="disabled", event_count=0)
    assert record_retrieved(Store(log), thread_id="t", turn_id="u", memory_ids=["a"]) == ()
    assert not list(tmp_path.iterdir())


def test_a_full_segment_is_followed_by_the_next_and_a_full_log_says_so(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    many = events(*(f"mem_{n}" for n in range(1_000)))
    held = log.append(many)
    assert held == ids_of(many)[: len(held)]
    assert 0 < len(held) < len(many)
    assert logged(tmp_path) == msgspec.to_builtins(list(many[: len(held)]))
    sizes = [path.stat().st_size for path in sorted((tmp_path / "memory-feedback").iterdir())]
    assert len(sizes) == 2
    assert max(sizes) <= ON.max_segment_bytes
    assert sum(sizes) <= ON.max_total_bytes
    status = log.status()
    assert (status.state, status.event_count) == ("degraded", len(held))
    assert "max_total_bytes" in str(status.reason)
    assert log.append(many[:3]) == held[:3]
    (tmp_path / "memory-feedback" / "events-000001.jsonl").unlink()
    assert log.append(events("later")) == ids_of(events("later"))
    assert log.status().state == "ready"


@pytest.mark.parametrize("cut", [1, 2, 50])
def test_a_torn_last_line_is_tolerated_and_repaired(tmp_path: Path, cut: int) -> None:
    log_of(tmp_path).append(events("a", "b"))
    path = tmp_path / "memory-feedback" / "events-000001.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    log = log_of(tmp_path)
    assert log.status() == FeedbackStatus(enabled=True, state="ready", event_count=1)
    assert log.append(events("c")) == ids_of(events("c"))
    kept = ["a", "b", "c"] if cut == 1 else ["a", "c"]  # only the line's end was lost
    assert [event["memoryId"] for event in logged(tmp_path)] == kept
    assert log.status().event_count == len(kept)


def test_a_bad_line_inside_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append(events("a"))
    path = tmp_path / "memory-feedback" / "events-000001.jsonl"
    path.write_bytes(b"\xff\n" + b"[" * 5_000 + b"\n" + path.read_bytes())
    log = log_of(tmp_path)
    assert log.append(events("b")) == ids_of(events("b"))
    status = log.status()
    assert (status.state, status.event_count) == ("degraded", 2)
    assert "2 lines" in str(status.reason)


def append_turns(folder: Path) -> None:
    log = log_of(folder)
    for turn in range(20):
        log.append(events("a", "b", turn=f"u{turn}"))


def test_threads_and_processes_write_each_event_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        list(processes.map(append_turns, [tmp_path] * 2))
    log = log_of(tmp_path)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda turn: log.append(events("a", turn=f"v{turn % 5}")), range(20)))
    found = [event["id"] for event in logged(tmp_path)]
    assert len(found) == len(set(found)) == 45
    assert log.status().event_count == 45


def test_a_log_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    (tmp_path / "memory-feedback").write_text("in the way")
    log = log_of(tmp_path)
    with pytest.raises(CanonicalFileError, match="append to"):
        log.append(events("a"))
    assert log.status().state == "degraded"


def test_record_retrieved_takes_the_moment_from_the_stores_clock(tmp_path: Path) -> None:
    store = Store(log_of(tmp_path))
    asked: dict[str, Any] = {"thread_id": "t", "turn_id": "u", "memory_ids": ["a", "bad id", "b"]}
    assert record_retrieved(store, **asked) == ids_of(events("a", "b"))
    assert logged(tmp_path) == msgspec.to_builtins(list(events("a", "b")))
    later = record_retrieved(store, **(asked | {"turn_id": "v"}), now=NOW.replace(year=2027))
    assert len(later) == 2
    assert logged(tmp_path)[-1]["occurredAt"] == "2027-07-01T12:00:00.000Z"


anything = (
    st.none() | st.integers() | st.text() | st.binary() | st.builds(object) | st.lists(st.text())
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(anything, anything, anything, anything)
def test_record_retrieved_never_raises(
    tmp_path: Path, thread_id: object, turn_id: object, memory_ids: object, now: object
) -> None:
    asked: dict[str, Any] = {"thread_id": thread_id, "turn_id": turn_id, "memory_ids": memory_ids}
    stores: tuple[Any, ...] = (Store(log_of(tmp_path)), now)
    for store in stores:
        for moment in (NOW, now):
            assert isinstance(record_retrieved(store, now=cast("Any", moment), **asked), tuple)


def test_a_failure_is_a_warning_that_names_its_kind_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store(log_of(tmp_path))
    with caplog.at_level(logging.WARNING, "membound"):
        assert record_retrieved(store, thread_id="t", turn_id="u", memory_ids="secret") == ()
    assert caplog.messages == ["feedback was not recorded: InvalidInputError"]


FORK = """
import logging, os, signal, sys, threading
from membound import FeedbackPolicy, MemoryPolicy, MemoryStore, record_retrieved
from membound.errors import StoreClosedError
from membound.events import retrieved_events

logging.basicConfig(format="%(message)s")
held, done = threading.Event(), threading.Event()
told, tell = os.pipe()
signal.alarm(40)

def slowly():
    held.set()
    assert done.wait(30)
    yield from retrieved_events("t", "slow", ["k"], "2026-07-01T12:00:00.000Z")

policy = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))
with MemoryStore.open(sys.argv[1], policy=policy) as store:
    asked = {"thread_id": "t", "turn_id": "u", "memory_ids": ["k"]}
    thread = threading.Thread(target=store.feedback.append, args=[slowly()])
    thread.start()
    assert held.wait(30)
    child = os.fork()
    if not child:
        signal.alarm(30)
        assert record_retrieved(store, **asked) == ()
        try:
            store.feedback.status()
        except StoreClosedError:
            os.write(tell, b"7")
        signal.pause()
    os.close(tell)
    assert os.read(told, 1) == b"7"
    done.set()
    thread.join()
    assert len(record_retrieved(store, **asked)) == 1
    assert store.diagnostics().feedback.event_count == 2
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_records_nothing_and_does_not_hang(tmp_path: Path) -> None:
    words = [sys.executable, "-W", "ignore", "-c", FORK, str(tmp_path)]
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.stderr == "feedback was not recorded: StoreClosedError\n"
    assert done.returncode == 0


def test_text_is_not_a_list_of_ids() -> None:
    with pytest.raises(InvalidInputError):
        retrieved_events("t", "u", "mem_1", "2026-07-01T12:00:00.000Z")


def test_the_log_is_its_owners_only(tmp_path: Path) -> None:
    log_of(tmp_path).append(events("a"))
    folder = tmp_path / "memory-feedback"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [oct(path.stat().st_mode & 0o777) for path in folder.iterdir()] == ["0o600"]
    assert os.listdir(folder) == ["events-000001.jsonl"]  # noqa: PTH208 — hidden files too
