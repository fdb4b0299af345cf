"""Revisions: a change keeps the state before it, within the bounds of the history."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.records import MemoryRecord
from membound.revision import revised

RECORD = MemoryRecord.from_dict(
    {
        "id": "mem_1",
        "content": "kiwi",
        "scope": "user",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "updatedAt": "2026-01-01T00:00:00.000Z",
        "expiresAt": "2027-01-01T00:00:00.000Z",
        "later": [1],
    },
)
LATER = "2026-02-01T00:00:00.000Z"


def changed(record: MemoryRecord, **changes: object) -> MemoryRecord:
    return revised(record, operation="update", now_text=LATER, changes=changes)


def test_a_change_keeps_the_state_before_it() -> None:
    after = changed(RECORD, content="pear", tags=("a",), expires_at=None, disabled_at=LATER)
    assert (after.content, after.tags, after.expires_at) == ("pear", ("a",), None)
    assert (after.revision, after.updated_at, after.created_at) == (2, LATER, RECORD.created_at)
    assert after.loose == RECORD.loose
    (before,) = after.history
    assert (before.revision, before.changed_at, before.operation) == (1, LATER, "update")
    assert before.snapshot.content == "kiwi"
    assert before.snapshot.expires_at == RECORD.expires_at
    assert before.snapshot.sources == RECORD.sources
    assert MemoryRecord.from_json(after.to_json()) == after


def test_the_history_keeps_the_last_twenty() -> None:
    record = RECORD
    for number in range(25):
        record = changed(record, content=f"state {number}")
    assert record.revision == 26
    assert [before.revision for before in record.history] == list(range(6, 26))


@given(
    st.lists(st.integers(1, 16_384), min_size=1, max_size=8),
    st.sampled_from(["x", '"', "\u00e9", "\U0001f600"]),
)
def test_the_history_stays_short_as_json(lengths: list[int], character: str) -> None:
    record = RECORD
    for length in lengths:
        record = changed(record, content=character * length)
    history = [before.to_dict() for before in record.history]
    assert len(str(msgspec.json.encode(history), "utf-8")) <= 64_000
    newest = range(record.revision - len(history), record.revision)
    assert [before.revision for before in record.history] == list(newest)
    if sum(lengths) * len(msgspec.json.encode(character)) < 30_000:
        assert len(history) == len(lengths)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"content": ""}, "content"),
        ({"content": None}, "content"),
        ({"tags": None}, "tags"),
        ({"valid_to": "soon"}, "valid_to"),
        ({"valid_from": LATER, "valid_to": RECORD.created_at}, "valid_to"),
        ({"confidence": 2}, "confidence"),
        ({"authority": "directive", "content": "x" * 1_001}, "content"),
        ({"scope": "project"}, "changes"),
        ({"history": ()}, "changes"),
        ({"contents": "x"}, "changes"),
    ],
)
def test_an_unfit_change_is_refused_by_its_argument(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        changed(RECORD, **changes)
    assert type(refused.value) is InvalidInputError
    assert refused.value.field == field


def test_a_long_directive_of_another_writer_can_still_be_disabled() -> None:
    long = MemoryRecord.from_dict(
        RECORD.to_dict() | {"authority": "directive", "content": "x" * 1_001}
    )
    assert changed(long, disabled_at=LATER).disabled_at == LATER
