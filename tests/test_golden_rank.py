"""Conformance rows about features, order, scope and lifecycle, through the public API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.adapters import CLOSE, ask_records, records_of, refused
from tests.conformance import Row, access_of, row_name, rows, whole
from tests.oracle import DEFAULT_POLICY
from tests.oracle.dates import milliseconds
from tests.oracle.eligibility import ALL_SCOPES

if TYPE_CHECKING:
    from tests.oracle.tokens import Record

HALF_AWAKE = {"purpose": "tool", "relevance_mode": "historical-v1"}
TYPES = ("fact", "preference", "decision", "episode", "relationship", "insight")
RISING = {0.3: 0.3, 0.5: 0.4, 0.5000000000000001: 0.5, 0.6: 0.6}


def rankings(records: list[Record], query: str, now: str, **more: object) -> list[Row]:
    request = {"query": query, "now": now, "limit": 0, **HALF_AWAKE, **more}
    found: list[Row] = ask_records(records, request)["rankings"]
    return found


def eligible(record: Record) -> Record:
    """Return the record where everybody sees it, at any time, so that only its features count."""
    kept = {name: value for name, value in record.items() if not name.endswith("edAt")}
    for name in ("validFrom", "validTo", "expiresAt", "agentContext", "projectIdentity"):
        kept.pop(name, None)
    times = {name: record[name] for name in ("createdAt", "updatedAt", "observedAt")}
    return {**kept, **times, "workspace": "/ws/alpha", "project": "/ws/alpha"}


@pytest.mark.parametrize(
    "row", [r for r in rows("rank") if "lexical_override" not in r], ids=row_name
)
def test_features_score_and_class(row: Row) -> None:
    record = eligible(row["record"])
    found = rankings([record], row["query"], row["now"], workspace="/ws/alpha")
    assert bool(found) == row["relevant_historical_v1"]
    for ranking in found:
        assert ranking["features"] == pytest.approx(row["features"], abs=CLOSE, rel=0)
        assert ranking["channel"] == "filesystem"
    strict = rankings(
        [record], row["query"], row["now"], workspace="/ws/alpha", relevance_mode="foundation-v1"
    )
    assert bool(strict) == row["relevant_foundation_v1"]


@pytest.mark.parametrize("row", rows("rank"), ids=row_name)
def test_type_hints(row: Row) -> None:
    records = [whole({"id": kind, "type": kind, "content": "nothing"}) for kind in TYPES]
    found = rankings(records, row["query"], row["now"])
    hinted = {entry["memoryId"] for entry in found if entry["features"]["typeAffinity"] == 1}
    assert hinted == set(row["type_hints"])


@pytest.mark.parametrize("row", rows("rank"), ids=row_name)
def test_lifecycle_and_freshness_class(row: Row) -> None:
    record = {**row["record"], "scope": "user", "content": "kiwi"}
    answer = ask_records([record], {"query": "kiwi", "now": row["now"], "purpose": "tool"})
    active = row["lifecycle_state"] == "active"
    assert bool(answer["selectedIds"]) == active
    assert answer["filtered"]["lifecycle"] == int(not active)
    assert (f"freshness={row['freshness_class']} " in answer["context"]) == active


def observable(row: Row) -> bool:
    """Tell whether the row's own date decides: an absent `observedAt` is filled on reading."""
    if row.get("now_ms") is None or "half_life_ms" in row:
        return False
    dates = row["record"]
    first = dates.get("observedAt") or dates.get("updatedAt") or dates.get("createdAt", "")
    plain = milliseconds(first) is not None and "T24" not in first and first[0].isdecimal()
    return row["fn"] == "lifecycle" or "observedAt" in dates or plain


def edge_answer(row: Row) -> Row | None:
    """Ask about the row's record, or return None where its dates are refused at the edge."""
    record = whole(row["record"])
    if row["fn"] == "freshness" and "observedAt" not in row["record"]:
        del record["observedAt"]
    request = {"query": "kiwi", "now": "2026-07-01T12:00:00.000Z"}
    return None if refused(lambda: records_of([record])) else ask_records([record], request)


