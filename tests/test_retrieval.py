"""retrieve_records against the oracle, its invariants, and what it refuses."""

from __future__ import annotations

import json
import math
import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given

import membound
from membound.errors import InvalidInputError, InvalidRecordError
from tests.adapters import (
    ask_oracle,
    ask_records,
    assert_same,
    moment,
    options_of,
    records_of,
)
from tests.conformance import Request, whole
from tests.oracle import DEFAULT_POLICY
from tests.strategies import NOW, cases, generated_case
from tests.wordings import make_asking, make_memories

if TYPE_CHECKING:
    from tests.oracle.tokens import Record

Case = tuple[list["Record"], Request]
OPENING = '<MEMORY_REFERENCE_DATA untrusted="true" authority="reference">'
CLOSING = "</MEMORY_REFERENCE_DATA>"
AT = moment(NOW)


def check(case: Case) -> None:
    records, request = case
    assert_same(ask_records(records, request), ask_oracle(records, request))


@given(cases())
def test_same_answer_as_the_oracle(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("block", range(10))
def test_same_answer_as_the_oracle_for_seeds(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        check(generated_case(seed))


@pytest.mark.parametrize("block", range(10))
def test_weighed_words_answer_as_the_oracle_does(block: int) -> None:
    for seed in range(block * 10, block * 10 + 10):
        chance = random.Random(f"weighed-{seed}")
        records = make_memories(chance, chance.choice([0, 3, 20, 40, 80]))
        for _ in range(10):
            check((records, make_asking(chance, records)))


@given(cases())
def test_block_fits_and_has_one_opening_and_one_closing_tag(case: Case) -> None:
    records, request = case
    result = membound.retrieve_records(records_of(records), request["query"], **options_of(request))
    lines = result.context.split("\n") if result.context else []
    assert len(result.context) <= request.get("character_budget", 6000)
    assert len(result.context) == result.trace.selected_characters
    assert result.context == membound.reference_block(result.records, now=AT)
    assert result.context.count("<MEMORY") == result.context.count(OPENING) == bool(lines)
    assert result.context.count("</MEMORY") == result.context.count(CLOSING) == bool(lines)
    assert len(lines) == (len(result.records) + 4 if lines else 0)
    assert all(character.isprintable() for character in "".join(lines))


@given(cases())
def test_order_of_the_records_does_not_matter(case: Case) -> None:
    records, request = case
    shuffled = random.Random(7).sample(records, len(records))
    assert ask_records(shuffled, request) == ask_records(records, request)


@given(cases())
def test_trace_tells_neither_texts_nor_what_may_not_be_seen(case: Case) -> None:
    records, request = case
    bird = "zebrafinch"
    hidden = whole({"id": "hidden-1", "content": bird, "scope": "workspace", "workspace": "/no"})
    query = f"{request['query']} {bird}"
    parsed = records_of([*records, hidden])
    result = membound.retrieve_records(parsed, query, **options_of(request))
    told = json.dumps(result.trace.to_dict()) + result.trace.explain() + result.context
    assert "hidden-1" not in told
    assert bird not in told


@given(cases())
def test_trace_numbers_add_up(case: Case) -> None:
    records, request = case
    answer = ask_records(records, request)
    lost = answer["filtered"]
    ranked = answer["candidateCount"] - lost["irrelevant"]
    looked_at = len(records) if request.get("policy", DEFAULT_POLICY)["enabled"] else 0
    assert looked_at - sum(lost.values()) == ranked
    assert len(answer["rankings"]) == min(64, ranked)
    marked = [entry["memoryId"] for entry in answer["rankings"] if entry["selected"]]
    assert marked == answer["selectedIds"]
    assert len(answer["selectedIds"]) <= answer["recordLimit"]


def test_all_match_and_the_selection_is_the_true_top() -> None:
    """W01: 3,000 records with one word; the best are neither the first nor the last."""
    records = [
        whole(
            {
                "id": f"m{number}",
                "content": f"kiwi {number}",
                "importance": (number * 7 % 3000) / 3000,
            }
        )
        for number in range(3000)
    ]
    check((records, {"query": "kiwi", "now": NOW, "limit": 64}))


def test_duplicates_are_not_budget_losses() -> None:
    """W24."""
    records = [
        whole({"id": name, "content": text}) for name, text in [("a", "kiwi"), ("b", " KIWI ")]
    ]
    answer = ask_records(records, {"query": "kiwi", "now": NOW})
    assert (answer["selectedIds"], answer["duplicateIds"], answer["excludedIds"]) == (
        ["a"],
        ["b"],
        [],
    )


def test_a_disabled_policy_looks_at_nothing_and_says_so() -> None:
    """W46."""
    records = records_of([whole({"id": "a"}), whole({"id": "b"})])
    policy = membound.MemoryPolicy(enabled=False)
    found = membound.retrieve_records(records, "kiwi", now=AT, policy=policy)
    assert (found.records, found.context, found.trace.rankings) == ((), "", ())
    told = found.trace.explain()
    assert "candidates 0 · admitted 0 · selected 0 of at most 0" in told
    assert "more were admitted" not in told


def test_truncation_is_maximal() -> None:
    """W27: one more grapheme would not fit."""
    record = whole({"content": "kiwi " + "👩\u200d👩\u200d👧 <b> " * 300})
    for budget in range(700, 760):
        request = {"query": "kiwi", "now": NOW, "character_budget": budget}
        check(([record], request))


HUGE = "kiwi " * 200_000
QUERIES = [
    "",
    " ",
    "\u3000",
    "\0",
    "kiwi\0walnut",
    "\ud800",
    "ki\udfffwi",
    HUGE,
    "(" * 400,
    '"kiwi" AND NEAR(* OR',
]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_any_text_is_a_query(query: str) -> None:
    records = [whole({"id": "a"}), whole({"id": "b", "content": "walnut"})]
    check((records, {"query": query, "now": NOW}))


LIMITS = [-1, 0, 1, 2, 2.9, 64, 65, 10**6, 2**63, 10**30, math.inf, -math.inf, -0.5, 0.999]


@pytest.mark.parametrize("limit", LIMITS)
def test_limits_are_floored_and_clamped(limit: float) -> None:
    records = [whole({"id": f"m{number}", "content": f"kiwi {number}"}) for number in range(5)]
    check((records, {"query": "kiwi", "now": NOW, "limit": limit}))


@pytest.mark.parametrize("budget", [*LIMITS, 380, 400.7])
def test_budgets_are_floored_and_clamped(budget: float) -> None:
    check(([whole({})], {"query": "kiwi", "now": NOW, "character_budget": budget}))


NAIVE = datetime(2026, 7, 1, 12)  # noqa: DTZ001 — the point of the test
REFUSED: list[tuple[str, Any]] = [
    ("query", None),
    ("query", 7),
    ("query", b"kiwi"),
    ("now", NAIVE),
    ("now", NOW),
    ("now", 1_782_907_200_000),
    ("now", None),
    ("limit", math.nan),
    ("limit", "8"),
    ("limit", True),
    ("limit", None),
    ("character_budget", math.nan),
    ("character_budget", "6000"),
    ("character_budget", True),
    ("min_confidence", math.nan),
    ("min_confidence", "high"),
    ("purpose", "export"),
    ("purpose", None),
    ("scope", "team"),
    ("scope", ["user", "*"]),
    ("scope", 7),
    ("type", "memo"),
    ("authority", "law"),
    ("tags", "db"),
    ("tags", [7]),
    ("relevance_mode", "foundation-v0"),
    ("relevance_mode", 1),
    ("workspace", 7),
    ("project", b"/ws"),
    ("project_identity", 1.5),
    ("agent", "agent-1"),
    ("policy", {"enabled": True}),
    ("records", None),
    ("records", ["kiwi"]),
    ("records", 7),
]


@pytest.mark.parametrize(("field", "value"), REFUSED, ids=lambda value: str(value)[:20])
def test_wrong_input_is_refused_by_name(field: str, value: object) -> None:
    given = {"records": records_of([whole({})]), "query": "kiwi", "now": AT, field: value}
    with pytest.raises(InvalidInputError) as caught:
        membound.retrieve_records(given.pop("records"), given.pop("query"), **given)  # type: ignore[arg-type]
    assert caught.value.field.split(".")[0] == field
    assert caught.value.field in str(caught.value)


BAD_RECORDS: list[tuple[str, Any]] = [
    ("id", "a/b"),
    ("id", "../a"),
    ("id", "a\\b"),
    ("id", ""),
    ("id", ".hidden"),
    ("id", "a" * 129),
    ("id", "a\nb"),
    ("id", "é"),
    ("content", ""),
    ("content", "a\0b"),
    ("content", "ok \ud83d"),
    ("content", "x" * 16_385),
    ("content", 7),
    ("scope", "team"),
    ("type", "memo"),
    ("authority", "law"),
    ("confidence", math.nan),
    ("confidence", math.inf),
    ("confidence", -0.1),
    ("confidence", 1.5),
    ("confidence", True),
    ("importance", math.nan),
    ("importance", "high"),
    ("expiresAt", "tomorrow"),
    ("validFrom", "2026-07-01T12:00:00"),
    ("tags", "db"),
    ("tags", [7]),
    ("sources", [{"kind": "rumour"}]),
]


@pytest.mark.parametrize(("field", "value"), BAD_RECORDS, ids=lambda value: str(value)[:20])
def test_wrong_records_are_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(InvalidRecordError) as caught:
        membound.MemoryRecord.from_dict(whole({field: value}))
    assert caught.value.field.split(".")[0] == field


@pytest.mark.parametrize("field", ["confidence", "scope", "tags", "updated_at"])
def test_a_record_that_was_never_checked_is_refused_without_an_echo(field: str) -> None:
    """The core's parser would quote what it cannot read."""
    unchecked: Any = "SECRET" * 20 if field != "updated_at" else {"SECRET": "SECRET"}
    record = msgspec.structs.replace(*records_of([whole({})]), **{field: unchecked})
    with pytest.raises(InvalidRecordError, match=r"line \d+, column \d+") as caught:
        membound.retrieve_records([record], "kiwi", now=AT)
    assert "SECRET" not in str(caught.value)


def test_now_may_be_in_any_zone_and_is_floored_to_milliseconds() -> None:
    """W47 and its kind: instants are compared, never texts."""
    record = whole({"validFrom": "2026-07-01T12:00:00Z", "updatedAt": "2026-06-01T00:00:00Z"})
    for text in ["2026-07-01T12:00:00.000+00:00", "2026-07-01T20:00:00+08:00"]:
        now = datetime.fromisoformat(text)
        assert membound.retrieve_records(records_of([record]), "kiwi", now=now).records
    early = datetime(2026, 7, 1, 11, 59, 59, 999_999, tzinfo=UTC)
    assert not membound.retrieve_records(records_of([record]), "kiwi", now=early).records
