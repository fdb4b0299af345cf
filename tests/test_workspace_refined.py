"""Refined turns on disk: a row that cannot be read costs no other, and peers' rows are read."""

from __future__ import annotations

import json
import sqlite3  # noqa: TID251 — makes a file as a newer peer does
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import OutsideWorkspaceError
from membound.workspace.disk import Root
from membound.workspace.refine import is_current, refined
from membound.workspace.refined import read_rows, refined_path, write_rows
from membound.workspace.sessions.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "sessions"
PEER = "session_3d1f0a52-0000-4000-8000-00000000000a"
SCHEMA = """
CREATE TABLE refined_turns (session_id TEXT NOT NULL, turn_id INTEGER NOT NULL, timestamp TEXT,
summary TEXT, facts TEXT, notes TEXT, entities TEXT, categories TEXT,
PRIMARY KEY (session_id, turn_id))
"""


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "store")


def turn(number: int, agent: str = "- a fact", session_id: str = "session_a") -> Turn:
    return Turn(session_id=session_id, turn_id=number, agent=agent)


def database(root: Root, rows: Sequence[tuple[object, ...]]) -> Path:
    file = root.folder / "refined" / "refined.sqlite"
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as made, made:
        made.execute(SCHEMA)
        made.executemany("INSERT INTO refined_turns VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return file


def test_rows_are_read_as_they_were_written(root: Root) -> None:
    rows = [refined(turn(number)) for number in (10, 9, 2)]
    write_rows(root, "session_a", rows)
    found = read_rows(root, "session_a")
    assert (found.by_turn, found.skipped) == ({row.turn_id: row for row in rows}, 0)


def test_a_file_has_a_row_a_line_in_the_order_of_turns(root: Root) -> None:
    write_rows(root, "session_a", [refined(turn(10)), refined(turn(9))])
    write_rows(root, "session_a", [refined(turn(2)), refined(turn(9, "- grown"))])
    text = (root.read("refined/session_a.jsonl") or b"").decode()
    rows = [json.loads(line) for line in text.split("\n")]
    assert [row["turnId"] for row in rows] == [2, 9, 10]
    assert rows[1]["facts"] == ["grown"]
    assert list(rows[0]) == [
        *("sessionId", "turnId", "timestamp", "summary", "facts", "notes"),
        *("entities", "categories", "contentHash"),
    ]


def test_w26_rows_of_peers_are_read_and_made_anew(root: Root) -> None:
    data = (FIXTURES / "session_a.refined.jsonl").read_bytes()
    root.write(f"refined/{PEER}.jsonl", data)
    found = read_rows(root, PEER)
    assert (sorted(found.by_turn), found.skipped) == ([0, 1, 2, 3, 4], 0)
    assert found.by_turn[0].facts[0] == "Use SQLite in WAL mode"
    assert not is_current(found.by_turn[0], turn(0, session_id=PEER))
    again = b"\n".join(msgspec.json.encode(row) for row in found.by_turn.values())
    assert [json.loads(line) for line in again.split(b"\n")] == [
        json.loads(line) for line in data.split(b"\n")
    ]


@pytest.mark.parametrize("bad", [b"{torn", b"null", b'{"turnId":null}', b"[" * 90_000, b"\xff"])
def test_a_row_that_cannot_be_read_costs_no_other(root: Root, bad: bytes) -> None:
    write_rows(root, "session_a", [refined(turn(1))])
    good = root.read("refined/session_a.jsonl") or b""
    root.write("refined/session_a.jsonl", bad + b"\n" + good)
    found = read_rows(root, "session_a")
    assert (sorted(found.by_turn), found.skipped) == ([1], 1)
    write_rows(root, "session_a", [refined(turn(2))])
    assert sorted(read_rows(root, "session_a").by_turn) == [1, 2]


def test_rows_of_another_session_are_not_taken(root: Root) -> None:
    root.write("refined/a_b.jsonl", msgspec.json.encode(refined(turn(1, session_id="a/b"))))
    assert read_rows(root, "a:b").by_turn == {}
    assert sorted(read_rows(root, "a/b").by_turn) == [1]


def test_two_sessions_whose_files_have_one_name_keep_their_rows(root: Root) -> None:
    write_rows(root, "a/b", [refined(turn(1, session_id="a/b"))])
    write_rows(root, "a:b", [refined(turn(1, session_id="a:b"))])
    assert [sorted(read_rows(root, name).by_turn) for name in ("a/b", "a:b")] == [[1], [1]]


def test_a_session_without_a_file_has_no_rows(root: Root) -> None:
    assert read_rows(root, "session_a").by_turn == {}


@given(st.text())
def test_any_id_has_a_file_of_its_folder(session_id: str) -> None:
    folder, name = refined_path(session_id.encode(errors="replace").decode()).split("/")
    assert folder == "refined"
    assert name.endswith(".jsonl")
    assert name.removesuffix(".jsonl").strip(".")
    assert "\\" not in name
    assert len(name.encode()) <= 255


def test_a_session_s_file_has_its_name_where_it_can() -> None:
    assert refined_path(PEER) == f"refined/{PEER}.jsonl"
    assert refined_path(" two  words ") == "refined/two_words.jsonl"


def test_rows_of_newer_peers_are_read(root: Root) -> None:
    database(
        root,
        [
            ("session_a", 1, None, "one", '["f"]', "[]", '{"tools":["Bash"]}', '{"next":["f"]}'),
            ("session_a", 2, "2026-02-20T08:00:00.000Z", "two", None, "[]", "{}", "{}"),
            ("session_a", 3, None, "three", "{torn", "[]", "{}", "{}"),
            ("session_a", 4, None, "four", '{"a":1}', "[]", "{}", "{}"),
            ("session_a", 5, None, b"\xff", b"[]", "[]", "{}", "{}"),
            ("session_b", 1, None, "other", "[]", "[]", "{}", "{}"),
        ],
    )
    found = read_rows(root, "session_a")
    assert (sorted(found.by_turn), found.skipped) == ([1, 2], 3)
    one = found.by_turn[1]
    assert (one.summary, one.facts, one.entities.tools) == ("one", ("f",), ("Bash",))
    assert one.categories == {"next": ("f",)}


def test_rows_of_ours_stand_before_those_of_newer_peers(root: Root) -> None:
    database(root, [("session_a", 1, None, "old", "[]", "[]", "{}", "{}")])
    write_rows(root, "session_a", [refined(turn(1))])
    assert read_rows(root, "session_a").by_turn[1].facts == ("a fact",)


def test_the_file_of_newer_peers_is_never_written(root: Root) -> None:
    file = database(root, [("session_a", 1, None, "one", "[]", "[]", "{}", "{}")])
    before = (file.read_bytes(), file.stat().st_mtime_ns, sorted(file.parent.iterdir()))
    read_rows(root, "session_a")
    assert (file.read_bytes(), file.stat().st_mtime_ns, sorted(file.parent.iterdir())) == before


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4_000])
def test_a_database_that_cannot_be_read_costs_no_row_of_ours(root: Root, data: bytes) -> None:
    write_rows(root, "session_a", [refined(turn(1))])
    root.write("refined/refined.sqlite", data)
    found = read_rows(root, "session_a")
    assert (sorted(found.by_turn), found.skipped) == ([1], 1)


def test_a_link_out_of_the_workspace_is_not_followed(root: Root, tmp_path: Path) -> None:
    (root.folder / "refined").mkdir(parents=True)
    (tmp_path / "outside.jsonl").write_bytes(msgspec.json.encode(refined(turn(1))))
    (root.folder / "refined" / "session_a.jsonl").symlink_to(tmp_path / "outside.jsonl")
    with pytest.raises(OutsideWorkspaceError):
        read_rows(root, "session_a")
