"""The oracle against the conformance rows, before it judges anything else."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests import oracle
from tests.conformance import (
    Row,
    access_of,
    expected_of,
    folded_answer,
    lines,
    request_of,
    row_name,
    rows,
)
from tests.oracle import blocks, eligibility, ranking, tokens
from tests.oracle.dates import milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable

CLOSE = 1e-12


def instant(row: Row) -> int:
    found = milliseconds(row["now"])
    assert found is not None
    return found


def test_each_value_of_ours_replaces_another_one() -> None:
    for fix in lines("ours"):
        theirs = lines(fix["file"])[fix["line"] - 1]
        assert fix.get("id") in (theirs.get("id"), theirs.get("record", {}).get("id"))
        assert any(theirs.get(name) != value for name, value in fix["ours"].items())


@pytest.mark.parametrize("row", rows("tokens"), ids=row_name)
def test_tokens(row: Row) -> None:
    found, truncated = tokens.search_tokens(row["text"], row["max_tokens"])
    assert (list(found), truncated) == (row["tokens"], row["truncated"])


def test_record_tokens() -> None:
    for row in rows("records_tokens"):
        found, truncated = tokens.search_tokens(tokens.record_text(row["record"]))
        assert (list(found), truncated) == (row["tokens"], row["truncated"])


def test_coverage() -> None:
    for row in rows("fts_coverage"):
        asked, held = tuple(row["query_tokens"]), tuple(row["record_tokens"])
        assert tokens.coverage(asked, held) == pytest.approx(row["coverage"], abs=CLOSE)


@pytest.mark.parametrize("row", rows("rank"), ids=row_name)
def test_rank(row: Row) -> None:
    found = ranking.features(row["record"], row["query"], instant(row))
    if "lexical_override" in row:
        given = row["lexical_override"]
        found["lexical"] = ranking.clamped(given if isinstance(given, (int, float)) else math.nan)
        found["finalScore"] = ranking.final_score(found)
    assert found == pytest.approx(row["features"], abs=CLOSE, rel=0)
    assert ranking.type_hints(row["query"]) == row["type_hints"]
    assert ranking.freshness_class(found["freshness"]) == row["freshness_class"]
    assert eligibility.lifecycle(row["record"], instant(row)) == row["lifecycle_state"]
    for mode, name in (("foundation-v1", "foundation_v1"), ("historical-v1", "historical_v1")):
        relevant = ranking.admitted(found["lexical"], found["typeAffinity"], row["query"], mode)
        assert relevant == row[f"relevant_{name}"]


def check_date_parse(row: Row) -> None:
    assert milliseconds(row["value"]) == row["ms"]


def check_freshness(row: Row) -> None:
    value = ranking.freshness(row["record"], row["now_ms"])
    assert value == pytest.approx(row["value"], abs=CLOSE, rel=0)
    assert ranking.freshness_class(value) == row["class"]


def check_freshness_class(row: Row) -> None:
    assert ranking.freshness_class(row["value"]) == row["class"]


def check_lifecycle(row: Row) -> None:
    assert eligibility.lifecycle(row["record"], row["now_ms"]) == row["state"]


def check_relevance_gate(row: Row) -> None:
    for mode, name in (("foundation-v1", "foundation_v1"), ("historical-v1", "historical_v1")):
        relevant = ranking.admitted(row["lexical"], row["type_affinity"], row["query"], mode)
        assert relevant == row[name]


EDGES: dict[str, Callable[[Row], None]] = {
    "date_parse": check_date_parse,
    "freshness": check_freshness,
    "freshness_class": check_freshness_class,
    "lifecycle": check_lifecycle,
    "relevance_gate": check_relevance_gate,
}


@pytest.mark.parametrize("function", EDGES)
def test_edge(function: str) -> None:
    for row in rows("edge"):
        if row["fn"] == function and "now_note" not in row:
            EDGES[function](row)


def test_scope_and_agent() -> None:
    for row in rows("scope_agent"):
        if row["kind"] == "normalize_path":
            assert eligibility.normal_path(row["value"]) == row["out"]
        elif row["kind"] == "agent_visible":
            assert eligibility.agent_visible(row["agentContext"], access_of(row)) == row["out"]
        else:
            allowed = eligibility.ALL_SCOPES if row["allowed"] is None else tuple(row["allowed"])
            assert eligibility.in_scope(row["record"], access_of(row), allowed) == row["out"], row


def test_active_records() -> None:
    for row in rows("filter_active"):
        active = [
            record
            for record in row["records"]
            if eligibility.lifecycle(record, instant(row)) == "active"
        ]
        left = eligibility.without_superseded(active)
        assert [record["id"] for record in left] == row["active_ids"]


def ask(row: Row) -> Row:
    request = {**request_of(row), "now": instant(row)}
    return oracle.retrieve(row["records"], request.pop("query"), **request)


def comparable(row: Row) -> bool:
    """Tell whether the row's inputs exist in our API: a real `now`, no given scores."""
    return not {"error", "lexical_scores"} & row.keys() and milliseconds(row["now"]) is not None


