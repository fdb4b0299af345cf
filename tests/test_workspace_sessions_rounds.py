"""The last turns of a session, and those before them, as peers answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from membound.workspace.sessions.reader import More, read_more
from membound.workspace.sessions.rounds import earlier_rounds, recent_rounds
from membound.workspace.sessions.turn import detailed

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "sessions"
CALLS: list[dict[str, Any]] = json.loads((FIXTURES / "calls.json").read_text())
PREFIX = "session_3d1f0a52-0000-4000-8000-00000000000"


def calls_of(tool: str) -> list[dict[str, Any]]:
    return [call for call in CALLS if call["tool"] == tool]


def session(letter: str) -> More:
    return read_more(FIXTURES / f"session_{letter}.wire.jsonl", PREFIX + letter)


def as_json(value: object) -> Any:  # noqa: ANN401 — any JSON value
    return msgspec.json.decode(msgspec.json.encode(value))


def with_text_of_steps(rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put back what the peer drops: text that only its step joins to turn 2."""
    for one in rounds:
        if one["turnId"] == 2 and "agent" in one:
            one["agent"] = "Nothing to do tonight."
        elif one["turnId"] == 2:
            one["summary"] = "User:  | Agent: Nothing to do tonight."
    return rounds


@pytest.mark.parametrize("call", calls_of("load_workspace_context"))
def test_the_end_of_a_session_is_what_peers_answer(call: dict[str, Any]) -> None:
    more, expected = session("b"), call["result"]["recentContext"]
    with_text_of_steps([*expected["detailedRounds"], *expected["summaryRounds"]])
    found = recent_rounds(
        PREFIX + "b",
        more.turns,
        more.compactions,
        detailed_rounds=int(call["args"].get("detailed_rounds", 3)),
        summary_rounds=int(call["args"].get("summary_rounds", 2)),
    )
    assert as_json(found) == expected


@pytest.mark.parametrize("call", calls_of("load_more_context"))
def test_what_came_before_a_turn_is_what_peers_answer(call: dict[str, Any]) -> None:
    with_text_of_steps(call["result"]["rounds"])
    found = earlier_rounds(
        PREFIX + "b",
        session("b").turns,
        before_turn_id=call["args"]["before_turn_id"],
        limit=call["args"].get("limit", 5),
    )
    assert as_json(found) == call["result"]


def test_turns_by_their_numbers_are_what_peers_answer() -> None:
    expected = calls_of("load_turn_context")[0]["result"]["rounds"]
    turns = {(turn.session_id, turn.turn_id): turn for x in "ab" for turn in session(x).turns}
    for one in expected:
        turn = turns[one.pop("sessionId"), one["turnId"]]
        assert as_json(detailed(turn)) == one


def test_summaries_of_what_was_said_are_told_with_their_time() -> None:
    more = session("a")
    found = recent_rounds("a", more.turns, more.compactions, detailed_rounds=1, summary_rounds=0)
    (told,) = found.compaction_summaries
    assert told.time == "2026-02-20T09:30:02.000Z"
    assert told.summary.startswith("Queue uses SQLite in WAL mode;")


def test_a_session_without_turns_has_no_rounds() -> None:
    found = recent_rounds("a", (), (), detailed_rounds=3, summary_rounds=2)
    assert (found.total_turns, found.detailed_rounds, found.summary_rounds) == (0, (), ())
    earlier = earlier_rounds("a", (), before_turn_id=3, limit=5)
    assert (earlier.rounds, earlier.has_more) == ((), False)
