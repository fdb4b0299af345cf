"""A table in TOML as people write it: whatever stands around it, every byte of that is kept."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.mcp import toml_text

ENTRY = {"type": "stdio", "command": "/opt/py", "args": ["-P", "-m", "membound.mcp"]}

toml_lines = st.sampled_from(
    [
        "# [mcp_servers.membound]",
        "",
        "a = 1 # x",
        'text = """\n[mcp_servers.membound]\ncommand = 1\n"""',
        "list = [\n  [1],\n]",
        "[table]",
        "[[many]]",
        "[mcp_servers.other]",
        '[mcp_servers."a b".env]',
        "[mcp_servers]",
        "nan = nan",
    ]
)


@given(st.lists(toml_lines, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_is_put_in_and_taken_out_leaves_the_text_from_before(
    lines: list[str],
    line_end: str,
    ended: bool,
) -> None:
    text = line_end.join([*lines, ""] if ended else lines).replace("\r\n", "\n")
    text = text.replace("\n", line_end)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    entry = ENTRY | {"env": {"ROOT": "/é"}}
    changed = toml_text.with_entry(text, "mcp_servers", "membound", entry)
    assert changed.startswith(text)
    assert tomllib.loads(changed)["mcp_servers"]["membound"] == entry
    assert toml_text.without_entry(changed, "mcp_servers", "membound") == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nb = ]\n", "line 2, column 5"),
        ("a = 1\r\nb = ]\r\n", "line 2, column 5"),
        ("[a]\n[a]\n", "line 2, column 3"),
        ('x = "a\n', "line 1, column 7"),
        ("a = 1\nb = ", "line 2, column 5"),
        ('a = 1\nb = """\n\n', "line 4, column 1"),
        ('["x (at line 9, column 9)"]\n["x (at line 9, column 9)"]', "line 2, column 27"),
    ],
)
def test_of_what_is_no_toml_it_says_the_line_and_the_column(text: str, place: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        toml_text.entry_of(text, "mcp_servers", "membound")
    assert str(refused.value).endswith(f" in {place}")


def test_it_leaves_a_table_in_one_line_to_its_owner() -> None:
    text = '[mcp_servers]\nmembound = {command = "x"}\n'
    with pytest.raises(InvalidInputError, match="a table of its own"):
        toml_text.without_entry(text, "mcp_servers", "membound")
