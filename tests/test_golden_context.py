"""Conformance rows about the reference block and the directives, through the public API."""

from __future__ import annotations

import pytest

import membound
from membound.errors import InvalidRecordError
from tests.adapters import agent_of, moment, policy_of, records_of
from tests.conformance import Row, access_of, row_name, rows


def rows_of(kind: str) -> list[Row]:
    return [row for row in rows("context") if row["kind"] == kind and "refused" not in row]


def rule_lines(block: str) -> list[str]:
    return [line for line in block.split("\n") if line.startswith("- ")]


@pytest.mark.parametrize("row", rows_of("reference"), ids=row_name)
def test_reference_block(row: Row) -> None:
    records = records_of(row["records"])
    assert membound.reference_block(records, now=moment(row["now"])) == row["block"]


@pytest.mark.parametrize("row", rows_of("directive"), ids=row_name)
def test_directive_block(row: Row) -> None:
    block = membound.directive_block(records_of(row["records"]))
    assert rule_lines(block) == row["rule_lines"]
    tags = [line for line in block.split("\n") if "MEMORY_DIRECTIVES" in line]
    assert tags == (["<MEMORY_DIRECTIVES>", "</MEMORY_DIRECTIVES>"] if row["records"] else [])


@pytest.mark.parametrize("row", rows_of("directive_select"), ids=row_name)
def test_directive_selection(row: Row) -> None:
    access = access_of(row)
    access["agent"] = agent_of(access.get("agent"))
    found = membound.select_directives(
        records_of(row["records"]),
        now=moment(row["now"]),
        policy=policy_of(row["policy"]),
        **access,
    )
    assert [record.id for record in found.records] == row["selected_ids"]
    assert list(found.excluded_ids) == row["excluded_by_budget"]
    assert list(found.truncated_ids) == row["truncated_ids"]
    assert found.characters == row["characters"]
    assert rule_lines(membound.directive_block(found.records)) == row["rule_lines"]


@pytest.mark.parametrize("row", [r for r in rows("context") if "refused" in r], ids=row_name)
def test_what_could_forge_a_line_is_refused_by_name(row: Row) -> None:
    with pytest.raises(InvalidRecordError) as caught:
        records_of(row["records"])
    assert caught.value.field == row["refused"]