@pytest.mark.parametrize("row", [r for r in rows("retrieve") if comparable(r)], ids=row_name)
def test_retrieve(row: Row) -> None:
    found, expected = folded_answer(ask(row)), expected_of(row)
    if len(row["trace"]["excludedByPromptBudget"]) == 64:
        del found["leftOut"], expected["leftOut"]
    rankings, wanted = found.pop("rankings"), expected.pop("rankings")
    assert found == expected
    assert [entry["memoryId"] for entry in rankings] == [entry["memoryId"] for entry in wanted]
    for entry, want in zip(rankings, wanted, strict=True):
        assert entry["features"] == pytest.approx(want["features"], abs=CLOSE, rel=0)
        assert entry["selected"] == want["selected"]


def test_index_rows_select_what_the_files_select() -> None:
    for row in rows("index"):
        found = folded_answer(ask(row))
        assert found["selectedIds"] == row["filesystem_selected_ids"], row["id"]
        assert found["filtered"] == row["filesystem_trace_filtered"], row["id"]


def check_reference(row: Row) -> None:
    assert blocks.reference_block(row["records"], instant(row)) == row["block"]


def check_directive(row: Row) -> None:
    assert [blocks.rule_line(record) for record in row["records"]] == row["rule_lines"]


def check_directive_select(row: Row) -> None:
    policy = row["policy"] or oracle.DEFAULT_POLICY
    found = blocks.select_directives(row["records"], access_of(row), policy, instant(row))
    assert found == {
        "ids": row["selected_ids"],
        "excluded": row["excluded_by_budget"],
        "truncated": row["truncated_ids"],
        "characters": row["characters"],
        "lines": row["rule_lines"],
    }


BLOCKS = {
    "reference": check_reference,
    "directive": check_directive,
    "directive_select": check_directive_select,
}


@pytest.mark.parametrize("row", rows("context"), ids=row_name)
def test_context(row: Row) -> None:
    BLOCKS[row["kind"]](row)


def test_turn_context() -> None:
    for row in rows("turn_context"):
        found = row["output"]
        block = blocks.reference_block(found["memories"], instant(row))
        assert [block] == found["referenceBlocks"]
        assert [blocks.rule_line(rule) for rule in found["directives"]] == found[
            "directiveRuleLines"
        ]


def test_order_is_by_score_then_instant_then_code_point() -> None:
    for row in rows("compare"):
        if row["kind"] != "sort":
            continue
        mine = sorted(
            (ranking.order(item["finalScore"], item["updatedAt"], item["id"]), item["finalScore"])
            for item in row["items"]
        )
        assert [score for _, score in mine] == [score for _, score, _ in row["sorted"]]
