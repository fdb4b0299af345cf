"""Wire files in pieces: however a file is cut while it grows, it says what it says as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membound.errors import CanonicalFileError
from membound.workspace.sessions.fold import Fold
from membound.workspace.sessions.reader import Mark, More, read_more
from tests import wires
from tests.oracle.wires import told

if TYPE_CHECKING:
    from pathlib import Path

    from membound.workspace.sessions.turn import Turn

ID = "session_a"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wires")


class Follower:
    """A reader that keeps what it was told, and its mark as text, as a host would."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.turns: dict[int, Turn] = {}
        self.mark: bytes | None = None

    def read(self) -> More:
        mark = None if self.mark is None else msgspec.json.decode(self.mark, type=Mark)
        more = read_more(self.path, ID, mark)
        self.turns |= {turn.turn_id: turn for turn in more.turns}
        self.turns = {number: self.turns[number] for number in sorted(more.live)}
        self.mark = msgspec.json.encode(more.mark)
        return more


def read(path: Path, data: bytes) -> More:
    path.write_bytes(data)
    return read_more(path, ID)


def plain(turns: list[Turn]) -> dict[int, object]:
    return {
        turn.turn_id: {
            "user": turn.user,
            "agent": turn.agent,
            "actions": [action.result for action in turn.actions],
        }
        for turn in turns
    }


@given(wires.WIRES | wires.ORDERLY_WIRES)
@example(wires.wire([wires.prompt("a"), wires.undo(1), wires.said("b", turnId="0")]))
def test_a_file_says_what_its_lines_say_one_after_the_other(folder: Path, data: bytes) -> None:
    more, expected = read(folder / "wire.jsonl", data), told(data)
    assert plain(list(more.turns)) == expected["turns"]
    assert set(more.live) == set(expected["turns"])
    assert set(more.withdrawn) == expected["gone"]
    assert [one.summary for one in more.compactions] == expected["summaries"]
    assert more.skipped == expected["skipped"]


@given(wires.WIRES | wires.ORDERLY_WIRES, st.data())
def test_a_file_that_grows_says_at_each_byte_what_it_says_as_a_whole(
    folder: Path, data: bytes, draw: st.DataObject
) -> None:
    follower = Follower(folder / "wire.jsonl")
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=6)))
    for end in (*cuts, len(data)):
        follower.path.write_bytes(data[:end])
        grown = follower.read()
        whole = read(folder / "other.jsonl", data[:end])
        assert list(follower.turns.values()) == list(whole.turns)
        assert (grown.live, grown.withdrawn) == (whole.live, whole.withdrawn)
        assert (grown.compactions, grown.skipped) == (whole.compactions, whole.skipped)


def test_a_cut_at_every_byte_loses_nothing(tmp_path: Path) -> None:
    data = wires.wire(
        [
            wires.prompt("茶🚀"),
            wires.step("a", turnId="0"),
            wires.said("é茶", stepUuid="a"),
            wires.cancelled(1),
            wires.prompt("second"),
            wires.steer("wait 🚀"),
            wires.called("c", turnId="2"),
            wires.given("c", "茶"),
            wires.undo(1),
            wires.prompt("third"),
        ]
    )
    whole = read(tmp_path / "whole.jsonl", data)
    for end in range(len(data) + 1):
        follower = Follower(tmp_path / "wire.jsonl")
        follower.path.write_bytes(data[:end])
        follower.read()
        follower.path.write_bytes(data)
        follower.read()
        assert list(follower.turns.values()) == list(whole.turns)


def test_what_is_appended_costs_no_more_than_the_last_turn(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    path.write_bytes(wires.wire(wires.a_session(200)))
    follower = Follower(path)
    size = follower.read().read
    assert size == path.stat().st_size > 800_000
    added = wires.wire([wires.prompt("one more"), wires.said("answer", turnId="200")])
    with path.open("ab") as file:
        file.write(added)
    more = follower.read()
    assert not more.anew
    assert more.read <= size / 200 * 1.1 + len(added)
    assert [turn.turn_id for turn in more.turns] == [199, 200]
    assert follower.read().read == len(added)


def test_a_file_that_was_cut_short_is_read_from_its_start(tmp_path: Path) -> None:
    follower = Follower(tmp_path / "wire.jsonl")
    follower.path.write_bytes(wires.wire([wires.prompt("a"), wires.prompt("b")]))
    follower.read()
    follower.path.write_bytes(wires.wire([wires.prompt("c")]))
    assert follower.read().anew
    assert [turn.user for turn in follower.turns.values()] == ["c"]


def test_another_file_of_the_same_name_is_read_from_its_start(tmp_path: Path) -> None:
    follower = Follower(tmp_path / "wire.jsonl")
    follower.path.write_bytes(wires.wire([wires.prompt("a"), wires.prompt("b")]))
    follower.read()
    other = tmp_path / "other"
    other.write_bytes(wires.wire([wires.prompt("x"), wires.prompt("y"), wires.prompt("z")]))
    other.replace(follower.path)
    assert follower.read().anew
    assert [turn.user for turn in follower.turns.values()] == ["x", "y", "z"]


def test_a_file_that_was_written_over_is_read_from_its_start(tmp_path: Path) -> None:
    follower = Follower(tmp_path / "wire.jsonl")
    follower.path.write_bytes(wires.wire([wires.prompt("a"), wires.prompt("b")]))
    follower.read()
    follower.path.write_bytes(wires.wire([wires.prompt("x"), wires.prompt("y"), wires.prompt("z")]))
    assert follower.read().anew
    assert [turn.user for turn in follower.turns.values()] == ["x", "y", "z"]


def test_an_answer_to_an_earlier_turn_is_put_where_it_belongs(tmp_path: Path) -> None:
    follower = Follower(tmp_path / "wire.jsonl")
    first = [wires.prompt("a"), wires.called("c", turnId="0"), wires.prompt("b")]
    follower.path.write_bytes(wires.wire(first))
    follower.read()
    follower.path.write_bytes(wires.wire([*first, wires.given("c", "late")]))
    assert follower.read().anew
    assert follower.turns[0].actions[0].result == "success: late"


def test_a_file_that_is_gone_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(CanonicalFileError):
        read_more(tmp_path / "wire.jsonl", ID)


@given(st.lists(st.one_of(st.binary(max_size=40), st.text(max_size=20).map(str.encode))))
def test_no_line_stops_the_reading(lines: list[bytes]) -> None:
    fold = Fold(ID)
    for line in lines:
        fold.feed(line, 0)
    assert fold.turns() == ()
