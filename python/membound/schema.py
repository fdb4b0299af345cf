"""Open structs: known fields are checked as declared, unknown ones are kept and written back."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin
from typing import get_type_hints as type_hints

import msgspec

from membound.errors import InvalidRecordError
from membound.excerpt import excerpt

__all__ = ["Open", "always", "json_names", "leaf", "may_be_absent", "parsed", "plain"]

_LOOSE = ""
"""The JSON name of `Open.loose`; no known field has it, and an input's own "" is an unknown one."""

_DEPTH = 64
_DIGIT_BITS = 14_000  # just under the 4,300 digits that Python converts to text
_SURROGATE = "[\ud800-\udfff]"
_READY = frozenset({str, float, bool})
_PLAIN = _READY | {int, type(None)}
_LISTS = (tuple, list)
_SAFE_KEY = r"\w{1,64}"
_STEP = r"\.(\w+)|\[([0-9]+)\]"
_MISSING = r"Object missing required field `(\w+)`"
_WORDS: Final[dict[object, str]] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list",
}

_Path = tuple[str | int, ...]
_T = TypeVar("_T")


def always(value: _T) -> _T:
    """Declares the default of a field that JSON always has: only what is None is left out."""
    # msgspec leaves out what equals a plain default, and knows no better of one that is made.
    made: _T = msgspec.field(default_factory=lambda: value)
    return made


class Open(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False, omit_defaults=True):
    """A frozen value with camelCase JSON; None stands for an absent optional, never for null.

    The default of a field is None, or declared by `always`.

    Attributes:
        loose: the fields that the schema does not know, by JSON name, as they came.
    """

    loose: dict[str, Any] = msgspec.field(default_factory=dict, name=_LOOSE)

    def to_dict(self) -> dict[str, Any]:
        """Gives plain JSON values under the names of the JSON, unknown fields last.

        Raises:
            InvalidRecordError: the constructor, which checks nothing, was given a bad ``loose``.
        """
        known: dict[str, Any] = {
            name: value if type(value) in _PLAIN else leaf(value)
            for attribute, name in json_names(type(self)).items()
            if (value := getattr(self, attribute)) is not None
        }
        if type(self.loose) is dict and not self.loose:
            return known
        try:
            return {**known, **plain(self.loose)}
        except (RecursionError, TypeError):
            expected = f"an object of at most {_DEPTH} levels"
            raise InvalidRecordError("loose", expected, excerpt(self.loose)) from None


_Struct = TypeVar("_Struct", bound=Open)
_JSON = (str, float, list, tuple, dict, Open, Mapping)


@cache
def json_names(struct: type[Open]) -> dict[str, str]:
    """Gives the JSON name of every attribute, in the order of the schema."""
    names = zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True)
    return {attribute: name for attribute, name in names if name != _LOOSE}


def may_be_absent(struct: type[Open], name: str) -> bool:
    """Tells whether the field of this JSON name is an optional one."""
    return get_origin(_hints(struct)[name]) in {Union, types.UnionType}


