"""Short forms of turns: a cut never falls inside of a character."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.workspace.cutting import cut
from membound.workspace.sessions.turn import ELLIPSIS, Action, Turn, detailed, snippet, summary

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "sessions"
SNIPPETS: list[dict[str, Any]] = json.loads((FIXTURES / "snippet.json").read_text())


@pytest.mark.parametrize("vector", SNIPPETS, ids=range(len(SNIPPETS)))
def test_snippets_show_what_they_show_to_peers(vector: dict[str, Any]) -> None:
    assert snippet(vector["text"], vector["terms"], vector["max"]) == vector["out"]


@given(st.text(), st.integers(0, 20))
def test_a_cut_is_the_start_of_the_text(text: str, most: int) -> None:
    found = cut(text, most, ELLIPSIS)
    assert found == text or (found.endswith("...") and text.startswith(found[:-3]))
    assert len(found) <= most + 3 or found == text


@pytest.mark.parametrize("character", ["🚀", "e\u0301", "👩\u200d🚀", "👍\U0001f3fd", "❤\ufe0f"])
@pytest.mark.parametrize("most", [118, 119, 120, 121, 122])
def test_l1_no_cut_falls_inside_of_a_character(character: str, most: int) -> None:
    text = "x" * 119 + character * 40
    kept = cut(text, most, "").removeprefix("x" * min(most, 119))
    assert kept == character * (len(kept) // len(character))
    assert cut(text, most).encode()


@given(st.text("a🚀é茶\u0301\u200d", min_size=1), st.text("a🚀é", min_size=1, max_size=3))
def test_l1_no_snippet_has_half_a_character(text: str, term: str) -> None:
    found = snippet(text * 40, [term])
    assert found.encode().decode() == found
    assert found.strip(".") in text * 40


def test_a_character_with_thousands_of_marks_does_not_hold_up_a_cut() -> None:
    assert len(cut("a" + "\u0301" * 10_000, 5_000, ELLIPSIS)) == 5_003


def test_the_longest_term_that_is_there_is_shown() -> None:
    text = "one " + "filler " * 60 + "Retry-Jitter here"
    assert "Retry-Jitter" in snippet(text, ["one", "retry-jitter", "not there at all"])


def test_a_turn_with_its_text_is_cut_at_what_clients_take() -> None:
    turn = Turn(session_id="s", turn_id=1, user="u" * 2_001, agent="a" * 4_001)
    told = detailed(turn)
    assert (told.user, told.agent) == ("u" * 2_000 + "...", "a" * 4_000 + "...")


def test_a_turn_in_short_names_each_tool_once() -> None:
    actions = tuple(Action(name=name) for name in ("Read", "Bash", "Read"))
    turn = Turn(session_id="s", turn_id=1, user="u" * 200, agent="yes", actions=actions)
    assert summary(turn).summary == f"User: {'u' * 120}... | Agent: yes | Actions: Read, Bash"
    assert summary(Turn(session_id="s", turn_id=2)).summary == "User: "


def test_clients_are_shown_names_in_camel_case() -> None:
    action = Action(name="Read", args="path=a", result="success: b", files=("a",))
    turn = Turn(session_id="s", turn_id=1, user="q", actions=(action,))
    assert msgspec.json.decode(msgspec.json.encode(detailed(turn))) == {
        "turnId": 1,
        "timestamp": None,
        "user": "q",
        "agent": "",
        "actions": [{"name": "Read", "args": "path=a", "result": "success: b"}],
    }
