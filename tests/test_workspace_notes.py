"""Notes through the facade: what is written is read back, and what is gone is found by nothing."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membound.errors import NoteChangedError, NoteExistsError, NoteNotFoundError
from membound.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEYS = ("plan", "计划", "予定表", "일정")
FOLDERS = ("memory", "memory/work", "notes")
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


@contextmanager
def opened(at: Path | str) -> Iterator[Workspace]:
    with Workspace.open(at, root=f"{at}/s", environment={}, clock=lambda: NOW) as workspace:
        yield workspace


@pytest.mark.parametrize(
    "body", ["", "a\r\nb\r\n", "\n\n---\ntitle: x\n---\n", "喝茶 \U0001f375 \t "]
)
def test_a_body_is_read_back_to_the_byte(tmp_path: Path, body: str) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("tea", body)
        note = workspace.recall("tea")
        assert note is not None
        assert note.content == body


def test_tags_left_out_are_kept_and_an_empty_list_clears_them(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        assert workspace.remember("tea", "green", tags=["drink"]).created
        assert not workspace.remember("tea", "black").created
        assert workspace.list_tags() == ("drink",)
        workspace.remember("tea", "black", tags=[])
        assert workspace.list_tags() == ()


def test_a_write_that_knows_another_time_changes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        known = workspace.remember("tea", "green").updated_at
        with pytest.raises(NoteChangedError):
            workspace.remember("tea", "black", if_updated_at="2020-01-01T00:00:00.000Z")
        note = workspace.recall("tea")
        assert note is not None
        assert note.content == "green"
        assert not workspace.remember("tea", "white", if_updated_at=known).created


def test_a_move_to_a_taken_place_leaves_both_notes(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("tea", "one")
        workspace.remember("tea", "two", folder="notes")
        with pytest.raises(NoteExistsError):
            workspace.move("tea", "notes")
        with pytest.raises(NoteNotFoundError):
            workspace.move("coffee", "notes")
        kept = [workspace.recall("tea", folder=folder) for folder in ("memory", "notes")]
        assert [note.content for note in kept if note is not None] == ["one", "two"]


def test_a_key_may_change_its_case_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("tea", "green")
        workspace.move("tea", "memory", new_key="Tea")
        assert [one.key for one in workspace.list().items] == ["Tea"]


def test_themes_follow_a_move_and_mark_a_deletion(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("tea", "green", themes=["茶"])
        assert len(workspace.move("tea", "notes", new_key="cha").themes) == 1
        (reference,) = workspace.trace_theme("茶").memories
        assert (reference.folder, reference.key) == ("notes", "cha")
        assert workspace.delete("cha", folder="notes")
        (reference,) = workspace.trace_theme("茶").memories
        assert reference.deleted is True


STEP = st.tuples(
    st.sampled_from(["remember", "delete", "move"]),
    st.sampled_from(KEYS),
    st.sampled_from(FOLDERS),
    st.sampled_from(FOLDERS),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(STEP, max_size=10))
def test_every_history_leaves_what_a_dictionary_holds(
    steps: list[tuple[str, str, str, str]],
) -> None:
    holds: dict[tuple[str, str], str] = {}
    with TemporaryDirectory() as at, opened(at) as workspace:
        for number, (verb, key, folder, to) in enumerate(steps):
            place = (folder, key)
            if verb == "remember":
                told = workspace.remember(key, f"word{number}", folder=folder)
                assert told.created == (place not in holds)
                holds[place] = f"word{number}"
            elif verb == "delete":
                assert workspace.delete(key, folder=folder) == (place in holds)
                holds.pop(place, None)
            elif place in holds and (to, key) not in holds:
                workspace.move(key, to, folder=folder)
                holds[to, key] = holds.pop(place)
        assert {(one.folder, one.key) for one in workspace.list().items} == set(holds)
        previews = {(one.folder, one.key): one.preview for one in workspace.recent(50).items}
        assert previews == holds
        for number in range(len(steps)):
            found = {(one.folder, one.key) for one in workspace.search(f"word{number}").items}
            assert found == {place for place, body in holds.items() if body == f"word{number}"}
        for key in KEYS:
            for folder in FOLDERS:
                note = workspace.recall(key, folder=folder)
                assert (note and note.content) == holds.get((folder, key))


def test_an_overwritten_body_is_kept_and_told(tmp_path: Path) -> None:
    """W07"""
    with opened(tmp_path) as workspace:
        assert workspace.remember("tea", "green").revision is None
        assert workspace.remember("tea", "black").revision is not None
        assert any(
            b"green" in one.read_bytes()
            for one in (workspace.path / ".membound/revisions").rglob("*.md")
            if one.is_file()
        )
