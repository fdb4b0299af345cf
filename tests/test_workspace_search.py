"""Search through the facade: what is asked for is found, and what is not there is not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from membound.errors import InvalidInputError
from membound.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path, root=tmp_path / "s", environment={}, clock=lambda: NOW) as one:
        one.remember("db", "我们决定使用数据库连接池来减少延迟。", tags=["架构"])
        one.remember("kiwi", "The harvest of the kiwi was early.", folder="memory/farm/fruit")
        one.remember("scratch", "A kiwi for lunch", folder="notes", title="Midday")
        yield one


def found(workspace: Workspace, query: str, folder: str | None = None) -> set[str]:
    return {one.key for one in workspace.search(query, folder=folder).items}


@pytest.mark.parametrize("query", ["数据库连接池", "连接池 数据库", "减少延迟", "架构"])
def test_chinese_without_spaces_is_found(workspace: Workspace, query: str) -> None:
    assert "db" in found(workspace, query)


@pytest.mark.parametrize("query", ["kiwi harvest", "harvest kiwi", "EARLY kiwi"])
def test_the_order_of_words_does_not_matter(workspace: Workspace, query: str) -> None:
    assert workspace.search(query).items[0].key == "kiwi"


def test_titles_are_searched_and_folders_are_recursive(workspace: Workspace) -> None:
    assert found(workspace, "midday") == {"scratch"}
    assert found(workspace, "kiwi") == {"kiwi", "scratch"}
    assert found(workspace, "kiwi", "memory") == {"kiwi"}
    assert found(workspace, "kiwi", "memory/farm") == {"kiwi"}
    assert found(workspace, "kiwi", "notes") == {"scratch"}


def test_a_question_about_nothing_there_tells_what_was_searched(workspace: Workspace) -> None:
    answer = workspace.search("zeppelin")
    assert answer.items == ()
    assert answer.searched.records == 3
    assert answer.searched.missed == ("zeppelin",)


HOSTILE = ['"', "'; DROP TABLE x; --", "NEAR(", "a AND OR NOT", "*", "title:kiwi^", "\u202e", "{}"]


@pytest.mark.parametrize("query", [*HOSTILE, "\ud800", "\x00", "", "k" * 100_000])
def test_a_hostile_query_is_answered_or_refused_by_name(workspace: Workspace, query: str) -> None:
    try:
        workspace.search(query)
    except InvalidInputError as fault:
        assert "query" in str(fault)  # noqa: PT017 — either outcome is right
    assert found(workspace, "midday") == {"scratch"}


@pytest.mark.parametrize("budget", [0, 100, 400, 6_000])
def test_recall_keeps_to_its_budget(workspace: Workspace, budget: int) -> None:
    assert len(workspace.retrieve("kiwi harvest", character_budget=budget).context) <= budget


def test_themes_are_found_apart_from_notes(workspace: Workspace) -> None:
    workspace.tag_theme("orchard", memory_key="kiwi", memory_folder="memory/farm/fruit")
    assert len(workspace.search_themes("orchard")) == 1
    assert found(workspace, "orchard") == set()


def test_the_answer_is_the_same_where_no_index_can_be_kept(tmp_path: Path) -> None:
    answers = []
    for name in ("kept", "memory"):
        root = tmp_path / name
        with Workspace.open(tmp_path, root=root, environment={}, clock=lambda: NOW) as one:
            if name == "memory":
                (one.path / ".membound/index.sqlite3").mkdir(parents=True)
            for number in range(30):
                one.remember(f"n{number}", f"连接池 kiwi {'harvest ' * (number % 4)}")
            assert one.sync().search_index == name
            whole = [(hit.key, hit.score) for hit in one.search("kiwi harvest", limit=64).items]
            answers.append(whole)
    assert len(answers[0]) == 30
    assert answers[0] == answers[1]
