"""An entry in JSON as people write it: whatever stands around it, every byte of that is kept."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.mcp import json_text

ENTRY = {"type": "stdio", "command": "/opt/py", "args": ["-P", "-m", "membound.mcp"]}

spaces = st.sampled_from(["", " ", "\n", "\n  ", "\n\t", "\r\n    "])
comments = st.sampled_from(["/* é */", "// {]\n", "// , \r\n", "/**/"])
gaps = st.lists(spaces | comments, max_size=3).map("".join)
names = st.sampled_from(["a", "b", "other", "mcpServers", "membound", "名", 'x"y', "é"])
scalars = st.sampled_from(["1", "-0.5e3", "true", "null", '"// no"', '"\\u00e9\\""', '""'])


@st.composite
def enclosed(draw: st.DrawFn, braces: str, items: list[str]) -> str:
    """Items between braces, with space and comments around each, and at times one more comma."""
    apart = [f"{draw(gaps)}{item}{draw(gaps)}" for item in items]
    end = draw(gaps | gaps.map(lambda gap: f",{gap}")) if items else draw(gaps)
    return f"{braces[0]}{','.join(apart)}{end}{braces[1]}"


@st.composite
def objects(draw: st.DrawFn, values: st.SearchStrategy[str], *given: tuple[str, str]) -> str:
    """An object of some names, none of them ours, and of the members that are given."""
    others = names.filter(lambda name: name not in {"membound", "mcpServers"})
    pairs = [(name, draw(values)) for name in draw(st.lists(others, max_size=3, unique=True))]
    members = [
        f"{json.dumps(name, ensure_ascii=False)}{draw(gaps)}:{draw(gaps)}{value}"
        for name, value in draw(st.permutations([*pairs, *given]))
    ]
    return draw(enclosed("{}", members))


lists = st.lists(scalars, max_size=2).flatmap(lambda items: enclosed("[]", items))
values = st.recursive(scalars | lists, objects, max_leaves=4)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A JSON text with comments, with a section or without one."""
    sections = [("mcpServers", draw(objects(values)))] if draw(st.booleans()) else []
    return draw(gaps) + draw(objects(values, *sections)) + draw(gaps)


@given(documents())
def test_what_is_put_in_and_taken_out_leaves_the_text_from_before(text: str) -> None:
    changed = json_text.with_entry(text, "mcpServers", "membound", ENTRY)
    assert json_text.entry_of(changed, "mcpServers", "membound") == ENTRY
    rest = iter(changed)
    assert all(char in rest for char in text), "nothing is taken away, nor moved"
    assert json_text.without_entry(changed, "mcpServers", "membound") == text


@given(documents(), st.integers(0, 10_000))
def test_a_text_that_was_cut_is_refused_or_read_as_a_whole(text: str, cut: int) -> None:
    text = text[: cut % (len(text) + 1)]
    try:
        changed = json_text.with_entry(text, "mcpServers", "membound", ENTRY)
    except InvalidInputError:
        return
    assert json_text.without_entry(changed, "mcpServers", "membound") == (
        text if text.strip() else "{}\n"
    )


@given(st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.none() | st.booleans()))
def test_a_text_without_comments_is_read_as_python_reads_it(data: dict[str, object]) -> None:
    text = json.dumps({"mcpServers": data}, ensure_ascii=False)
    for name, value in data.items():
        assert json_text.entry_of(text, "mcpServers", name) == value
    changed = json_text.with_entry(text, "mcpServers", "own", ENTRY)
    assert json.loads(changed) == {"mcpServers": data | {"own": ENTRY}}


@given(documents(), st.sampled_from(["a", "b", "other"]))
def test_another_entry_goes_alone(text: str, name: str) -> None:
    changed = json_text.with_entry(text, "mcpServers", "membound", ENTRY)
    fewer = json_text.without_entry(changed, "mcpServers", name)
    assert json_text.entry_of(fewer, "mcpServers", "membound") == ENTRY
    assert json_text.entry_of(fewer, "mcpServers", name) is None
