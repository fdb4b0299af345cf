"""What a store makes is its owner's only, whatever the mask; what was there keeps its mode."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore
from tests.foreign import INDEX, python

if TYPE_CHECKING:
    from pathlib import Path

USE = """
import os, sys
os.umask(int(sys.argv[2], 8))
from membound import MemoryPolicy, MemoryStore, record_retrieved
from membound.policy import FeedbackPolicy
folder, policy = sys.argv[1], MemoryPolicy(feedback=FeedbackPolicy(enabled=True))
with MemoryStore.open(folder, policy=policy) as store:
    one = store.remember("the tram leaves at nine", scope="user")
    store.update(one.id, content="the tram leaves at ten")
    record_retrieved(store, thread_id="t", turn_id="1", memory_ids=[one.id])
    assert store.retrieve("tram").trace.index_state == "ready"
    print(*os.listdir(folder), flush=True)
    store.rebuild_index()
    os._exit(0)
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", ["0", "022", "077"])
def test_modes_do_not_depend_on_the_mask(tmp_path: Path, mask: str) -> None:
    folder = tmp_path / "some" / "where" / "store"
    with python(USE, folder, mask) as used:
        assert used.wait(60) == 0
    made = [tmp_path / "some", *(tmp_path / "some").rglob("*")]
    names = {path.name for path in made}
    assert {INDEX, f"{INDEX}-wal", f"{INDEX}-shm", "memory.lock"} < names
    assert "events-000001.jsonl" in names
    for path in made:
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path


def test_what_is_there_keeps_its_mode(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path) as store:
        id = store.remember("the tram leaves at nine", scope="user").id
    modes = {tmp_path: 0o755, tmp_path / "memory": 0o2750, tmp_path / "memory.lock": 0o640}
    modes[tmp_path / INDEX] = 0o660
    for path, bits in modes.items():
        path.chmod(bits)
    with MemoryStore.open(tmp_path) as store:
        store.update(id, content="the tram leaves at ten")
        beside = {mode(path) for path in tmp_path.glob(f"{INDEX}-*")}
    assert {path: mode(path) for path in modes} == modes
    # SQLite gives the files beside the index the index's mode, so that its readers can read them.
    assert beside == {0o660}
    assert mode(tmp_path / "memory" / f"{id}.json") == 0o600
    assert [path.name for path in (tmp_path / "memory").iterdir()] == [f"{id}.json"]
