"""Lists through the facade: pages stay in step with what is written between them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from membound.errors import InvalidInputError
from membound.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
HEAD = "---\ntitle: 'x'\nupdatedAt: '2026-03-01T08:00:00.000Z'\n---\n\nbody\n"


def opened(at: Path) -> Workspace:
    return Workspace.open(at, root=at / "s", environment={}, clock=lambda: NOW)


def test_pages_of_equal_times_neither_repeat_nor_leave_out_what_stayed(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("first")
        memory = next((tmp_path / "s").glob("workspace-*")) / "memory"
        for number in range(1_000):
            (memory / f"note-{number:04}.md").write_text(HEAD)
        shown: list[str] = []
        gone: set[str] = set()
        cursor, pages = None, 0
        while True:
            page = workspace.list(limit=7, cursor=cursor)
            shown += [one.key for one in page.items]
            if (cursor := page.next_cursor) is None:
                break
            pages += 1
            if pages % 20 == 0:
                (memory / f"added-{pages}.md").write_text(HEAD)
                name = f"note-{999 - pages:04}"
                (memory / f"{name}.md").unlink()
                gone.add(name)
        assert len(shown) == len(set(shown))
        assert {f"note-{number:04}" for number in range(1_000)} - gone <= set(shown)


@pytest.mark.parametrize("made_up", ["", "7", "[]", "not a cursor", "\u0000", "e30"])
def test_what_is_no_cursor_is_refused(tmp_path: Path, made_up: str) -> None:
    with opened(tmp_path) as workspace, pytest.raises(InvalidInputError, match="cursor"):
        workspace.list(cursor=made_up)


def test_a_cursor_of_a_search_is_none_of_a_list(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        for number in range(3):
            workspace.remember(f"tea-{number}", "green tea")
        cursor = workspace.search("tea", limit=1).next_cursor
        assert cursor is not None
        with pytest.raises(InvalidInputError, match="cursor"):
            workspace.list(cursor=cursor)


def test_filters_are_by_whole_folders_and_whole_tags(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("a", folder="memory/work", tags=["tea"])
        workspace.remember("b", folder="memory/work/deep", tags=["tea", "cup"])
        workspace.remember("c", folder="memory/workshop", tags=["teapot"])
        inside = workspace.list(folder="memory/work").items
        assert {one.key for one in inside} == {"a", "b"}
        assert {one.key for one in workspace.list(tag="tea").items} == {"a", "b"}


def test_a_preview_of_a_long_body_is_short(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("long", "茶" * 5_000)
        (one,) = workspace.recent().items
        assert one.preview is not None
        assert one.preview.startswith("茶")
        assert len(one.preview) <= 410


def test_a_file_removed_by_hand_leaves_no_ghost(tmp_path: Path) -> None:
    """H2"""
    with opened(tmp_path) as workspace:
        workspace.remember("tea")
        workspace.remember("cup")
        (workspace.path / "memory/tea.md").unlink()
        assert [one.key for one in workspace.list().items] == ["cup"]
        assert workspace.delete("tea") is False


@pytest.mark.parametrize("before", range(396, 402))
def test_a_preview_is_never_cut_inside_a_character(tmp_path: Path, before: int) -> None:
    """L1"""
    with opened(tmp_path) as workspace:
        workspace.remember("rocket", "a" * before + "\U0001f680" * 10)
        (one,) = workspace.recent().items
        assert one.preview is not None
        assert one.preview.encode().decode() == one.preview


def test_two_that_have_one_workspace_open_see_what_each_writes(tmp_path: Path) -> None:
    """W23, W24"""
    with opened(tmp_path) as one, opened(tmp_path) as other:
        one.remember("tea", "apple")
        other.remember("cup", "apple")
        for workspace in (one, other):
            assert {found.key for found in workspace.search("apple").items} == {"tea", "cup"}
            assert {listed.key for listed in workspace.list().items} == {"tea", "cup"}
        other.delete("tea")
        assert [listed.key for listed in one.list().items] == ["cup"]
