"""JSON read with the places of its members; comments and trailing commas are let stand."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["COMMENT", "Member", "Node", "gap", "parsed"]

COMMENT: Final = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)

_DEPTH: Final = 200
_DIGITS: Final = 1_000
_PLAIN: Final = 2  # below an entry of a section nothing is changed: its places are of no interest
_GAP: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR: Final = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
)


class Node(msgspec.Struct, frozen=True):
    """A value and where it stands; of an object, its members too."""

    start: int
    end: int
    value: object
    members: tuple[Member, ...] = ()


class Member(msgspec.Struct, frozen=True):
    """A name and its value; ``start`` is where the name stands."""

    name: str
    start: int
    node: Node

    @property
    def end(self) -> int:
        """Where the value ends."""
        return self.node.end


def parsed(text: str) -> Node:
    """Reads a text.

    Raises:
        InvalidInputError: it is no JSON; it says where.
    """
    return _Reader(text).document()


def gap(text: str, at: int) -> int:
    """Gives where white space and comments end."""
    found = _GAP.match(text, at)
    return at if found is None else found.end()


class _Reader:
    """Reads a text into nodes, and says where it is no JSON."""

    def __init__(self, text: str) -> None:
        self._text = text

    def document(self) -> Node:
        node = self._value(gap(self._text, 0), 0)
        if (end := gap(self._text, node.end)) < len(self._text):
            raise self._wrong(end)
        return node

    def _value(self, at: int, depth: int) -> Node:
        if depth > _DEPTH:
            raise InvalidInputError("JSON", f"at most {_DEPTH} levels", "more")
        opening = self._text[at : at + 1]
        if depth >= _PLAIN and opening in ("{", "["):
            try:
                value, end = _DECODER.raw_decode(self._text, at)
            except (ValueError, RecursionError):
                pass  # it has comments, or is wrong: it is read step by step, which says where
            else:
                return Node(at, end, value)
        if opening == "{":
            return self._object(at, depth)
        return self._list(at, depth) if opening == "[" else self._scalar(at)

    def _list(self, at: int, depth: int) -> Node:
        items = []
        for place in self._places(at, "]"):
            node = self._value(place, depth + 1)
            items.append(node.value)
            self._end = node.end
        return Node(at, self._end, items)

    def _object(self, at: int, depth: int) -> Node:
        members = []
        for place in self._places(at, "}"):
            key = self._scalar(place)
            colon = gap(self._text, key.end)
            if not isinstance(key.value, str) or self._text[colon : colon + 1] != ":":
                raise self._wrong(colon if isinstance(key.value, str) else place)
            node = self._value(gap(self._text, colon + 1), depth + 1)
            members.append(Member(key.value, place, node))
            self._end = node.end
        values = {member.name: member.node.value for member in members}
        return Node(at, self._end, values, tuple(members))

    def _places(self, at: int, close: str) -> Iterator[int]:
        """Gives where each item starts; its reader leaves in ``_end`` where it ends."""
        place = gap(self._text, at + 1)
        while self._text[place : place + 1] != close:
            yield place
            place = gap(self._text, self._end)
            if self._text[place : place + 1] == ",":
                place = gap(self._text, place + 1)
            elif self._text[place : place + 1] != close:
                raise self._wrong(place)
        self._end = place + 1

    def _scalar(self, at: int) -> Node:
        found = _SCALAR.match(self._text, at)
        if found is None:
            raise self._wrong(at)
        self._end = found.end()
        return Node(at, found.end(), json.loads(found[0], parse_int=_whole))

    def _wrong(self, at: int) -> InvalidInputError:
        line = self._text.count("\n", 0, at) + 1
        column = at - self._text.rfind("\n", 0, at)
        got = excerpt(self._text[at : at + 1]) if at < len(self._text) else "its end"
        return InvalidInputError("JSON", "JSON", f"{got} in line {line:,}, column {column:,}")


def _whole(digits: str) -> int | float:
    """Reads a whole number; one too long for Python to read at once is only looked at."""
    return int(digits) if len(digits) < _DIGITS else float(digits)


def _refused(constant: str) -> object:
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_int=_whole, parse_constant=_refused)
