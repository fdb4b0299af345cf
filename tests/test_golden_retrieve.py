"""Conformance rows about whole retrievals, through the public API."""

from __future__ import annotations

import pytest

import membound
from membound.errors import InvalidInputError
from tests.adapters import CLOSE, ask_records, moment, options_of, records_of
from tests.conformance import Row, expected_of, folded_answer, request_of, row_name, rows
from tests.oracle.dates import milliseconds


def comparable(row: Row) -> bool:
    """Tell whether the row's inputs exist in our API: a real `now`, no given scores."""
    return not {"error", "lexical_scores"} & row.keys() and milliseconds(row["now"]) is not None


@pytest.mark.parametrize("row", [r for r in rows("retrieve") if comparable(r)], ids=row_name)
def test_retrieve(row: Row) -> None:
    found = folded_answer(ask_records(row["records"], request_of(row)))
    expected = expected_of(row)
    if len(row["trace"]["excludedByPromptBudget"]) == 64:
        del found["leftOut"], expected["leftOut"]
    rankings, wanted = found.pop("rankings"), expected.pop("rankings")
    assert found == expected
    assert [entry["memoryId"] for entry in rankings] == [entry["memoryId"] for entry in wanted]
    for entry, want in zip(rankings, wanted, strict=True):
        assert entry["features"] == pytest.approx(want["features"], abs=CLOSE, rel=0)
        assert entry["selected"] == want["selected"]


@pytest.mark.parametrize("row", [r for r in rows("retrieve") if "error" in r], ids=row_name)
def test_bad_limit_is_a_typed_error(row: Row) -> None:
    options = {**options_of(request_of(row)), "limit": float(row["request"]["limit"])}
    with pytest.raises(InvalidInputError, match="limit"):
        membound.retrieve_records(records_of(row["records"]), "kiwi", **options)


def test_the_first_64_ids_of_those_left_out_are_kept() -> None:
    for row in rows("retrieve"):
        left_out = row.get("trace", {}).get("excludedByPromptBudget", [])
        if len(left_out) == 64:
            answer = ask_records(row["records"], request_of(row))
            assert answer["duplicateIds"] == left_out


@pytest.mark.parametrize("row", rows("index"), ids=row_name)
def test_every_path_selects_what_the_files_select(row: Row) -> None:
    found = folded_answer(ask_records(row["records"], request_of(row)))
    assert found["selectedIds"] == row["filesystem_selected_ids"]
    assert found["filtered"] == row["filesystem_trace_filtered"]


@pytest.mark.parametrize("row", rows("index"), ids=row_name)
def test_the_index_selects_what_the_files_select(
    row: Row, tmp_path_factory: pytest.TempPathFactory
) -> None:
    options = options_of(request_of(row))
    folder = tmp_path_factory.mktemp("store")
    with membound.MemoryStore.open(folder, durability="relaxed", tokenizer="v1") as store:
        store.import_records(records_of(row["records"]))
        store.wait_until_ready(30)
        found = store.retrieve(row["request"]["query"], **options)
    assert found.trace.mode == "sqlite-fts5"
    assert list(found.trace.selected_ids) == row["filesystem_selected_ids"]


@pytest.mark.parametrize("row", rows("turn_context"), ids=row_name)
def test_turn_context_blocks(row: Row) -> None:
    output = row["output"]
    block = membound.reference_block(records_of(output["memories"]), now=moment(row["now"]))
    assert [block] == output["referenceBlocks"]
    rules = membound.directive_block(records_of(output["directives"]))
    assert [line for line in rules.split("\n") if line.startswith("- [")] == output[
        "directiveRuleLines"
    ]
