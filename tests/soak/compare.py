"""Whether a store is what the model says: every record, every recall, on both paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from membound import MemoryStore
from tests import oracle
from tests.oracle.dates import milliseconds
from tests.soak.model import view
from tests.soak.worker import recall

if TYPE_CHECKING:
    from pathlib import Path

    from tests.soak.model import Model, Records

LARGEST_LOG = 16 * 1024 * 1024
"""Bytes that the write-ahead log of a small store may take; a checkpoint is made every 4 MB."""


def stored(store: MemoryStore) -> Records:
    """Every record as the model tells it."""
    return {record.id: view(record.to_dict()) for record in store.export()}


def expected(model: Model, request: dict[str, Any]) -> dict[str, Any]:
    """What the oracle recalls of the model's records."""
    asked = {**request, "now": milliseconds(request["now"])}
    return oracle.retrieve(list(model.records.values()), asked.pop("query"), **asked)


def assert_recalled(found: dict[str, Any], model: Model, request: dict[str, Any]) -> None:
    wanted = expected(model, request)
    assert found == {name: wanted[name] for name in found}, request


def assert_sound(folder: Path, requests: list[dict[str, Any]], temporary: int) -> None:
    """No half record is visible, index and files agree, and nothing piles up."""
    with (
        MemoryStore.open(folder) as store,
        MemoryStore.open(folder, index=False) as files,
    ):
        assert store.wait_until_ready(60)
        report = store.verify()
        assert report.ok, report
        assert files.verify().quarantined == ()
        for request in requests:
            assert recall(store, request) == recall(files, request), request
        assert store.diagnostics().index_state == "ready"
    assert len(temporaries(folder)) <= temporary
    assert log_size(folder) < LARGEST_LOG


def temporaries(folder: Path) -> list[str]:
    return [file.name for file in (folder / "memory").glob(".*")]


def log_size(folder: Path) -> int:
    """Bytes of the index's write-ahead log."""
    return sum(file.stat().st_size for file in folder.glob("*-wal"))
