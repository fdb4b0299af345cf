"""Reading the arguments of a call: as their struct declares, or a refusal that names the field."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta

from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.request import MOST_RECORDS
from membound.text import well_formed
from membound.workspace.results.notes import MOST_ITEMS
from membound.workspace.tools.schema import Schema, expectation, input_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BUDGET",
    "COUNTS",
    "Arguments",
    "Budget",
    "Cursor",
    "Folder",
    "Key",
    "Limit",
    "Most",
    "Nothing",
    "PageArguments",
    "Tag",
    "Theme",
    "read",
]

BUDGET: Final = 20_000
"""Characters of JSON that a reply has at most, unless the call says otherwise."""

_STEP: Final = r"\.([\w$]+)|\[([0-9]+)\]"
_MISSING: Final = r"Object missing required field `(.+)`"
_UNKNOWN: Final = r"Object contains unknown field `(.+)`"

Key = Annotated[str, Meta(min_length=1, description="Name of the memory in its folder, no path.")]
Folder = Annotated[
    str, Meta(description="Folder from the workspace on, as in memory/decisions or notes.")
]
Tag = Annotated[str, Meta(min_length=1, description="Exact tag.")]
Theme = Annotated[str, Meta(min_length=1, description="Name of the theme.")]
Cursor = Annotated[
    str, Meta(min_length=1, description="next_cursor of the reply before, to go on behind it.")
]

COUNTS: Final = frozenset(
    {"n", "limit", "detailed_rounds", "summary_rounds", "character_budget", "max_output_chars"}
)
"""The arguments that say how much is wanted: any number is taken as the nearest allowed one."""
_FLOORED: Final = COUNTS | {"before_turn_id"}

Limit = Annotated[int, Meta(ge=1, le=MOST_ITEMS, description="Most items.")]
Most = Annotated[int, Meta(ge=1, le=MOST_RECORDS, description="Most items, best first.")]
Budget = Annotated[
    int, Meta(ge=1_000, le=100_000, description="Most characters of JSON in the reply.")
]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the arguments of a tool have in common: nothing else is taken."""


class Nothing(Arguments, frozen=True, kw_only=True):
    """The arguments of a tool that takes none."""


class PageArguments(Arguments, frozen=True, kw_only=True):
    """What a tool takes that lists everything of a kind."""

    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


_Arguments = TypeVar("_Arguments", bound=Arguments)


def read(struct: type[_Arguments], given: Mapping[str, object] | None) -> _Arguments:
    """Reads the arguments of a call. Null counts as absent, and 3.0 as the whole number it is.

    How many of something is wanted may be any number: the nearest one that may be is taken. A
    fraction counts as the whole number below it.

    Raises:
        InvalidInputError: naming the first argument that is not as declared.
    """
    tree = {name: _plain(value, name) for name, value in (given or {}).items() if value is not None}
    properties = _schema(struct)["properties"]
    for name in _FLOORED & tree.keys() & properties.keys():
        if _is_finite(tree[name]):
            whole = math.floor(tree[name])
            tree[name] = _nearest(whole, properties[name]) if name in COUNTS else whole
    try:
        return msgspec.convert(tree, struct)
    except msgspec.ValidationError as fault:
        raise _explained(str(fault), tree, struct) from None


def _plain(value: Any, field: str) -> Any:  # noqa: ANN401 — any JSON value
    match value:
        case str():
            if value != well_formed(value):
                raise InvalidInputError(
                    _name(field), "text without lone surrogates", excerpt(value)
                )
            return value
        case float() if value.is_integer():
            return int(value)
        case list() | tuple():
            return [_plain(item, f"{field}.{at}") for at, item in enumerate(value)]
        case dict():
            return {
                name: _plain(item, f"{field}.{name}")
                for name, item in value.items()
                if item is not None
            }
        case _:
            return value


def _is_finite(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _nearest(number: int, schema: Mapping[str, int]) -> int:
    """Gives the number nearest to one that a schema accepts."""
    number = max(number, schema["minimum"])
    return min(number, schema.get("maximum", number))


def _explained(message: str, tree: object, struct: type[Arguments]) -> InvalidInputError:
    """Words msgspec's refusal anew; of its message only the path is kept: it may echo the value."""
    message, _, tail = message.partition(" - at `$")
    schema = _schema(struct)
    value: Any = tree
    path: list[str] = []
    for name, at in re.findall(_STEP, tail):
        value = value[name] if name else value[int(at)]
        schema = schema["properties"][name] if name else schema["items"]
        path.append(name or at)
    if unknown := re.fullmatch(_UNKNOWN, message, re.DOTALL):
        known = ", ".join(schema["properties"]) or "none"
        field = _name(".".join([*path, unknown[1]]))
        return InvalidInputError(field, f"one of {known}", excerpt(unknown[1]))
    if missing := re.fullmatch(_MISSING, message):
        expected = expectation(schema["properties"][missing[1]])
        return InvalidInputError(".".join([*path, missing[1]]), expected, "nothing")
    if tail.endswith("[...]`"):  # the key of an object's item, which the message leaves out
        schema = schema["additionalProperties"]
        name, value = next(item for item in value.items() if not isinstance(item[1], str))
        path.append(name)
    return InvalidInputError(_name(".".join(path)), expectation(schema), excerpt(value))


def _name(field: str) -> str:
    """Gives a field's name as it is where it is a plain one, else a short excerpt of it."""
    return field if re.fullmatch(r"[\w.$-]{1,64}", field, re.ASCII) else excerpt(field)


@cache
def _schema(struct: type[Arguments]) -> Schema:
    return input_schema(struct)
