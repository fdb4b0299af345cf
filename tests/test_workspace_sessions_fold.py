"""Turns by the host's clock: nothing is lost between question and answer, nor told twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.workspace.sessions.clock import Clock
from membound.workspace.sessions.fold import Fold
from tests import wires

if TYPE_CHECKING:
    from membound.workspace.sessions.turn import Turn

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "sessions"
VECTORS: dict[str, Any] = json.loads((FIXTURES / "wire_parse.json").read_text())

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
FIELDS = "turnId stepUuid uuid toolCallId parentUuid result args part name".split()  # noqa: SIM905 — the host's words in one line
HOSTILE = st.fixed_dictionaries(
    {
        "type": st.sampled_from([*Fold._RECORDS, "other"]),  # noqa: SLF001 — all that it understands
        "event": ANY_JSON
        | st.fixed_dictionaries(
            {"type": st.sampled_from(["step.begin", "content.part", "tool.call", "tool.result"])},
            optional=dict.fromkeys(FIELDS, ANY_JSON),
        ),
    },
    optional=dict.fromkeys("time input origin summary count turnId target".split(), ANY_JSON),  # noqa: SIM905
)


def folded(*records: wires.Record | str) -> Fold:
    fold = Fold("session_a")
    for line in wires.wire(records).splitlines(keepends=True):
        fold.feed(line, 0)
    return fold


def turns(*records: wires.Record | str) -> dict[int, Turn]:
    return {turn.turn_id: turn for turn in folded(*records).turns()}


def as_told(turn: Turn) -> dict[str, object]:
    return {
        "turnId": str(turn.turn_id),
        "timestamp": turn.timestamp,
        "user": turn.user,
        "agentText": turn.agent,
        "actions": [
            {"name": one.name, "args": one.args, "result": one.result} for one in turn.actions
        ],
    }


@pytest.mark.parametrize("name", sorted(VECTORS.keys() - {"steer_ignored"}))
def test_lines_say_what_they_say_to_peers(name: str) -> None:
    lines, result = VECTORS[name]["lines"], VECTORS[name]["result"]
    if name == "tools":  # a result that is text, or an error that is an object, is told
        assert result["turns"][0]["actions"][-2]["result"] == "error: [object Object]"
        result["turns"][0]["actions"][-2]["result"] = 'error: {"code":5}'
        result["turns"][0]["actions"][-1]["result"] = "success: plain string"
    fold = folded(*lines)
    assert [as_told(turn) for turn in fold.turns()] == result["turns"]
    told = [{"time": one.time, "summary": one.summary} for one in fold.clock().compactions]
    assert told == result["compactionSummaries"]


@given(st.lists(HOSTILE, max_size=8))
def test_w20_no_record_stops_the_reading(records: list[dict[str, object]]) -> None:
    fold = folded(*map(json.dumps, records), wires.prompt("still here"))
    assert fold.turns()[-1].user == "still here"


@pytest.mark.parametrize("line", ["null", "[]", "5", '"text"', "{", '{"type":5}', "[" * 5_000])
def test_w20_a_line_that_is_no_record_is_skipped_and_counted(line: str) -> None:
    fold = folded(wires.prompt("a"), line, wires.said("b", turnId="0"))
    assert [(turn.user, turn.agent) for turn in fold.turns()] == [("a", "b")]
    assert fold.clock().skipped == 1


@pytest.mark.parametrize("time", ["garbage", 1e20, -1e300, True, [], {}, 10**40])
def test_w20_a_time_that_names_no_moment_is_none(time: object) -> None:
    assert turns(wires.prompt("a", time=time))[0].timestamp is None


def test_w20_input_that_is_text_is_what_was_said() -> None:
    record: wires.Record = {"type": "turn.prompt", "input": "plain", "time": wires.START}
    assert turns(record)[0].user == "plain"


def test_w20_a_turn_id_that_is_no_number_names_the_turn_that_runs() -> None:
    found = turns(
        wires.prompt("a"),
        wires.step("s", turnId="turn-7"),
        wires.said("b", turnId="turn-7"),
        wires.prompt("c"),
        wires.said("d", turnId="turn-8"),
        wires.said("e", turnId="turn-9"),
    )
    assert [(turn.user, turn.agent) for turn in found.values()] == [
        ("a", "b"),
        ("c", "d"),
        ("", "e"),
    ]


def test_w21_a_prompt_that_was_cancelled_in_the_queue_takes_a_number() -> None:
    found = turns(
        wires.prompt("first"),
        wires.cancelled(1),
        wires.prompt("question"),
        wires.step("s", turnId="2"),
        wires.said("answer", turnId="2"),
    )
    assert sorted(found) == [0, 2]
    assert (found[2].user, found[2].agent) == ("question", "answer")


def test_w22_what_was_undone_is_gone() -> None:
    fold = folded(
        wires.prompt("which cache?"),
        wires.prompt("use redis"),
        wires.said("Decided: use redis", turnId="1"),
        wires.undo(1),
        wires.said("a late word", turnId="1"),
        wires.prompt("use sqlite"),
    )
    assert [(turn.turn_id, turn.user) for turn in fold.turns()] == [
        (0, "which cache?"),
        (2, "use sqlite"),
    ]
    assert fold.clock().withdrawn == (1,)


def test_w22_turns_of_the_host_are_not_counted_but_go_with_what_was_undone() -> None:
    found = turns(
        wires.prompt("a"),
        wires.prompt("b"),
        wires.prompt("nightly", kind="cron_job"),
        wires.undo(1),
    )
    assert list(found) == [0]


def test_w22_a_command_of_the_shell_is_told_but_not_counted() -> None:
    found = turns(wires.prompt("a"), wires.prompt("ls", kind="shell_command"))
    assert [turn.user for turn in found.values()] == ["a", "ls"]
    undone = turns(wires.prompt("a"), wires.prompt("ls", kind="shell_command"), wires.undo(1))
    assert undone == {}


def test_w22_nothing_from_before_a_compaction_can_be_undone() -> None:
    records = (wires.prompt("a"), wires.compaction("so far"), wires.prompt("b"), wires.undo(5))
    assert list(turns(*records)) == [0]


def test_w22_what_was_cleared_is_gone() -> None:
    fold = folded(wires.prompt("a"), wires.compaction("so far"), wires.CLEAR, wires.prompt("b"))
    assert [(turn.turn_id, turn.user) for turn in fold.turns()] == [(1, "b")]
    assert fold.clock().compactions == ()


def test_a_word_in_between_belongs_to_the_turn_that_runs() -> None:
    assert turns(wires.prompt("a"), wires.steer("b"))[0].user == "a\nb"


def test_text_without_a_turn_is_joined_by_its_step() -> None:
    found = turns(
        wires.prompt("a"),
        wires.step("s0", turnId="0"),
        wires.prompt("b"),
        wires.step("s1", turnId="1"),
        wires.said("late", stepUuid="s0"),
        wires.said("now", stepUuid="s1"),
        wires.called("c", stepUuid="s1"),
    )
    assert (found[0].agent, found[1].agent) == ("late", "now")
    assert [action.name for action in found[1].actions] == ["Bash"]


def test_a_prompt_that_is_also_a_message_is_told_once() -> None:
    told = {"role": "user", "content": [{"type": "text", "text": "a"}], "origin": {"kind": "user"}}
    record: wires.Record = {"type": "context.append_message", "message": told}
    assert [turn.user for turn in turns(wires.prompt("a"), record).values()] == ["a"]


@pytest.mark.parametrize(
    "kind", ["injection", "cron_job", "hook_result", "system_trigger", "task", "retry"]
)
def test_what_the_host_asks_is_no_word_of_a_person(kind: str) -> None:
    found = turns(wires.prompt("do it", kind=kind), wires.said("done", turnId="0"))
    assert (found[0].user, found[0].agent) == ("", "done")


@pytest.mark.parametrize(
    ("origin", "user"),
    [
        ({"kind": "skill_activation", "trigger": "user-slash"}, "do it"),
        ({"kind": "skill_activation", "trigger": "model-tool"}, ""),
        ({"kind": "plugin_command"}, "do it"),
        ("odd", "do it"),
    ],
)
def test_a_command_that_a_person_gives_is_one(origin: object, user: str) -> None:
    assert turns({**wires.prompt("do it"), "origin": origin})[0].user == user


def test_files_are_taken_from_the_arguments_of_calls() -> None:
    found = turns(
        wires.prompt("a"),
        wires.called("c", turnId="0", args={"path": "src/a.rs", "cwd": "/srv/node_modules/x"}),
    )
    assert found[0].actions[0].files == ("src/a.rs",)


def test_text_that_is_not_well_formed_is_made_so() -> None:
    fold = Fold("session_a")
    fold.feed(b'{"type":"turn.prompt","input":[{"type":"text","text":"\\ud83d x \xff"}]}\n', 0)
    assert fold.turns()[0].user == "\ufffd x \ufffd"


def test_complaint_22_a_torn_line_costs_no_other() -> None:
    torn = '{"type":"context.append_loop_event","event":{"type":"content.p{"type":"usage.record"}'
    fold = folded(wires.prompt("a"), torn, wires.said("b", turnId="0"), wires.prompt("c"))
    assert [(turn.user, turn.agent) for turn in fold.turns()] == [("a", "b"), ("c", "")]
    assert fold.clock().skipped == 1


def test_a_session_without_lines_has_no_turns() -> None:
    assert (Fold("session_a").turns(), Fold("session_a").clock()) == ((), Clock())


def test_a_line_that_is_still_being_written_is_not_counted() -> None:
    fold = Fold("session_a")
    fold.feed(b'{"type":"turn.pro', 0)
    assert fold.clock().skipped == 0
    fold.feed(wires.wire([wires.prompt("whole")]).rstrip(b"\n"), 0)
    assert [turn.user for turn in fold.turns()] == ["whole"]