def check_freshness(row: Row, answer: Row) -> None:
    features = answer["rankings"][0]["features"]
    assert features["freshness"] == pytest.approx(row["value"], abs=CLOSE, rel=0)
    assert f"freshness={row['class']} " in answer["context"]


def check_lifecycle(row: Row, answer: Row) -> None:
    assert bool(answer["selectedIds"]) == (row["state"] == "active")


@pytest.mark.parametrize("row", [r for r in rows("edge") if observable(r)], ids=row_name)
def test_edge_dates(row: Row) -> None:
    answer = edge_answer(row)
    if answer is None:
        pytest.skip("the record is refused: its dates are not aware timestamps")
    {"freshness": check_freshness, "lifecycle": check_lifecycle}[row["fn"]](row, answer)


def has_owner(row: Row) -> bool:
    """Tell whether the row is about a record, and one that the schema accepts."""
    context = row.get("agentContext") or {}
    return row["kind"] != "normalize_path" and "" not in context.get("sharedConversationIds", [])


def in_scope_record(row: Row) -> Record:
    if row["kind"] == "in_scope":
        return whole(row["record"])
    context = {} if row["agentContext"] is None else {"agentContext": row["agentContext"]}
    return whole({"scope": "user", **context})


@pytest.mark.parametrize("row", [r for r in rows("scope_agent") if has_owner(r)], ids=row_name)
def test_scope_and_agent(row: Row) -> None:
    allowed = ALL_SCOPES if row.get("allowed") is None else row["allowed"]
    policy = {**DEFAULT_POLICY, "scopes": allowed}
    request = {"query": "kiwi", "now": "2026-07-01T12:00:00.000Z", "policy": policy}
    answer = ask_records([in_scope_record(row)], {**request, **access_of(row)})
    assert bool(answer["selectedIds"]) == row["out"]
    assert answer["filtered"]["scope"] == int(not row["out"])


@pytest.mark.parametrize(
    "row", [r for r in rows("scope_agent") if r["kind"] == "normalize_path"], ids=row_name
)
def test_paths_are_normalised_alike(row: Row) -> None:
    record = whole({"scope": "workspace", "workspace": row["out"] or "/ws/alpha"})
    request = {"query": "kiwi", "now": "2026-07-01T12:00:00.000Z", "workspace": row["value"]}
    assert bool(ask_records([record], request)["selectedIds"]) == (row["out"] is not None)


@pytest.mark.parametrize("row", rows("filter_active"), ids=row_name)
def test_active_records_after_supersession(row: Row) -> None:
    found = rankings(row["records"], "kiwi", row["now"])
    assert sorted(entry["memoryId"] for entry in found) == sorted(row["active_ids"])


def sortable(row: Row) -> bool:
    ids = [item["id"] for item in row.get("items", [])]
    return row["kind"] == "sort" and len(set(ids)) == len(ids)


def ordered_ids(records: list[Record]) -> list[str]:
    found = rankings(records, "kiwi", "2026-07-01T12:00:00.000Z")
    return [entry["memoryId"] for entry in found]


@pytest.mark.parametrize("row", [r for r in rows("compare") if sortable(r)], ids=row_name)
def test_order_by_score_then_instant(row: Row) -> None:
    """Times in fixed form order like their texts; ids of equal rank are tested elsewhere."""
    records = [
        whole(
            {
                "id": item["id"],
                "updatedAt": item["updatedAt"],
                "importance": RISING[item["finalScore"]],
            }
        )
        for item in row["items"]
        if item["updatedAt"].endswith((".000Z", ".001Z"))
    ]
    kept = {record["id"] for record in records}
    expected = [(score, at) for name, score, at in row["sorted"] if name in kept]
    items = {item["id"]: (item["finalScore"], item["updatedAt"]) for item in row["items"]}
    assert [items[name] for name in ordered_ids(records)] == expected


def test_ids_of_equal_rank_are_ordered_by_code_point() -> None:
    every = next(row["sorted"] for row in rows("compare") if row.get("field") == "id")
    ids = [name for name in every if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:-]*", name)]
    assert ordered_ids([whole({"id": name}) for name in ids]) == sorted(ids)
