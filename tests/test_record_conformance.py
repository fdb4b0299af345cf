"""The conformance rows about records, drafts, file names, policies and feedback events."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from membound.arguments import source_list
from membound.draft import MemoryDraft
from membound.errors import InvalidInputError, InvalidRecordError
from membound.events import FeedbackEvent, retrieved_events
from membound.file_names import file_name
from membound.policy import DirectivePolicy, FeedbackPolicy, MemoryPolicy
from membound.records import MemoryRecord
from membound.revision import revised
from tests.conformance import FOLDER, Row, lines

NOT_NORMATIVE = {
    "nrm_175": "one verb for each change, not one request with an action",
    "nrm_179": "one verb for each change, not one request with an action",
    "nrm_199": "an agent's access has no fingerprint",
    "nrm_200": "an unknown keyword is Python's TypeError",
    "nrm_213": "an id may start with a digit",
    "nrm_216": "an id may hold a full stop",
    "nrm_224": "the name of a device is percent-encoded",
    "nrm_225": "the name of a device is percent-encoded",
    "nrm_226": "the name of a device is percent-encoded",
    "nrm_228": "the index has one fixed place under the store's folder",
    "nrm_232": "the index has one fixed place under the store's folder",
    "nrm_233": "the index has one fixed place under the store's folder",
    "nrm_236": "our reasons are made of our own words and hold nothing to redact",
    "nrm_237": "our reasons are made of our own words and hold nothing to redact",
    "nrm_239": "our reasons are made of our own words and hold nothing to redact",
    "nrm_240": "our reasons are made of our own words and hold nothing to redact",
    "nrm_241": "our reasons are made of our own words and hold nothing to redact",
    "nrm_243": "our reasons are made of our own words and hold nothing to redact",
    "nrm_244": "our reasons are made of our own words and hold nothing to redact",
    "nrm_245": "our reasons are made of our own words and hold nothing to redact",
    "nrm_251": "our reasons are made of our own words and hold nothing to redact",
}
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
ROWS = lines("normalize")
TIMES = ("observed_at", "valid_from", "valid_to", "expires_at")


def normative(*schemas: str) -> list[Any]:
    found = [r for r in ROWS if r["schema"] in schemas and r["id"] not in NOT_NORMATIVE]
    assert found
    return [pytest.param(row, id=row["id"]) for row in found]


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda capital: f"_{capital[0].lower()}", name)


def keywords(asked: Row) -> Row:
    given = {snake(name): value for name, value in asked.items()}
    if "ttl_ms" in given:
        given["ttl"] = timedelta(milliseconds=given.pop("ttl_ms"))
    return given | {n: datetime.fromisoformat(given[n]) for n in TIMES if n in given}


def drafted(asked: Row) -> MemoryRecord:
    draft = MemoryDraft.from_keywords({"workspace": "/srv/repo", **keywords(asked)})
    return draft.to_record(id="mem_1", now=NOW)


@pytest.mark.parametrize("row", normative("MemoryRecord"))
def test_a_record_is_read_as_its_row_says(row: Row) -> None:
    if row["ok"]:
        assert MemoryRecord.from_dict(row["input"]).to_dict() == row["record"]
        return
    with pytest.raises(InvalidRecordError) as refused:
        MemoryRecord.from_dict(row["input"])
    assert refused.value.field == row["reason"].split(", ")[0]


@pytest.mark.parametrize("row", normative("MemoryCreateRequest"))
def test_a_draft_is_accepted_or_refused_as_its_row_says(row: Row) -> None:
    if row["ok"]:
        record = drafted(row["input"])
        assert record.content == row["value"]["content"]
        assert record.scope == row["value"]["scope"]
    else:
        with pytest.raises(InvalidInputError):
            drafted(row["input"])


@pytest.mark.parametrize("row", normative("MemoryUpdateRequest"))
def test_a_change_is_accepted_or_refused_as_its_row_says(row: Row) -> None:
    moment = "2026-07-01T12:00:00.000Z"
    changes = {snake(n): v for n, v in row["input"].items() if n != "expectedRevision"}
    if changes.pop("disabled", False):
        changes["disabled_at"] = moment
    record = drafted({"content": "kiwi"})
    if row["ok"]:
        after = revised(record, operation="update", now_text=moment, changes=changes)
        assert after.revision == record.revision + 1
    else:
        with pytest.raises(InvalidInputError):
            revised(record, operation="update", now_text=moment, changes=changes)


@pytest.mark.parametrize("row", normative("normalizeCreateSources"))
def test_the_sources_of_a_draft_are_those_of_its_row(row: Row) -> None:
    expected = [dict(source) for source in row["value"]]
    if not row["input"].get("sources") and "provenance" not in row["input"]:
        assert expected[0].pop("locator") == "memory"  # metadata that every query would match
    sources = row["input"].get("sources")
    found = source_list(sources) if sources else drafted(row["input"]).to_dict()["sources"]
    assert found == expected


@pytest.mark.parametrize("row", normative("memoryRecordPath"))
def test_an_id_has_the_file_of_its_row(row: Row) -> None:
    if row["ok"]:
        assert file_name(row["input"]["id"]) == row["path"].rpartition("/")[2]
    else:
        with pytest.raises(InvalidInputError):
            MemoryDraft("kiwi", scope="user").to_record(id=row["input"]["id"], now=NOW)


@pytest.mark.parametrize("row", normative("MemoryFeedbackEvent"))
def test_a_feedback_event_is_accepted_or_refused_as_its_row_says(row: Row) -> None:
    if row["ok"]:
        event = msgspec.convert(row["input"], FeedbackEvent)
        assert msgspec.to_builtins(event) == row["value"]
    else:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(row["input"], FeedbackEvent)


@pytest.mark.parametrize("row", normative("MemoryFeedbackConfig"))
def test_a_feedback_policy_is_accepted_or_refused_as_its_row_says(row: Row) -> None:
    given = {snake(name): value for name, value in row["input"].items()}
    if row["ok"]:
        expected = {snake(name): value for name, value in row["value"].items()}
        assert msgspec.structs.asdict(FeedbackPolicy(**given)) == expected
    else:
        with pytest.raises(InvalidInputError):
            FeedbackPolicy(**given)


@pytest.mark.parametrize("row", normative("MemoryCapabilityConfig"))
def test_a_policy_is_accepted_or_refused_as_its_row_says(row: Row) -> None:
    directives = {snake(n): v for n, v in row["input"].get("directives", {}).items()}
    feedback = {snake(n): v for n, v in row["input"].get("feedback", {}).items()}
    if not row["ok"]:
        with pytest.raises(InvalidInputError):
            DirectivePolicy(**directives)
        return
    policy = MemoryPolicy(
        directives=DirectivePolicy(**directives), feedback=FeedbackPolicy(**feedback)
    )
    value = row["value"]
    assert list(policy.scopes) == value["scopes"]
    assert policy.max_injected_records == value["maxInjectedRecords"]
    for part, name in ((policy.directives, "directives"), (policy.feedback, "feedback")):
        assert msgspec.structs.asdict(part) == {snake(n): v for n, v in value[name].items()}


@pytest.mark.parametrize(
    "row", [pytest.param(r, id=str(n)) for n, r in enumerate(lines("feedback"))]
)
def test_retrieved_events_are_those_of_their_row(row: Row) -> None:
    asked = row["thread_id"], row["turn_id"], row["selected_ids"], row["occurred_at"]
    found = retrieved_events(*asked)
    if "bad id" in row["selected_ids"]:
        assert [event.memory_id for event in found] == ["mem_ok"]  # ours passes over the bad one
    else:
        assert msgspec.to_builtins(list(found)) == row["events"]


def test_the_table_lists_exactly_the_rows_that_are_not_run() -> None:
    text = (FOLDER / "NOT_NORMATIVE-records.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"^\| (nrm_\d+) \| (.+) \|$", text, re.MULTILINE)) == NOT_NORMATIVE
    schemas = {row["schema"] for row in ROWS if row["id"] not in NOT_NORMATIVE}
    tested = {
        "MemoryRecord",
        "MemoryCreateRequest",
        "MemoryUpdateRequest",
        "normalizeCreateSources",
        "memoryRecordPath",
        "MemoryFeedbackEvent",
        "MemoryFeedbackConfig",
        "MemoryCapabilityConfig",
    }
    assert schemas == tested
