"""Cursors: what one stands for is read back, and nothing else is taken for one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.workspace import Workspace
from membound.workspace.cursors import cursor_of, key_of
from membound.workspace.search import Key

if TYPE_CHECKING:
    from pathlib import Path


@given(st.floats(0, 1), st.integers(-(2**53), 2**53), st.text())
def test_a_cursor_is_read_back(score: float, updated: int, id: str) -> None:
    key = Key(score, updated, id)
    assert key_of(cursor_of(key), Key) == key


@given(st.one_of(st.text(), st.integers(), st.none(), st.binary().map(lambda b: b.hex())))
def test_anything_else_is_refused_by_name(made_up: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^cursor: expected the next_cursor"):
        key_of(made_up, Key)


@pytest.mark.parametrize("hours", [0, 1, 700])
def test_pages_of_a_search_are_the_search_whenever_each_is_asked_for(
    tmp_path: Path, hours: int
) -> None:
    now = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def clock() -> datetime:
        return now

    with Workspace.open(tmp_path, root=tmp_path / "s", environment={}, clock=clock) as workspace:
        for at in range(30):
            workspace.remember(f"note-{at}", f"the kiwi harvest {'and more ' * (at % 3)}")
            now += timedelta(minutes=at)
        whole = [one.key for one in workspace.search("kiwi harvest", limit=64).items]
        assert len(whole) == 30
        seen: list[str] = []
        cursor = None
        while True:
            page = workspace.search("kiwi harvest", limit=7, cursor=cursor)
            seen += [one.key for one in page.items]
            if (cursor := page.next_cursor) is None:
                break
            now += timedelta(hours=hours)
        assert seen == whole


def test_what_is_written_between_two_pages_neither_hides_nor_repeats_a_note(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, root=tmp_path / "s", environment={}) as workspace:
        for at in range(40):
            workspace.remember(f"note-{at:02}", f"the kiwi harvest {'and more ' * (at % 5)}")
        stayed = {f"note-{at:02}" for at in range(40)}
        seen: list[str] = []
        cursor = None
        while True:
            page = workspace.search("kiwi harvest", limit=3, cursor=cursor)
            seen += [one.key for one in page.items]
            if (cursor := page.next_cursor) is None:
                break
            workspace.remember(f"between-{len(seen):02}", "the kiwi harvest, and another one")
            workspace.delete(page.items[-1].key)  # the very note that the cursor names
            gone = max(stayed - set(seen), default=page.items[0].key)
            workspace.delete(gone)
            stayed -= {gone, page.items[-1].key}
        assert len(seen) == len(set(seen))
        assert stayed <= set(seen)


@pytest.mark.parametrize(
    "made_up",
    [
        [[0.5, 1, ""], [], 0],
        [[0.5, 1, "x"], ["y"], 0],
        [[2e9, -1, "note:"], [], 253_402_300_799_999],
    ],
)
def test_a_cursor_that_nobody_gave_is_a_place_as_any_other(
    tmp_path: Path, made_up: list[object]
) -> None:
    with Workspace.open(tmp_path, root=tmp_path / "s", environment={}) as workspace:
        workspace.remember("kiwi", "the kiwi harvest")
        assert len(workspace.search("kiwi", cursor=cursor_of(made_up)).items) <= 1


@pytest.mark.parametrize("asked", [-1, 253_402_300_800_000, 2**70, "now"])
def test_a_cursor_of_no_time_is_refused(tmp_path: Path, asked: object) -> None:
    with Workspace.open(tmp_path, root=tmp_path / "s", environment={}) as workspace:
        workspace.remember("kiwi", "the kiwi harvest")
        with pytest.raises(InvalidInputError, match="cursor"):
            workspace.search("kiwi", cursor=cursor_of([[0.5, 1, "x"], [], asked]))
