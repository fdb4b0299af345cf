"""Where sessions lie: those of this workspace, the newest first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from membound.workspace.sessions.places import session_of, sessions_of
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