def plain(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    """Copies a value into what JSON has: structs become dicts, tuples become lists."""
    if isinstance(value, Open):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {_scalar(key): plain(item) for key, item in value.items()}
    return _scalar(value)


def leaf(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    """Does as `plain` does for what the schema knows: no deeper than a list of structs."""
    if isinstance(value, _LISTS):
        return [item.to_dict() if isinstance(item, Open) else _scalar(item) for item in value]
    return value.to_dict() if isinstance(value, Open) else _scalar(value)


def _scalar(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    """Takes text and numbers for what they are, also as members of an enumeration."""
    if type(value) in _PLAIN:
        return value
    match value:
        case str():
            return str.__str__(value)
        case int():
            return int.__int__(value)
        case float():
            return float.__float__(value)
        case _:
            return value


def parsed(tree: Mapping[str, Any], struct: type[_Struct]) -> _Struct:
    """Checks plain JSON values against a struct's declaration.

    Raises:
        InvalidRecordError: naming the first field that is not as declared.
    """
    if type(tree) is not dict and not isinstance(tree, Mapping):
        raise InvalidRecordError("record", "an object", excerpt(tree))
    folded = _folded(tree, struct, ())
    try:
        value = msgspec.convert(folded, struct)
        msgspec.json.encode(value)  # fails on a lone surrogate anywhere
    except msgspec.ValidationError as fault:
        raise _explained(str(fault), folded, struct) from None
    except UnicodeEncodeError:
        _refuse_surrogate(folded, ())
        raise
    return value


def _folded(tree: Mapping[str, Any], struct: type[Open], path: _Path) -> dict[str, Any]:
    """Moves the unknown fields of every level under `_LOOSE`, where msgspec keeps them."""
    parts = _parts(struct)
    known: dict[str, Any] = {}
    loose: dict[str, Any] = {}
    for key, value in tree.items():
        if type(value) in _READY and key in parts:
            known[key] = value
        elif (part := parts.get(key, Open)) is Open:
            _refuse_surrogate(key, path)
            loose[_scalar(key)] = _copied(value, (*path, key))
        elif not _is_json(value):
            expected = _expectation(_hints(struct)[key])
            raise InvalidRecordError(_dotted((*path, key)), expected, excerpt(value))
        else:
            folded = leaf(value)
            known[key] = folded if part is None else _folded_part(folded, part, (*path, key))
    if loose:
        known[_LOOSE] = loose
    return known


def _is_json(value: object) -> bool:
    """Tells whether JSON may have it; msgspec would read sets too, in the order of their hashes."""
    if type(value) is dict or type(value) is list:
        return True
    if isinstance(value, int):
        return value.bit_length() <= _DIGIT_BITS
    return isinstance(value, _JSON)


def _folded_part(value: object, part: type[Open], path: _Path) -> object:
    if isinstance(value, list):
        return [_folded_item(item, part, (*path, at)) for at, item in enumerate(value)]
    return _folded(value, part, path) if isinstance(value, Mapping) else value


def _folded_item(item: object, part: type[Open], path: _Path) -> object:
    if isinstance(item, Mapping):
        return _folded(item, part, path)
    if not _is_json(item):
        raise InvalidRecordError(_dotted(path), "an object", excerpt(item))
    return item


def _copied(value: object, path: _Path) -> object:
    """Copies an unknown field's value, refusing what JSON cannot carry back unchanged."""
    match value:
        case None | bool():
            return value
        case str():
            _refuse_surrogate(value, path)
            return _scalar(value)
        case int() if value.bit_length() <= _DIGIT_BITS:
            return _scalar(value)
        case float() if math.isfinite(value):
            return _scalar(value)
        case list() | tuple() | Mapping() if len(path) > _DEPTH:
            expected = f"at most {_DEPTH} levels of nesting"
            raise InvalidRecordError(_dotted(path[:4]), expected, "more")
        case list() | tuple():
            return [_copied(item, (*path, at)) for at, item in enumerate(value)]
        case Mapping() if all(isinstance(key, str) for key in value):
            for key in value:
                _refuse_surrogate(key, path)
            return {_scalar(key): _copied(item, (*path, key)) for key, item in value.items()}
    raise InvalidRecordError(_dotted(path), "a value that JSON can carry", excerpt(value))


def _refuse_surrogate(value: object, path: _Path) -> None:
    """Refuses the first lone surrogate under a value, by field and position."""
    if isinstance(value, str) and (found := re.search(_SURROGATE, value)):
        got = f"U+{ord(found[0]):04X} at position {found.start()}"
        raise InvalidRecordError(_dotted(path), "text without lone surrogates", got)
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_surrogate(item, (*path, key))
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value):
            _refuse_surrogate(item, (*path, at))


def _explained(message: str, tree: object, struct: type[Open]) -> InvalidRecordError:
    """Words msgspec's refusal anew; of its message only the path is kept: it may echo the value."""
    _, _, tail = message.rpartition(" - at `$")
    path: _Path = tuple(name or int(at) for name, at in re.findall(_STEP, tail))
    if missing := re.match(_MISSING, message):
        path = (*path, missing[1])
        got = "nothing"
    else:
        value: Any = tree
        for step in path:
            value = value[step]
        got = excerpt(value)
    hint: Any = struct
    for step in path:
        bare, _ = _unwrapped(hint)
        hint = get_args(bare)[0] if isinstance(step, int) else _hints(bare)[step]
    return InvalidRecordError(_dotted(path), _expectation(hint), got)


@cache
def _hints(struct: type[Open]) -> dict[str, Any]:
    """Gives the annotation of every known field, by JSON name."""
    hints = type_hints(struct, include_extras=True)
    return {name: hints[attribute] for attribute, name in json_names(struct).items()}


@cache
def _parts(struct: type[Open]) -> dict[str, type[Open] | None]:
    """Gives for every known field, by JSON name, the struct that lies under it, if any."""
    return {name: _struct_in(hint) for name, hint in _hints(struct).items()}


def _struct_in(hint: object) -> type[Open] | None:
    if isinstance(hint, type) and issubclass(hint, Open):
        return hint
    return next(filter(None, map(_struct_in, get_args(hint))), None)


def _unwrapped(hint: Any) -> tuple[Any, str | None]:  # noqa: ANN401 — annotations have no type
    """Takes the optional and the constraints off an annotation; gives its description too."""
    if get_origin(hint) in {Union, types.UnionType}:
        hint = get_args(hint)[0]
    if get_origin(hint) is Annotated:
        bare, meta = get_args(hint)[:2]
        return bare, meta.description
    return hint, None


def _expectation(hint: object) -> str:
    """Says what a field accepts: its description, or what its type says by itself."""
    bare, description = _unwrapped(hint)
    if description is not None:
        return description
    if get_origin(bare) is Literal:
        return "one of " + ", ".join(map(str, get_args(bare)))
    return _WORDS.get(get_origin(bare) or bare, "an object")


def _dotted(path: _Path) -> str:
    """Writes a path such as ``sources.0.trust``; no part of it is longer than a name."""
    steps = (str(step) for step in path)
    return (
        ".".join(s if re.fullmatch(_SAFE_KEY, s, re.ASCII) else excerpt(s) for s in steps)
        or "record"
    )
