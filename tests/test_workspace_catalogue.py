"""The catalogue through the facade: whatever another program does is seen by the next call."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from membound.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


def opened(at: Path) -> Workspace:
    return Workspace.open(at, root=at / "s", environment={}, clock=lambda: NOW)


def found(workspace: Workspace, query: str) -> set[str]:
    return {f"{one.folder}/{one.key}" for one in workspace.search(query).items}


def write_new(store: Path) -> None:
    (store / "memory/new.md").write_text("zebra\n")


def edit(store: Path) -> None:
    (store / "memory/tea.md").write_text("zebra\n")


def edit_at_the_same_size_and_time(store: Path) -> None:
    file = store / "memory/tea.md"
    before = file.stat()
    former = file.read_bytes()
    file.write_bytes(former.replace(b"apple", b"zebra"))
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def rename(store: Path) -> None:
    (store / "memory/tea.md").rename(store / "memory/zebra.md")


def delete(store: Path) -> None:
    (store / "memory/tea.md").unlink()


def move_folder(store: Path) -> None:
    (store / "memory/work").rename(store / "memory/job")


CHANGES: dict[Callable[[Path], None], tuple[set[str], set[str]]] = {
    write_new: ({"memory/tea", "memory/work/cup"}, {"memory/new"}),
    edit: ({"memory/work/cup"}, {"memory/tea"}),
    edit_at_the_same_size_and_time: ({"memory/work/cup"}, {"memory/tea"}),
    rename: ({"memory/zebra", "memory/work/cup"}, {"memory/zebra"}),
    delete: ({"memory/work/cup"}, set()),
    move_folder: ({"memory/tea", "memory/job/cup"}, set()),
}


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_what_another_program_changes_is_seen_by_the_next_call(
    tmp_path: Path, change: Callable[[Path], None], *, closed: bool
) -> None:
    apples, zebras = CHANGES[change]
    workspace = opened(tmp_path)
    workspace.remember("tea", "apple")
    workspace.remember("cup", "apple", folder="memory/work")
    assert found(workspace, "apple") == {"memory/tea", "memory/work/cup"}
    (store,) = (tmp_path / "s").glob("workspace-*")
    if closed:
        workspace.close()
    change(store)
    if closed:
        workspace = opened(tmp_path)
    with workspace:
        assert found(workspace, "apple") == apples
        assert found(workspace, "zebra") == zebras


def remove_index(index: Path) -> None:
    index.unlink()


def spoil_index(index: Path) -> None:
    index.write_bytes(b"garbage" * 1_000)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("harm", [remove_index, spoil_index], ids=lambda one: one.__name__)
def test_a_lost_or_spoilt_search_index_changes_no_answer(
    tmp_path: Path, harm: Callable[[Path], None], *, closed: bool
) -> None:
    workspace = opened(tmp_path)
    workspace.remember("tea", "apple")
    assert found(workspace, "apple") == {"memory/tea"}
    (index,) = (tmp_path / "s").glob("workspace-*/.membound/index.sqlite3")
    if closed:
        workspace.close()
    harm(index)
    if closed:
        workspace = opened(tmp_path)
    with workspace:
        assert found(workspace, "apple") == {"memory/tea"}
        workspace.remember("cup", "apple")
        assert found(workspace, "apple") == {"memory/tea", "memory/cup"}


@pytest.mark.parametrize("cache", [b"", b"null", b"[]", b"{", b'{"version": 9}', b"\xff\xfe"])
def test_a_damaged_cache_is_built_anew(tmp_path: Path, cache: bytes) -> None:
    """W17, W19"""
    with opened(tmp_path) as workspace:
        workspace.remember("tea", "apple")
        (store,) = (tmp_path / "s").glob("workspace-*")
        (store / "index.json").write_bytes(cache)
        assert not workspace.sync().skipped
        assert workspace.sync().skipped
        assert found(workspace, "apple") == {"memory/tea"}


def test_a_foreign_file_stops_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("tea", "apple")
        (store,) = (tmp_path / "s").glob("workspace-*")
        memory = store / "memory"
        (memory / "binary.md").write_bytes(b"\xff\xfe\x00apple")
        (memory / "broken.md").write_text("---\ntitle: [\n---\n\npear\n")
        (memory / "huge.md").write_bytes(b"a " * 10_000_000)
        (memory / "folder.md").mkdir()
        os.mkfifo(memory / "pipe.md")
        outside = tmp_path / "secret.md"
        outside.write_text("apple secret")
        (memory / "link.md").symlink_to(outside)
        assert "memory/tea" in found(workspace, "apple")
        assert found(workspace, "secret") == set()
        assert "tea" in {one.key for one in workspace.list().items}
        workspace.sync()
        workspace.bootstrap()


@pytest.mark.parametrize("closed", [False, True])
def test_the_search_index_of_another_workspace_tells_nothing_of_it(
    tmp_path: Path, *, closed: bool
) -> None:
    for name, body in (("mine", "apple"), ("other", "zebra")):
        with opened(tmp_path / name) as workspace:
            workspace.remember("tea", body)
            assert found(workspace, body) == {"memory/tea"}
    (mine,) = tmp_path.glob("mine/s/workspace-*/.membound/index.sqlite3")
    (other,) = tmp_path.glob("other/s/workspace-*/.membound/index.sqlite3")
    workspace = opened(tmp_path / "mine")
    if closed:
        workspace.close()
    else:
        assert found(workspace, "apple") == {"memory/tea"}
    os.replace(other, mine)  # noqa: PTH105 — as another program does it
    if closed:
        workspace = opened(tmp_path / "mine")
    with workspace:
        assert found(workspace, "zebra") == set()
        assert found(workspace, "apple") == {"memory/tea"}
