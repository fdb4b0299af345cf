"""The conformance rows as plain records and requests, in the words of the oracle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.oracle.tokens import Record

Request = dict[str, Any]
Row = dict[str, Any]

FOLDER = Path(__file__).parent.parent / "fixtures" / "conformance"
RENAMED = {"projectIdentity": "project_identity", "promptCharacterBudget": "character_budget"}
WHOLE_RECORD: Record = {
    "revision": 1,
    "history": [],
    "id": "mem_whole",
    "content": "kiwi",
    "scope": "user",
    "tags": [],
    "confidence": 1,
    "createdAt": "2026-06-01T00:00:00.000Z",
    "updatedAt": "2026-06-01T00:00:00.000Z",
    "type": "fact",
    "authority": "reference",
    "importance": 0.5,
    "observedAt": "2026-06-01T00:00:00.000Z",
    "sources": [{"id": "s1", "kind": "user", "trust": "explicit-user"}],
    "schemaVersion": 2,
}


def lines(name: str) -> list[Row]:
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def rows(name: str) -> list[Row]:
    """Return a file's rows, each with its line number and with our value where ours differs."""
    ours = {fix["line"]: fix["ours"] for fix in lines("ours") if fix["file"] == name}
    found = enumerate(lines(name), start=1)
    return [{**row, "line": line, **ours.get(line, {})} for line, row in found]


def row_name(row: Row) -> str:
    return str(row.get("id", row["line"]))


def whole(part: Record) -> Record:
    """Return a record of which only some fields matter."""
    return {**WHOLE_RECORD, **part}


def request_of(row: Row) -> Request:
    """Return the row's request: what the oracle takes, with `now` as text."""
    asked = dict(row["request"])
    asked.update(asked.pop("filter", {}))
    request = {RENAMED.get(name, name): value for name, value in asked.items()}
    return {
        **request,
        "now": row["now"],
        "policy": row["policy"],
        "min_confidence": row["min_confidence"],
        "purpose": row.get("purpose", asked.get("purpose", "injection")),
        "relevance_mode": row.get("relevance_mode", "foundation-v1"),
    }


def access_of(row: Row) -> Request:
    return {RENAMED.get(name, name): value for name, value in (row["access"] or {}).items()}


def expected_of(row: Row) -> Row:
    """Return the row's answer in our shape; the three later stages are one number there."""
    trace = row["trace"]
    return {
        "selectedIds": row["selected_ids"],
        "selectedContents": row["selected_contents"],
        "truncatedIds": trace["truncatedIds"],
        "leftOut": sorted(trace["excludedByPromptBudget"]),
        "queryTokenCount": trace["queryTokenCount"],
        "queryTokensTruncated": trace["queryTokensTruncated"],
        "candidateCount": trace["candidateCount"],
        "filtered": trace["filtered"],
        "rankings": trace["rankings"],
        "selectedCharacters": trace["selectedCharacters"],
        "recordLimit": trace["recordLimit"],
    }


def folded_answer(answer: Row) -> Row:
    """Return our answer with the stages and lists that the rows do not tell apart put together."""
    filtered = answer["filtered"]
    beside = {"context", "excludedIds", "weighing"}
    kept = {name: answer[name] for name in answer if name not in beside}
    left_out = sorted([*kept.pop("duplicateIds"), *answer["excludedIds"]])
    return {
        **kept,
        "leftOut": left_out,
        "filtered": {
            "scope": filtered["scope"],
            "lifecycle": filtered["lifecycle"] + filtered["purpose"] + filtered["request"],
            "irrelevant": filtered["irrelevant"],
        },
    }
