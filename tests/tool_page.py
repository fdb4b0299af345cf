"""The page on the workspace's tools, made of their schemas and of a real call of each.

`python -m tests.tool_page` writes it again; what stands above its mark is written by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from membound.workspace.fence import NOTICE
from membound.workspace.tools import context, essence, memory, places, recollection, themes
from membound.workspace.tools.schema import expectation
from tests.tool_examples import FAILING, replies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from membound.workspace.tools.registry import Reply
    from membound.workspace.tools.tool import Tool

__all__ = ["MARK", "PAGE", "generated"]

Schema = dict[str, Any]

PAGE: Final = Path(__file__).parent.parent / "docs" / "workspace-tools.md"
MARK: Final = "<!-- What follows is written by `python -m tests.tool_page`. -->\n"

_GROUPS: Final = {
    "Memories": memory.TOOLS,
    "The essence": essence.TOOLS,
    "The workspace": places.TOOLS,
    "Turns of sessions": context.TOOLS,
    "Themes": themes.TOOLS,
    "Answers": recollection.TOOLS,
}
_WIDTH: Final = 120
_LONGEST: Final = 400
"""Characters of a text beyond which an example shows its start alone."""
_LEFT_OUT: Final = frozenset({"trace"})
"""Parts of replies that another page tells of."""


def generated() -> str:
    """Gives all that stands below the mark."""
    made = {name: (arguments, reply) for name, arguments, reply in replies()}
    lines = ["", *_overview()]
    for group, tools in _GROUPS.items():
        lines += ["", f"## {group}"]
        for tool in tools:
            lines += ["", *_tool(tool, *made[tool.name])]
    lines += ["", "## A call that fails", "", *_example(FAILING[0], *made["failing"])]
    lines += ["", "## What a model reads", "", "The text of the reply of `list_themes` above:", ""]
    lines += ["```text", made["list_themes"][1].text, "```"]
    return "\n".join(lines) + "\n"


def _overview() -> Iterator[str]:
    yield "| tool | does | changes |"
    yield "|---|---|---|"
    for tools in _GROUPS.values():
        for tool in tools:
            first = tool.description.partition(". ")[0].removesuffix(".")
            yield f"| [`{tool.name}`](#{tool.name}) | {first} | {_changes(tool)} |"


def _changes(tool: Tool) -> str:
    if tool.read_only:
        return "nothing"
    return "takes away or moves" if tool.destructive else "writes"


def _tool(tool: Tool, arguments: Schema, reply: Reply) -> Iterator[str]:
    yield f"### {tool.name}"
    yield ""
    yield tool.description
    if traits := _traits(tool):
        yield f"*{traits}*"
    yield ""
    if properties := tool.schema["properties"]:
        yield "| parameter | type | default | limits | meaning |"
        yield "|---|---|---|---|---|"
        for row in _rows(properties, tool.schema.get("required", [])):
            yield f"| {' | '.join(row)} |"
    else:
        yield "It takes no parameters."
    yield ""
    yield from _example(tool.name, arguments, reply)


def _traits(tool: Tool) -> str:
    told = []
    if not tool.read_only and not tool.idempotent:
        told.append("A second call like the first may do something else.")
    if tool.counts:
        told.append("It tells how far it is.")
    elif tool.long:
        told.append("It may take seconds, and says that it is at work.")
    return " ".join(told)


def _rows(properties: Mapping[str, Schema], required: list[str]) -> Iterator[list[str]]:
    """Gives a row of each parameter, the fields of a list's objects behind their list."""
    for name, schema in properties.items():
        default = "–"
        if name in required:
            default = "required"
        elif "default" in schema:
            default = f"`{json.dumps(schema['default'])}`"
        limits = _limits(schema)
        yield [f"`{name}`", _type(schema), default, limits, _meaning(schema)]
        items = schema.get("items", {})
        for inner, *cells in _rows(items.get("properties", {}), items.get("required", [])):
            yield [f"`{name}[].{inner.strip('`')}`", *cells]


def _type(schema: Schema) -> str:
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}s"
    if schema["type"] == "object" and "additionalProperties" in schema:
        values = schema["additionalProperties"]
        return f"object of {_type(values)}s" if values else "object"
    named: str = schema["type"]
    return named


def _limits(schema: Schema) -> str:
    """Gives what more than its type is asked of a value, in the words of a refusal."""
    if schema["type"] == "array":
        of_items = _limits(schema["items"])
        own = f"at most {schema['maxItems']:,}" if "maxItems" in schema else ""
        return own or ("–" if of_items == "–" else f"each {of_items}")
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] in ("boolean", "object"):
        return "–"
    said = expectation(schema)
    for words in ("a whole number", "text that is", "text"):
        said = said.removeprefix(words)
    return said.removeprefix(" from").strip(", ") or "–"


def _meaning(schema: Schema) -> str:
    meaning: str = schema["description"]
    return meaning.replace("|", "\\|")


def _example(name: str, arguments: Schema, reply: Reply) -> Iterator[str]:
    yield "```text"
    yield f"{name} {json.dumps(arguments, ensure_ascii=False)}"
    yield "```"
    yield ""
    yield "```json"
    yield _laid_out(_shortened(reply.fields))
    yield "```"


def _shortened(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    """Copies a reply without what every one begins with, and with the start of long texts."""
    match value:
        case str() if len(value) > _LONGEST:
            return value[:_LONGEST] + "…"
        case list():
            return [_shortened(item) for item in value]
        case dict():
            return {
                name: "…" if name in _LEFT_OUT else _shortened(part)
                for name, part in value.items()
                if (name, part) != ("notice", NOTICE)
            }
        case _:
            return value


def _laid_out(value: Any, indent: str = "", before: int = 0) -> str:  # noqa: ANN401 — any JSON value
    """Gives JSON in which whatever fits into a line is one."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(indent) + before + len(line) <= _WIDTH:
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        parts = [_laid_out(item, deeper) for item in value]
        opening, closing = "[]"
    else:
        names = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        parts = [
            name + _laid_out(part, deeper, len(name))
            for name, part in zip(names, value.values(), strict=True)
        ]
        opening, closing = "{}"
    inside = ",\n".join(deeper + part for part in parts)
    return f"{opening}\n{inside}\n{indent}{closing}"


if __name__ == "__main__":
    by_hand, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{PAGE} has no line {MARK}"
    PAGE.write_text(by_hand + mark + generated(), encoding="utf-8")
