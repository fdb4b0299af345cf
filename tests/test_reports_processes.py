"""Users' reports about whole processes: order, errors that travel, nothing sent or left behind."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import TYPE_CHECKING

from membound import MemoryDraft, MemoryStore
from membound.errors import (
    CanonicalFileError,
    InvalidInputError,
    MemboundError,
    NotFoundError,
    RevisionConflictError,
    StoreBusyError,
)

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2031, 4, 1, 12, tzinfo=UTC)
DETERMINISM = """
import sys
from datetime import UTC, datetime
from membound import MemoryStore
with MemoryStore.open(sys.argv[1]) as store:
    found = store.retrieve("equal note", now=datetime(2031, 4, 1, 12, tzinfo=UTC))
    print(found.context, found.trace)
"""


def test_determinism(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember_many(
            [MemoryDraft(f"equal note {n:02}", scope="user") for n in range(50)], now=NOW
        )
    shown = {
        subprocess.run(
            [sys.executable, "-c", DETERMINISM, tmp_path],
            env={"PYTHONHASHSEED": str(seed), "TZ": ["UTC", "Asia/Tokyo"][seed % 2]},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(6)
    }
    assert len(shown) == 1


def raise_it(error: MemboundError) -> None:
    raise error


def test_pickle() -> None:
    errors = [
        InvalidInputError("tags.0", "text", "7"),
        NotFoundError("k"),
        RevisionConflictError("k", 1, 3),
        StoreBusyError(5.0),
        CanonicalFileError("k.json", "read", "gone"),
    ]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for error in errors:
            came = pool.submit(raise_it, error).exception(60)
            assert (type(came), str(came)) == (type(error), str(error))
            assert vars(pickle.loads(pickle.dumps(error))) == vars(error)  # noqa: S301 — our own


def test_telemetry(tmp_path: Path) -> None:
    script = """
import socket, sys, threading
def refuse(*args, **kwargs): raise AssertionError("network")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
from membound import MemoryStore
with MemoryStore.open(sys.argv[1] + "/s") as store:
    store.remember("the tram leaves at nine", scope="user")
    assert store.retrieve("tram").records
    assert threading.active_count() == 1
"""
    environment = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-c", script, tmp_path], env=environment, cwd=tmp_path, check=True
    )
    files = {path.name for path in (tmp_path / "s").iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == {"s"}
    assert files == {"memory", "memory.lock", "memory.queue", "memory-index.sqlite3"}
