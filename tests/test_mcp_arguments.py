"""Arguments of tools: what the schemas promise to clients, and how anything else is refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.workspace.tools.arguments import COUNTS, read
from membound.workspace.tools.registry import TOOLS, call

if TYPE_CHECKING:
    from membound.workspace.tools.tool import Tool
    from membound.workspace.workspace import Workspace

REFERENCE = {
    "remember": "key content folder tags themes",
    "recall": "key folder",
    "recall_recent": "n folder tag",
    "search": "query folder",
    "list": "folder limit tag",
    "list_tags": "",
    "list_themes": "",
    "get_current_workspace": "",
    "delete": "key folder",
    "move": "key folder toFolder newKey",
    "organize_memories": "content sources",
    "sync_workspace_index": "folderComments",
    "bootstrap_workspace": "detailed_rounds summary_rounds force",
    "load_workspace_context": "detailed_rounds summary_rounds",
    "load_more_context": "before_turn_id limit",
    "search_context": "query date_from date_to limit detail max_output_chars",
    "load_turn_context": "references",
    "tag_theme": "theme sessionId turnId memoryKey memoryFolder memoryTitle",
    "trace_theme": "theme includeTurnContent",
    "delete_theme": "theme",
    "refine_session_turns": "sessionId session_id turnIds limit",
}
FORBIDDEN = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "const"}
SAMPLES: dict[str, object] = {"string": "a", "integer": 5, "boolean": True, "array": []}
every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))


def nodes(schema: object) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [node for part in schema for node in nodes(part)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(node for part in schema.values() for node in nodes(part))]


def unopened() -> Workspace:
    pytest.fail("the workspace is opened for arguments that are not sound")


def refused(tool: Tool, arguments: dict[str, object]) -> dict[str, Any]:
    reply = call(tool, arguments, unopened)
    assert reply.failed
    assert reply.fields["success"] is False
    for name in ("error", "field", "expected", "got"):
        assert isinstance(reply.fields[name], str)
    assert str(reply.fields["field"]) in str(reply.fields["error"])
    return reply.fields


def test_all_twenty_tools_are_there_and_the_extras() -> None:
    assert len(REFERENCE) == 20 + 1
    assert set(TOOLS) == {*REFERENCE, "retrieve", "explain"}


@every_tool
def test_schemas_are_plain_objects_that_every_client_takes_c100_c102(tool: Tool) -> None:
    schema = tool.schema
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert isinstance(schema["properties"], dict)
    assert isinstance(schema.get("required", ["x"]), list)
    assert schema.get("required", ["x"])
    for node in nodes(schema):
        assert not FORBIDDEN & set(node) or node is schema["properties"]
        assert isinstance(node.get("type", ""), str | dict)
        assert node.get("default", "") is not None
    for name, node in schema["properties"].items():
        assert {"type", "description"} <= set(node), name


@every_tool
def test_parameters_are_named_as_other_servers_name_them(tool: Tool) -> None:
    assert set(REFERENCE.get(tool.name, "").split()) <= set(tool.schema["properties"])


@every_tool
def test_descriptions_are_short_and_say_what_a_tool_does(tool: Tool) -> None:
    assert 30 < len(tool.description) < 260
    assert tool.description.endswith(".")
    assert tool.title
    assert not (tool.read_only and tool.destructive)


@every_tool
def test_an_unknown_argument_is_named_and_nothing_is_done(tool: Tool) -> None:
    fields = refused(tool, {**needed(tool), "colour": 1})
    assert fields["field"] == "colour"
    for name in tool.schema["properties"]:
        assert name in fields["expected"]


@every_tool
def test_a_missing_argument_is_named(tool: Tool) -> None:
    for name in tool.schema.get("required", []):
        rest = {other: value for other, value in needed(tool).items() if other != name}
        assert refused(tool, rest) | {"field": name, "got": "nothing"} == refused(tool, rest)


@every_tool
def test_a_wrong_type_is_named_and_never_taken_for_something_else(tool: Tool) -> None:
    wrong = {"string": 7, "integer": "5", "boolean": "true", "array": "a", "object": [1]}
    for name, node in tool.schema["properties"].items():
        fields = refused(tool, {**needed(tool), name: wrong[node["type"]]})
        assert fields["field"] == name
        assert fields["expected"].split()[0] in {"text", "a", "an", "true", "one"}


@every_tool
def test_numbers_out_of_bounds_are_refused(tool: Tool) -> None:
    for name, node in tool.schema["properties"].items():
        for bound, step in (("minimum", -1), ("maximum", 1)):
            if bound in node and name not in COUNTS:
                fields = refused(tool, {**needed(tool), name: node[bound] + step})
                assert f"{node[bound]:,}" in fields["expected"]
                assert fields["got"] == str(node[bound] + step)


@every_tool
@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_how_much_is_wanted_may_be_any_number(tool: Tool, number: float) -> None:
    for name in COUNTS & tool.schema["properties"].keys():
        node = tool.schema["properties"][name]
        asked = getattr(read(tool.arguments, {**needed(tool), name: number}), name)
        assert asked == min(max(math.floor(number), node["minimum"]), node.get("maximum", asked))


@every_tool
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, True])
def test_what_is_no_number_is_refused(tool: Tool, number: float) -> None:
    for name in COUNTS & tool.schema["properties"].keys():
        assert refused(tool, {**needed(tool), name: number})["field"] == name


@every_tool
def test_null_counts_as_absent_and_a_whole_number_may_have_a_point(tool: Tool) -> None:
    properties = tool.schema["properties"]
    optional: dict[str, object] = dict.fromkeys(set(properties) - set(needed(tool)))
    assert read(tool.arguments, {**needed(tool), **optional}) == read(tool.arguments, needed(tool))
    for name, node in properties.items():
        if node["type"] == "integer":
            value = node.get("minimum", 3)
            given = {**needed(tool), name: float(value)}
            assert read(tool.arguments, given) == read(tool.arguments, {**given, name: value})


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "expected"),
    [
        (
            "load_turn_context",
            {"references": [{"sessionId": "s"}]},
            "references.0.turnId",
            "number",
        ),
        ("load_turn_context", {"references": ["s:1"]}, "references.0", "an object"),
        (
            "load_turn_context",
            {"references": [{"sessionId": "s", "turnId": 0, "x": 1}]},
            "references.0.x",
            "sessionId, turnId",
        ),
        ("remember", {"key": "k", "tags": ["a", 1]}, "tags.1", "text"),
        (
            "sync_workspace_index",
            {"folderComments": {"memory/a": {}}},
            "folderComments.memory/a",
            "text",
        ),
        ("refine_session_turns", {"turnIds": [True]}, "turnIds.0", "whole number"),
        ("recall", {"key": "\ud800"}, "key", "surrogates"),
        ("recall", {"key": ""}, "key", "not empty"),
        ("search_context", {"query": "x", "detail": "all"}, "detail", "one of compact"),
    ],
)
def test_the_place_of_a_fault_is_told(
    tool: str, arguments: dict[str, object], field: str, expected: str
) -> None:
    fields = refused(TOOLS[tool], arguments)
    assert field in fields["field"]
    assert expected in fields["expected"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(list(TOOLS)), st.data())
def test_whatever_comes_is_read_or_refused_in_words(name: str, data: st.DataObject) -> None:
    tool = TOOLS[name]
    names = st.sampled_from(list(tool.schema["properties"]) or ["x"]) | st.text()
    given = data.draw(st.dictionaries(names, json_values, max_size=4))
    said = ""
    try:
        read(tool.arguments, given)
    except InvalidInputError as fault:
        said = str(fault)
    assert len(said) < 1_000
    assert said.isascii()


def needed(tool: Tool) -> dict[str, object]:
    properties = tool.schema["properties"]
    return {name: SAMPLES[properties[name]["type"]] for name in tool.schema.get("required", [])}


def test_a_fraction_of_a_turn_is_the_turn_and_none_is_refused() -> None:
    tool = TOOLS["load_more_context"]
    assert read(tool.arguments, {"before_turn_id": 1.5}).before_turn_id == 1  # type: ignore[attr-defined]
    for number in (0, 0.5, -1):
        assert refused(tool, {"before_turn_id": number})["field"] == "before_turn_id"
