"""Two that have one workspace open: what one read of a file, neither finds once it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from membound.workspace import Workspace
from membound.workspace.identity import workspace_hash
from membound.workspace.search_index import SearchIndex
from tests import wires

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Two = tuple[Workspace, Workspace]


@pytest.fixture(name="two")
def one_workspace_opened_twice(tmp_path: Path) -> Iterator[Two]:
    def opened() -> Workspace:
        return Workspace.open(
            tmp_path,
            root=tmp_path / "stores",
            sessions_root=tmp_path / "sessions",
            environment={},
        )

    with opened() as one, opened() as other:
        assert one.list().items == other.list().items == ()
        yield one, other


def finds(workspace: Workspace, query: str) -> bool:
    found = workspace.search(query)
    assert bool(found.items) == (found.searched.admitted > 0)
    assert bool(found.items) == bool(workspace.retrieve(query).context)
    return bool(found.items)


@pytest.mark.parametrize("folder", ["memory", "memory/new/folder"])
def test_a_file_that_only_the_other_one_read_is_not_found_once_it_is_gone(
    two: Two, folder: str
) -> None:
    one, other = two
    other.remember("frost", "The frost alarm rings at dawn.", folder=folder)
    (other.path / folder / "frost.md").unlink()
    assert not finds(one, "frost alarm")
    assert not finds(other, "frost alarm")


def test_the_end_of_a_file_that_only_the_other_one_read_is_not_found_once_it_is_cut(
    two: Two,
) -> None:
    one, other = two
    one.remember("log", "begins with jitter")
    other.remember("log", f"begins with jitter {'filler words ' * 2_000} ends with quince")
    assert finds(other, "quince")
    (other.path / "memory/log.md").write_text("begins with jitter\n")
    assert not finds(one, "quince")
    assert finds(one, "jitter")
    assert not finds(other, "quince")


def test_a_session_that_only_the_other_one_read_is_not_found_once_it_is_gone(
    two: Two, tmp_path: Path
) -> None:
    one, other = two
    folder = tmp_path / "sessions" / f"wd_{workspace_hash(str(tmp_path))}" / "session_a/agents/main"
    folder.mkdir(parents=True)
    (folder / "wire.jsonl").write_bytes(wires.wire([wires.prompt("Where do the quinces grow?")]))
    assert other.search_context("quinces").matches
    assert other.retrieve("quinces").context
    (folder / "wire.jsonl").unlink()
    assert not one.search_context("quinces").matches
    assert not one.retrieve("quinces").context


def test_what_one_did_the_other_tells(two: Two) -> None:
    one, other = two
    words = ["quince", "jitter", "harbour", "支付流程", "霜冻", "リトライ", "재시도"]
    for at, word in enumerate(words):
        writer, reader = two[at % 2], two[1 - at % 2]
        writer.remember(word, f"Here is {word}.", folder=f"memory/f{at % 3}")
        assert finds(reader, word)
        assert reader.recall(word, folder=f"memory/f{at % 3}") is not None
    assert one.list() == other.list()
    for at, word in enumerate(words):
        assert two[at % 2].delete(word, folder=f"memory/f{at % 3}")
        assert not finds(two[1 - at % 2], word)
    assert one.list().items == other.list().items == ()


@pytest.mark.parametrize("prefix", ["file:", "wire:", "theme:"])
@pytest.mark.parametrize("note", ["", "[]", '{"of": "another version"}', "[[1,2,3,4]"])
def test_an_index_whose_notes_are_of_another_version_is_made_anew(
    tmp_path: Path, prefix: str, note: str
) -> None:
    def opened() -> Workspace:
        return Workspace.open(tmp_path, root=tmp_path / "stores", environment={})

    with opened() as workspace:
        workspace.remember("frost", "The frost alarm rings at dawn.", themes=["weather"])
        assert workspace.search_themes("weather") == ("weather",)
        index = SearchIndex(workspace.path / ".membound/index.sqlite3")
        name = {"file:": "memory/frost.md", "wire:": "session_a", "theme:": "weather"}[prefix]
        index.apply(records=[], removed=[], notes={prefix + name: note})
        index.close()
    with opened() as workspace:
        assert finds(workspace, "frost alarm")
        assert workspace.search_themes("weather") == ("weather",)
