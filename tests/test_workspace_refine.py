"""What turns come to: rules that take whole words, exact headings and real errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.workspace.refine import category, content_hash, is_current, refined
from membound.workspace.sessions.reader import read_more
from membound.workspace.sessions.turn import Action, Turn
from membound.workspace.sessions.wire import action, result_text

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "sessions"
PREFIX = "session_3d1f0a52-0000-4000-8000-00000000000"
OTHERWISE = {  # R2: a heading that says anything else too has no category
    "What is next": None,
    "Unblocked": None,
    "Not done yet": None,
    "Abandoned plans": None,
    "Footnotes": None,
    "Summary of status": None,
    "完成情况": None,
}


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FIXTURES / f"{name}.json").read_text())
    return found


def agent(text: str) -> dict[str, Any]:
    return as_json(Turn(session_id="s", turn_id=0, agent=text))


def as_json(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(refined(turn))
    del found["contentHash"]
    return msgspec.json.decode(msgspec.json.encode(found))  # type: ignore[no-any-return]


@pytest.mark.parametrize("vector", vectors("match_category"), ids=lambda one: one["in"])
def test_r2_headings_have_the_category_that_they_name(vector: dict[str, Any]) -> None:
    assert category(vector["in"]) == OTHERWISE.get(vector["in"], vector["out"])


def turn_of(told: dict[str, Any]) -> Turn:
    number = told["turnId"]
    return Turn(
        session_id="session_v",
        turn_id=int(number) if number.isdigit() else 7,
        timestamp=told["timestamp"],
        user=told["user"],
        agent=told["agentText"],
        actions=tuple(
            msgspec.structs.replace(action(one), result=raw(one["result"]))
            for one in told["actions"]
        ),
    )


def raw(result: object) -> str:
    return result if isinstance(result, str) else result_text(result)


@pytest.mark.parametrize("at", range(12))
def test_turns_come_to_what_they_come_to_for_peers(at: int) -> None:
    vector = vectors("refine")[at]
    told, expected = vector["in"], vector["out"]
    if at == 0:  # R1: a trigger without a word behind it states nothing
        expected["facts"] = []
    if at == 5:  # R1: triggers are whole words
        expected["facts"] = ["use WAL", "登录页面的开发。", "端口被占用"]
        expected["notes"] = ["Planning is hard work today.", "Notebook is fine here now."]
    if at == 7:  # a success that speaks of failures is none
        expected["entities"]["errors"] = ["Error: boom"]
    if at == 11:  # W20: a turn has a number
        expected["turnId"] = 7
    assert as_json(turn_of(told)) == expected


@pytest.mark.parametrize("letter", ["a", "b"])
def test_sessions_come_to_what_they_come_to_for_peers(letter: str) -> None:
    lines = (FIXTURES / f"session_{letter}.refined.jsonl").read_text().split("\n")
    expected = {row["turnId"]: row for row in map(json.loads, lines)}
    files = {"a": {0: ["src/queue.rs"], 1: ["src/retry.rs", "/srv/orchard"]}}
    files["b"] = {1: ["config/frost.toml"]}
    for number, names in files[letter].items():  # the peer never finds files in wires
        expected[number]["entities"]["files"] = names
    if letter == "a":
        expected[2]["entities"]["errors"] = []  # "3 passed; 0 errors"
        expected[4]["facts"] = []  # R1
        expected[4]["notes"] = ["Notebook support was not touched.", "Next.js is not used here."]
    turns = read_more(FIXTURES / f"session_{letter}.wire.jsonl", PREFIX + letter).turns
    found = {turn.turn_id: as_json(turn) for turn in turns}
    assert {number: found[number] for number in expected} == expected


@pytest.mark.parametrize(
    "line",
    ["Notebook support is planned here.", "Next.js is not used here.", "Donut shops are open now.",
     "Actionable items are listed.", "Resulting files are small.", "完成度很低，还要再看看。",
     "状态机很复杂，需要重写。"],
)  # fmt: skip
def test_r1_a_word_that_only_begins_like_a_trigger_is_none(line: str) -> None:
    found = agent(line)
    assert (found["facts"], found["notes"]) == ([], [line])


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("FIXED the retry", "the retry"),
        ("Next step: write docs", "write docs"),
        ("Blocked by: review", "review"),
        ("Note\uff1a keep it", "keep it"),
        ("完成了登录页面", "登录页面"),
        ("已完成登录页面", "登录页面"),
        ("修复了：端口", "端口"),
        ("下一步：补充文档", "补充文档"),
    ],
)
def test_r1_a_trigger_gives_what_stands_behind_it(line: str, fact: str) -> None:
    assert agent(line)["facts"] == [fact]


@pytest.mark.parametrize("heading", ["## Unblocked", "## Abandoned plans", "## Footnotes"])
def test_r2_a_word_that_contains_a_label_is_no_category(heading: str) -> None:
    found = agent(f"{heading}\n- a fact")
    assert (found["facts"], found["categories"]) == (["a fact"], {})


@pytest.mark.parametrize("heading", ["# Done", "### **Completed:**", "## 已完成：", "## done ##"])
def test_a_heading_is_its_words_without_what_marks_it(heading: str) -> None:
    assert agent(f"{heading}\n- a fact")["categories"] == {"completed": ["a fact"]}


@pytest.mark.parametrize(
    ("result", "errors"),
    [
        ("error: no such file\nmore", ["error: no such file"]),
        ("success: 3 passed; 0 errors", []),
        ("success: 0 failed", []),
        ("", []),
    ],
)
def test_an_error_is_what_a_failed_call_gave_back(result: str, errors: list[str]) -> None:
    turn = Turn(session_id="s", turn_id=0, actions=(Action(name="Bash", result=result),))
    assert list(refined(turn).entities.errors) == errors


def test_w26_a_turn_that_grew_is_told_from_what_it_was() -> None:
    turn = Turn(session_id="s", turn_id=0, user="q", agent="- one")
    row = refined(turn)
    grown = msgspec.structs.replace(turn, agent="- one\n- two")
    assert is_current(row, turn)
    assert not is_current(row, grown)
    assert not is_current(None, turn)
    assert not is_current(msgspec.structs.replace(row, content_hash=None), turn)


@given(st.text(), st.text(), st.text())
def test_any_text_comes_to_something_bounded(user: str, said: str, result: str) -> None:
    turn = Turn(
        session_id="s", turn_id=0, user=user, agent=said, actions=(Action(name="", result=result),)
    )
    found = refined(turn)
    assert len(found.facts) <= 8
    assert len(found.notes) <= 8
    assert len(found.summary) <= 200 + 120 + len(" · ")
    assert found.content_hash == content_hash(turn)
    assert found == refined(turn)


def test_l1_what_was_asked_is_cut_between_characters() -> None:
    found = refined(Turn(session_id="s", turn_id=0, user="x" * 199 + "👩\u200d🚀"))
    assert found.summary == "x" * 199
