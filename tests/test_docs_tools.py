"""The page on the tools says what their schemas say, and shows what they reply."""

from __future__ import annotations

import re
from pathlib import Path

import membound
from membound.workspace.fence import NOTICE
from membound.workspace.tools.arguments import COUNTS
from membound.workspace.tools.registry import TOOLS
from tests.tool_examples import CALLS, FAILING, replies
from tests.tool_page import MARK, PAGE, generated

BY_HAND, _, MADE = PAGE.read_text(encoding="utf-8").partition(MARK)


def test_the_page_is_what_the_tools_give_today() -> None:
    told = "run `python -m tests.tool_page`, and read what changed"
    assert generated().splitlines() == MADE.splitlines(), told


def test_every_tool_has_a_part_of_the_page_in_the_order_of_clients() -> None:
    assert re.findall(r"^### (.+)$", MADE, re.MULTILINE) == list(TOOLS)


def test_every_parameter_has_a_row() -> None:
    parts = dict(zip(TOOLS, MADE.split("\n### ")[1:], strict=True))
    for name, tool in TOOLS.items():
        rows = re.findall(r"^\| `(\w+)` \|", parts[name], re.MULTILINE)
        assert rows == list(tool.schema["properties"]), name


def test_every_example_is_answered_but_the_one_that_shows_a_refusal() -> None:
    failed = {name: reply.failed for name, _, reply in replies()}
    assert failed == {**dict.fromkeys(CALLS, False), "failing": True}
    assert FAILING[0] in TOOLS


def test_what_is_written_by_hand_is_so() -> None:
    assert f"> {NOTICE}\n" in BY_HAND
    told = re.search(r"How much is wanted \(([^)]+)\)", BY_HAND)
    assert told is not None
    assert set(re.findall(r"`(\w+)`", told[1])) == COUNTS


def test_the_tools_know_no_protocol() -> None:
    for module in Path(membound.__file__).parent.rglob("*.py"):
        found = re.search(r"^\s*(from|import) mcp(_types)?\b", module.read_text(), re.MULTILINE)
        assert found is None or module.parent.name == "mcp", module
