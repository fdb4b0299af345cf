"""Canonical JSON: read at once or with care, a text gives the same record, or the same refusal."""

from __future__ import annotations

import re
from enum import Enum, StrEnum
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.canonical_json import as_written, compact, indented
from membound.errors import InvalidRecordError
from membound.parts import AgentContext, Provenance, Source
from membound.records import MemoryRecord, read_record, reread
from membound.strict_json import json_object
from tests.strategies import records
from tests.test_records import record_trees

LINE = re.compile(r'(\s*)"(\w*)": (.*?)(,?)')
VALUES = [
    "null",
    "true",
    "0",
    "-0.0",
    "1e0",
    "1.50",
    "NaN",
    "1e400",
    '""',
    r'"\ud800"',
    r'"\u0000"',
    r'"\u0041"',
    '"2026-02-29T00:00:00.000Z"',
    "[]",
    '["a", "a"]',
    "{}",
    '{"": {"a": 1}}',
    '{"kind": "user", "turnId": null}',
]
KEYS = ["", "id", "x", "validFrom", "validTo", "confidence", "sources", "provenance", "history"]


class Word(StrEnum):
    KIWI = "kiwi"


class Fruit(Enum):
    KIWI = "kiwi"


class Plain(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "another"


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Draw canonical JSON in which a few lines were changed, doubled, lost or put elsewhere."""
    tree = draw(record_trees() | records().filter(bool).map(lambda trees: trees[0]))
    lines = MemoryRecord.from_dict(tree).to_json().decode().split("\n")
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(lines) - 1))
        line = LINE.fullmatch(lines[at])
        match draw(st.sampled_from(["value", "key", "double", "lose", "move", "space"])):
            case "value" if line:
                value = draw(st.sampled_from(VALUES))
                lines[at] = f'{line[1]}"{line[2]}": {value}{line[4]}'
            case "key" if line:
                key = draw(st.sampled_from(KEYS))
                lines.insert(at, f'{line[1]}"{key}": {draw(st.sampled_from(VALUES))},')
            case "double":
                lines.insert(at, lines[at])
            case "lose":
                del lines[at]
            case "move":
                lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
            case _:
                lines[at] += " "
    return "\n".join(lines).encode()


def with_care(text: bytes) -> MemoryRecord | str:
    try:
        return MemoryRecord.from_dict(json_object(text))
    except InvalidRecordError as fault:
        return str(fault)


def at_once(text: bytes) -> MemoryRecord | str:
    try:
        return MemoryRecord.from_json(text)
    except InvalidRecordError as fault:
        return str(fault)


@given(texts())
def test_a_text_is_read_at_once_as_it_is_with_care(text: bytes) -> None:
    found = with_care(text)
    assert at_once(text) == found
    if isinstance(found, MemoryRecord):
        assert repr(MemoryRecord.from_json(text)) == repr(found)
        assert read_record(text) == reread(found) == (found, found.to_json())
        assert (as_written(text, MemoryRecord) is not None) <= (text == found.to_json())


@given(records())
def test_what_we_write_is_read_at_once(trees: list[dict[str, Any]]) -> None:
    for record in map(MemoryRecord.from_dict, trees):
        text = record.to_json()
        assert as_written(text, MemoryRecord) == record
        assert read_record(text) == (record, text)


@given(record_trees())
def test_a_record_is_written_as_its_plain_values_are(tree: dict[str, Any]) -> None:
    record = MemoryRecord.from_dict(tree)
    assert compact(record) == msgspec.json.encode(record.to_dict())
    assert record.to_json() == indented(compact(record))


@pytest.mark.parametrize("value", [Word.KIWI, Plain("kiwi"), Fruit.KIWI], ids=type)
def test_a_member_of_an_enumeration_is_written_as_its_value(value: Any) -> None:  # noqa: ANN401 — of any type
    source = Source(id=value, kind="user", trust="observed")
    record = MemoryRecord(
        id="a", content=value, scope="user", created_at="", updated_at="", sources=(source,)
    )
    assert reread(record) == read_record(record.to_json())
    assert compact(record) == msgspec.json.encode(record.to_dict())
    assert json_object(record.to_json())["sources"][0]["id"] == "kiwi"


def test_what_has_a_default_is_written() -> None:
    record = MemoryRecord(id="a", content="kiwi", scope="user", created_at="", updated_at="")
    always = {"type", "authority", "tags", "confidence", "importance", "observedAt", "sources"}
    assert json_object(record.to_json()).keys() >= always | {"revision", "history"}
    agent = AgentContext(schema_version=1, agent_id="a", source_conversation_id="b")
    lists = {"sharedConversationIds", "sharedProjectRoots"}
    assert json_object(compact(agent)).keys() >= lists | {"shared", "locked"}
    assert compact(Provenance(kind="user")) == b'{"kind":"user"}'
