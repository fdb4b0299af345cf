"""JSON Schemas of arguments, in the plain form that every client accepts, and what they expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Schema", "expectation", "input_schema"]

Schema = dict[str, Any]

_NULL: Final = {"type": "null"}
_WORDS: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
}


def input_schema(arguments: type[msgspec.Struct]) -> Schema:
    """Gives the schema of a tool's arguments: one object, without references, unions and nulls.

    An optional argument is one that is not required; that it may be null goes without saying.
    """
    whole = msgspec.json.schema(arguments)
    plain = _plain(whole, whole["$defs"])
    plain.pop("description", None)  # the tool's own says more
    return {"type": "object", "properties": {}, **plain}


def expectation(schema: Mapping[str, Any]) -> str:
    """Says in words what values a schema accepts."""
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if schema["type"] == "array":
        return f"{_length(schema, 'Items', 'a list')}, each item {expectation(schema['items'])}"
    if names := schema.get("properties"):
        return f"an object with {', '.join(names)}"
    words = _WORDS[schema["type"]]
    if schema["type"] == "string":
        if schema.get("minLength") == 1 and "maxLength" not in schema:
            return "text that is not empty"
        return _length(schema, "Length", words, "characters")
    return _range(schema.get("minimum"), schema.get("maximum"), words, "from")


def _length(schema: Mapping[str, Any], what: str, words: str, unit: str = "") -> str:
    said = _range(schema.get(f"min{what}"), schema.get(f"max{what}"), words, "of")
    return f"{said} {unit}" if unit and said != words else said


def _range(least: int | None, most: int | None, words: str, before: str) -> str:
    match least, most:
        case None, None:
            return words
        case _, None:
            return f"{words}, at least {least:,}"
        case None, _:
            return f"{words}, at most {most:,}"
        case _:
            return f"{words} {before} {least:,} to {most:,}"


def _plain(schema: Any, defined: Schema) -> Any:  # noqa: ANN401 — any part of a schema
    """Puts every definition in the place of its reference, and takes null out of every union."""
    if isinstance(schema, list):
        return [_plain(part, defined) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _plain(defined[schema["$ref"].rpartition("/")[2]], defined)
    parts = {name: _plain(part, defined) for name, part in schema.items() if name != "$defs"}
    if "anyOf" in parts:
        (only,) = (part for part in parts.pop("anyOf") if part != _NULL)
        parts = {**parts, **only}
    if "enum" in parts:
        parts = {"type": "string", **parts}
    if "properties" in parts:
        parts.pop("title", None)
        parts = parts if parts["required"] else _without(parts, "required")
    return _without(parts, "default") if parts.get("default", 0) in (None, []) else parts


def _without(parts: Schema, name: str) -> Schema:
    return {other: part for other, part in parts.items() if other != name}
