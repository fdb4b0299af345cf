"""Past sessions through an open workspace: what is loaded and found of them, as they grow."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membound.errors import InvalidInputError, SessionNotFoundError, TurnNotFoundError
from membound.workspace.tools.registry import TOOLS, call
from tests import wires
from tests.hosts import DAY, ONE, TWO, Host, found, turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from membound.workspace import Workspace


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.fixture
def workspace(host: Host) -> Iterator[Workspace]:
    with host.opened() as opened:
        yield opened


def loaded(workspace: Workspace, most: int = 100) -> dict[int, tuple[str, str]]:
    """Give what was said in each turn of the current session."""
    context = workspace.load_context(most, 0).recent_context
    assert context is not None
    return {one.turn_id: (one.user, one.agent) for one in context.detailed_rounds}


# Loading


def test_without_sessions_nothing_is_loaded_and_nothing_fails(workspace: Workspace) -> None:
    assert workspace.load_context().recent_context is None
    assert workspace.bootstrap().recent_context is None
    assert workspace.load_more(5).rounds == ()
    assert found(workspace, "anything") == set()
    assert workspace.load_turns([(ONE, 0)]).rounds == ()
    assert workspace.detect_theme(["anything"]) == ()
    with pytest.raises(SessionNotFoundError):
        workspace.refine()


@given(detailed=st.integers(0, 9), short=st.integers(0, 9))
@settings(max_examples=20)
def test_the_last_turns_come_in_full_and_those_before_them_in_short(
    detailed: int, short: int
) -> None:
    with TemporaryDirectory() as folder:
        host = Host(Path(folder))
        host.says(ONE, wires.a_session(7, 72))
        with host.opened() as workspace:
            context = workspace.load_context(detailed, short).recent_context
    assert context is not None
    ids = [*range(7)]
    whole = ids[max(7 - detailed, 0) :]
    assert [one.turn_id for one in context.detailed_rounds] == whole
    rest = ids[: 7 - len(whole)]
    assert [one.turn_id for one in context.summary_rounds] == rest[max(len(rest) - short, 0) :]
    assert context.total_turns == 7
    for one in context.detailed_rounds:
        assert one.user == f"Question {one.turn_id}: how does part {one.turn_id} retry?"
        assert [action.name for action in one.actions] == ["Bash", "Bash"]


def test_earlier_turns_are_paged_back_to_the_first_without_gap(
    host: Host, workspace: Workspace
) -> None:
    host.says(ONE, wires.a_session(17, 72))
    seen: list[int] = []
    before, more = 17, True
    while more:
        page = workspace.load_more(before, 4)
        seen[:0] = [one.turn_id for one in page.rounds]
        before, more = page.rounds[0].turn_id, page.has_more
    assert seen == [*range(17)]
    for number, field in [(0, "before_turn_id"), (-1, "before_turn_id"), (True, "before_turn_id")]:
        with pytest.raises(InvalidInputError) as refused:
            workspace.load_more(number)
        assert refused.value.field == field
    with pytest.raises(SessionNotFoundError):
        workspace.load_more(3, session_id="session_none")


def test_the_session_written_last_is_meant_unless_one_is_named_c1(
    host: Host, workspace: Workspace
) -> None:
    host.says(ONE, turn(0, "first question"))
    host.says(TWO, turn(0, "second question"))
    assert loaded(workspace)[0][0] == "second question"
    assert workspace.load_more(1, session_id=ONE).rounds[0].summary == "User: first question"
    host.says(ONE, turn(1, "third question"))
    assert loaded(workspace)[1][0] == "third question"
    assert workspace.refine(TWO).session_id == TWO


def test_a_session_begins_with_the_end_of_the_one_before(host: Host, workspace: Workspace) -> None:
    host.says(ONE, [*turn(0, "zero"), *turn(1, "one"), *turn(2, "two")])
    host.says(TWO, turn(0, "new"))
    recent = workspace.bootstrap(detailed_rounds=2).recent_context
    assert recent is not None
    assert (recent.session_id, recent.loaded_from_previous) == (ONE, True)
    assert [one.user for one in recent.detailed_rounds] == ["one", "two"]
    host.says(TWO, turn(1, "newer"))
    assert workspace.bootstrap().recent_context is None
    forced = workspace.bootstrap(force=True).recent_context
    assert forced is not None
    assert forced.session_id == TWO


def test_a_long_list_of_references_is_served_whole_or_the_rest_is_named_w14(
    host: Host, workspace: Workspace
) -> None:
    host.says(ONE, wires.a_session(120, 72))
    wanted = [(ONE, number) for number in (*range(119, -1, -1), 7, 7, 500)]
    turns = workspace.load_turns([*wanted, ("session_none", 0)])
    assert [(one.session_id, one.turn_id) for one in turns.rounds] == wanted[:120]
    missing = [(one.session_id, one.turn_id) for one in turns.not_found]
    assert missing == [(ONE, 500), ("session_none", 0)]
    asked = [{"sessionId": session, "turnId": number} for session, number in wanted]
    told: list[Any] = []
    cursor: dict[str, object] = {}
    while True:
        reply = call(
            TOOLS["load_turn_context"], {"references": asked, **cursor}, lambda: workspace
        ).fields
        told += [*map_of(reply, "rounds"), *map_of(reply, "notFound")]
        if "next_cursor" not in reply:
            break
        assert reply["left"] == 121 - len(told)
        cursor = {"cursor": reply["next_cursor"]}
    assert [one["turnId"] for one in told] == [number for _, number in wanted[:120]] + [500]


def map_of(fields: dict[str, Any], name: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = fields[name]
    return items


# As files grow


def test_a_turn_that_grows_is_told_and_found_as_it_is_now(host: Host, workspace: Workspace) -> None:
    host.says(ONE, turn(0, "Where is the heron?"))
    assert loaded(workspace) == {0: ("Where is the heron?", "")}
    assert found(workspace, "walnut") == set()
    host.says(ONE, [wires.said("By the walnut.", turnId="0")])
    assert loaded(workspace) == {0: ("Where is the heron?", "By the walnut.")}
    assert found(workspace, "walnut") == {(ONE, 0)}
    half = wires.wire(turn(1, "And the 茶树?", "By the river."))
    host.append(ONE, half[:60])
    assert [*loaded(workspace)] == [0]
    assert found(workspace, "river") == set()
    host.append(ONE, half[60:])
    assert [*loaded(workspace)] == [0, 1]
    assert found(workspace, "river") == found(workspace, "茶树") == {(ONE, 1)}


def test_what_was_undone_is_loaded_found_refined_and_tagged_no_more_w22(
    host: Host, workspace: Workspace
) -> None:
    host.says(ONE, [*turn(0, "Use sqlite"), *turn(1, "Use redis", "Decided: redis it is.")])
    assert found(workspace, "redis") == {(ONE, 1)}
    workspace.tag_theme("Stores", session_id=ONE, turn_id=1)
    host.says(ONE, [wires.undo(1)])
    assert [*loaded(workspace)] == [0]
    assert found(workspace, "redis") == set()
    assert [one.turn_id for one in workspace.load_turns([(ONE, 1)]).not_found] == [1]
    assert workspace.refine(ONE, turn_ids=[0, 1]).refined_count == 1
    with pytest.raises(TurnNotFoundError):
        workspace.tag_theme("Stores", session_id=ONE, turn_id=1)
    (traced,) = workspace.trace_theme("Stores", include_turn_content=True).turns
    assert traced.content is None
    assert "withdrawn" in str(traced.error)


def test_what_was_cleared_is_gone_and_what_follows_is_there(
    host: Host, workspace: Workspace
) -> None:
    host.says(ONE, [*turn(0, "heron"), *turn(1, "walnut")])
    assert found(workspace, "heron") == {(ONE, 0)}
    host.says(ONE, [wires.CLEAR, *turn(2, "river")])
    assert [user for user, _ in loaded(workspace).values()] == ["river"]
    assert found(workspace, "heron") == found(workspace, "walnut") == set()
    assert found(workspace, "river") == {(ONE, 2)}


def test_turns_of_a_copied_session_are_found_once(host: Host, workspace: Workspace) -> None:
    host.says(ONE, [*turn(0, "heron"), *turn(1, "walnut")])
    copy = host.session(TWO)
    host.append(TWO, host.session(ONE).read_bytes())
    (copy.parents[2] / "state.json").write_text(json.dumps({"forkedFrom": ONE}))
    host.says(TWO, turn(2, "heron and river"))
    assert len(found(workspace, "walnut")) == 1
    assert workspace.search_context("walnut").total_matches == 1
    assert (TWO, 2) in found(workspace, "river")
    both = workspace.load_turns([(ONE, 0), (TWO, 0)]).rounds
    assert [one.user for one in both] == ["heron", "heron"]


def test_turns_that_say_the_same_at_other_times_are_each_found(
    host: Host, workspace: Workspace
) -> None:
    for number in (0, 1):
        host.says(ONE, turn(number, "Run the heron tests", "All pass."))
    host.says(TWO, turn(0, "Run the heron tests", "All pass.", at=DAY))
    assert found(workspace, "heron") == {(ONE, 0), (ONE, 1), (TWO, 0)}


def test_a_long_turn_is_one_match(host: Host, workspace: Workspace) -> None:
    host.says(ONE, turn(0, f"walnut {'river bank ' * 3_000}", "walnut"))
    assert found(workspace, "walnut") == {(ONE, 0)}
    assert workspace.search_context("walnut").total_matches == 1


def test_a_wire_file_that_is_gone_or_replaced_is_followed(host: Host, workspace: Workspace) -> None:
    host.says(ONE, [*turn(0, "heron"), *turn(1, "walnut")])
    assert found(workspace, "heron") == {(ONE, 0)}
    host.session(ONE).unlink()
    assert found(workspace, "heron") == set()
    assert workspace.load_context().recent_context is None
    host.says(ONE, turn(0, "river"))
    assert found(workspace, "river") == {(ONE, 0)}
    assert found(workspace, "walnut") == set()


GARBAGE = [
    "",
    "null",
    "[]",
    '"text"',
    '{"type":',
    "garbage 茶",
    '{"type":"turn.prompt","input":"x"}',
]
CLEAN = wires.wire([*turn(0, "heron", "walnut"), *turn(1, "river", "茶树")]).splitlines(
    keepends=True
)


@given(st.lists(st.tuples(st.integers(0, len(CLEAN)), st.sampled_from(GARBAGE[:-1])), max_size=6))
@settings(max_examples=30)
def test_lines_that_are_no_records_change_nothing_of_the_others(
    garbage: list[tuple[int, str]],
) -> None:
    lines = [*CLEAN]
    for at, line in sorted(garbage, reverse=True):
        lines.insert(at, f"{line}\n".encode())
    with TemporaryDirectory() as folder:
        host = Host(Path(folder))
        host.append(ONE, b"".join(lines))
        with host.opened() as workspace:
            assert loaded(workspace) == {0: ("heron", "walnut"), 1: ("river", "茶树")}
            assert found(workspace, "river") == {(ONE, 1)}
            assert workspace.refine().refined_count == 2


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"turn.prompt","time":"garbage","input":[{"type":"text","text":"late"}]}\n',
        b'{"type":"turn.prompt","time":1e20,"input":[{"type":"text","text":"late"}]}\n',
        b'{"type":"turn.prompt","input":"text"}\n',
        b'{"type":"context.append_loop_event","event":{"type":"step.begin","turnId":"turn-7"}}\n',
        b"\xff\xfe\x00\n",
        b"{" * 100_000 + b"\n",
    ],
)
def test_no_line_ends_the_process_or_hides_the_turns_around_it_w20(
    host: Host, workspace: Workspace, line: bytes
) -> None:
    host.says(ONE, turn(0, "heron", "walnut"))
    host.append(ONE, line)
    host.says(ONE, [wires.prompt("river", time=wires.START + DAY)])
    said = [user for user, _ in loaded(workspace).values()]
    assert (said[0], said[-1]) == ("heron", "river")
    assert found(workspace, "heron") == {(ONE, 0)}
    assert len(found(workspace, "river")) == 1
