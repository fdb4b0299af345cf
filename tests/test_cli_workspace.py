"""The group `workspace`: what it shows, in a terminal and in a pipe, and what it says of faults."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from membound.cli.shown import (
    bar,
    finding_lines,
    hit_lines,
    pair_lines,
    rendered,
    tree_lines,
)

TREE = """memory/ — 完整记忆索引（按领域分组）
├── decisions/ — Why we chose things
│   ├── retry-with-jitter — Retry With Jitter [decision, queue] [new]
│   └── 缓存层-选型 — 缓存层 选型 [决策, 缓存]
├── 名/
│   └── [x] — [b]no markup[/b]
└── team-glossary — Team Glossary — with a dash"""
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def plain(text: str) -> str:
    return COLOUR.sub("", text)


def test_in_a_pipe_a_tree_is_the_text_that_tools_give() -> None:
    assert rendered(tree_lines(TREE), width=None, colour=False) == TREE + "\n"


def test_colours_change_no_character() -> None:
    shown = rendered(tree_lines(TREE), width=None, colour=True)
    assert "\x1b[" in shown
    assert plain(shown) == TREE + "\n"


@given(st.text("a茶é — [],/│├└─\x1b\u202e🚀", max_size=60), st.integers(1, 50))
def test_no_line_is_wider_than_the_terminal(line: str, width: int) -> None:
    for mark in ("", " [new]"):
        for shown in tree_lines(line + mark, width):
            (only,) = rendered([shown], width=width, colour=True).splitlines()
            assert cell_len(plain(only)) <= width


@given(st.text(max_size=200))
def test_what_a_terminal_would_act_on_is_escaped(line: str) -> None:
    shown = rendered(tree_lines(line), width=None, colour=False)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


def test_a_mark_at_the_end_outlasts_a_cut_title() -> None:
    narrow = rendered(tree_lines(TREE, 30), width=30, colour=False).splitlines()
    assert narrow[2] == "│   ├── retry-with-jitt… [new]"
    assert cell_len(narrow[0]) <= 30
    assert narrow[0].endswith("…")


def test_colours_are_off_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in rendered(tree_lines(TREE), width=None, colour=True)


def test_a_hit_says_what_it_is_and_where() -> None:
    lines = hit_lines(1, "Use\nSqlite", 0.8149, "memory/decisions/use-sqlite", ["jobs  go"])
    assert rendered(lines, width=None, colour=False) == (
        " 1  Use Sqlite  0.81\n    memory/decisions/use-sqlite\n    jobs go\n"
    )


def test_values_stand_below_each_other() -> None:
    shown = rendered(pair_lines([("a", "1"), ("long", "2")]), width=None, colour=False)
    assert shown == "a     1\nlong  2\n"


@pytest.mark.parametrize("severity", ["ok", "warning", "problem"])
def test_a_finding_has_its_first_details_and_what_to_do(severity: str) -> None:
    details = tuple(f"memory/{number}.md" for number in range(12))
    lines = finding_lines("notes", severity, "some", advice="mend them", details=details)
    shown = rendered(lines, width=None, colour=False).splitlines()
    assert shown[0].split() == [severity, "notes", "some"]
    assert [line.strip() for line in shown[-2:]] == ["and 2 more", "→ mend them"]
    assert len(shown) == 13


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_bar_has_one_length(part: int, whole: int) -> None:
    assert bar(part, whole).cell_len == 20
    assert isinstance(bar(part, whole), Text)


def test_a_bar_is_full_where_all_is_used() -> None:
    assert bar(15_360, 15_360).plain == "█" * 20
    assert "red" in str(bar(15_361, 15_360).spans)
    assert bar(0, 15_360).plain == "·" * 20
