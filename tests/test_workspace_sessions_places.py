"""Where sessions lie: those of this workspace, the newest first, copies known as such."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from membound.workspace.sessions.places import own_turns, session_of, sessions_of
from membound.workspace.sessions.reader import read_more
from tests import wires

if TYPE_CHECKING:
    from pathlib import Path

HASH = "b3c97e3572d2"


def made(root: Path, name: str, *, at: int, bucket: str = f"wd_orchard_{HASH}") -> Path:
    folder = root / bucket / name
    wire = folder / "agents" / "main" / "wire.jsonl"
    wire.parent.mkdir(parents=True)
    wire.write_bytes(wires.wire([wires.prompt(name)]))
    os.utime(wire, (at, at))
    return folder


def test_sessions_of_the_workspace_are_found_newest_first(tmp_path: Path) -> None:
    made(tmp_path, "session_old", at=100)
    made(tmp_path, "session_new", at=300)
    made(tmp_path, "session_moved", at=200, bucket=f"wd_renamed_{HASH}")
    made(tmp_path, "session_foreign", at=400, bucket="wd_orchard_62cbb260f35f")
    made(tmp_path, "other", at=500)
    (tmp_path / f"wd_orchard_{HASH}" / "session_empty").mkdir()
    (tmp_path / "state.json").write_text("{}")
    found = [session.id for session in sessions_of(tmp_path, HASH)]
    assert found == ["session_new", "session_moved", "session_old"]


def test_c1_a_session_is_asked_for_by_its_id(tmp_path: Path) -> None:
    made(tmp_path, "session_a", at=100)
    made(tmp_path, "session_b", at=200)
    sessions = sessions_of(tmp_path, HASH)
    asked, newest = session_of(sessions, "session_a"), session_of(sessions, None)
    assert asked is not None
    assert newest is not None
    assert (asked.id, newest.id) == ("session_a", "session_b")
    assert session_of(sessions, "../session_a") is None


def test_a_folder_that_is_not_there_has_no_sessions(tmp_path: Path) -> None:
    assert sessions_of(tmp_path / "none", HASH) == ()
    assert session_of((), None) is None


def test_a_session_in_two_folders_is_the_one_that_was_written_last(tmp_path: Path) -> None:
    made(tmp_path, "session_a", at=100)
    later = made(tmp_path, "session_a", at=200, bucket=f"wd_renamed_{HASH}")
    (found,) = sessions_of(tmp_path, HASH)
    assert found.wire.is_relative_to(later)


def test_a_wire_that_is_no_file_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / f"wd_orchard_{HASH}" / "session_a" / "agents" / "main"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "wire.jsonl")
    assert sessions_of(tmp_path, HASH) == ()


@pytest.mark.parametrize(
    ("state", "title", "forked"),
    [
        ('{"title":"Retry","forkedFrom":"session_a"}', "Retry", "session_a"),
        ('{"forkedFrom":{"sessionId":"session_a"}}', None, "session_a"),
        ('{"title":5,"forkedFrom":null}', None, None),
        ("null", None, None),
        ("{torn", None, None),
        ("[" * 100_000, None, None),
    ],
)
def test_what_a_host_says_of_a_session_is_read_where_it_can_be(
    tmp_path: Path, state: str, title: str | None, forked: str | None
) -> None:
    (made(tmp_path, "session_b", at=1) / "state.json").write_text(state)
    (found,) = sessions_of(tmp_path, HASH)
    assert (found.title, found.forked_from) == (title, forked)


def test_turns_that_a_copy_has_from_its_original_are_not_its_own(tmp_path: Path) -> None:
    shared = [wires.prompt("a"), wires.said("b", turnId="0"), wires.prompt("c", time=wires.START)]
    original, copy = tmp_path / "original", tmp_path / "copy"
    original.write_bytes(wires.wire([*shared, wires.said("grown", turnId="1")]))
    copy.write_bytes(wires.wire([*shared, wires.prompt("d", time=wires.START + 5)]))
    first = read_more(original, "session_a").turns
    second = read_more(copy, "session_b").turns
    assert [turn.user for turn in own_turns(second, first)] == ["d"]
    state = {"forkedFrom": "session_a"}
    (made(tmp_path, "session_b", at=1) / "state.json").write_text(json.dumps(state))
    assert sessions_of(tmp_path, HASH)[0].forked_from == "session_a"
