"""A scan of a YAML mapping: what each field of its top level holds, and where that lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol

import msgspec
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LOADER", "MOST_CHARACTERS", "BrokenYamlError", "Field", "Value", "reason_of", "scan"]

Value = str | tuple[str, ...]
"""What a field of ours holds: text, or a list of texts. Any other value is kept and not read."""

MOST_CHARACTERS: Final = 64 * 1024
MOST_DEPTH: Final = 32
LOADER: Final = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
"""Reads every scalar as the text that it is."""


class BrokenYamlError(ValueError):
    """A text is no YAML mapping that can be read, or changed, field by field."""


class _Mark(Protocol):
    """A place in a text, as both parsers tell it."""

    @property
    def index(self) -> int: ...


class Field(msgspec.Struct, gc=False):
    """One field: its name, what it holds, and where that lies in the text.

    ``kind`` is ``text`` for a value in one piece, ``block`` for a block scalar, ``list`` and
    ``flow`` for the two forms of a list of texts, ``other`` for anything else.
    """

    name: str
    at: int
    value: Value | None = None
    kind: Literal["text", "block", "list", "flow", "other"] = "other"
    start: int = 0
    end: int = 0
    anchor: str | None = None


def scan(text: str) -> list[Field] | None:
    """Reads the top level of a mapping; None where the text is anything else.

    It goes by the parser's events, so that depth and aliases cost nothing that is not written out.

    Raises:
        BrokenYamlError: it is no YAML, or too long or too deep to be somebody's front matter.
    """
    if len(text) > MOST_CHARACTERS:
        reason = f"it is longer than {MOST_CHARACTERS:,} characters"
        raise BrokenYamlError(reason)
    try:
        return _mapping(text, yaml.parse(text, Loader=LOADER))
    except yaml.YAMLError as fault:
        raise BrokenYamlError(reason_of(fault)) from fault


def _mapping(text: str, events: Iterator[yaml.Event]) -> list[Field] | None:
    next(events)
    if isinstance(next(events), yaml.StreamEndEvent):
        return []
    start = next(events)
    if not isinstance(start, yaml.MappingStartEvent):
        empty = isinstance(start, yaml.ScalarEvent) and start.value == ""
        _skip_rest(events)
        return [] if empty else None
    fields = []
    for key in events:
        if isinstance(key, yaml.MappingEndEvent):
            break
        name = key.value if isinstance(key, yaml.ScalarEvent) else ""
        if not isinstance(key, yaml.ScalarEvent | yaml.AliasEvent):
            _skip(key, events)
        field = Field(name, _at(key.start_mark))
        _read_value(field, text, next(events), events)
        fields.append(field)
    _skip_rest(events)
    return fields


def _read_value(field: Field, text: str, event: yaml.Event, events: Iterator[yaml.Event]) -> None:
    field.start, field.end = _at(event.start_mark), _at(event.end_mark)
    if isinstance(event, yaml.ScalarEvent):
        field.kind = "block" if event.style in ("|", ">") else "text"
        field.value, field.anchor = event.value, event.anchor
    elif isinstance(event, yaml.SequenceStartEvent):
        _read_list(field, text, event, events)
    else:
        field.end = _skip(event, events)


def _read_list(
    field: Field, text: str, opening: yaml.SequenceStartEvent, events: Iterator[yaml.Event]
) -> None:
    """Reads a list. An item that is no text, such as ``- a: b``, is taken as it stands there."""
    values: list[str] = []
    pure, last = opening.anchor is None, field.start
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            last = _at(event.end_mark) if opening.flow_style else last
            break
        if isinstance(event, yaml.ScalarEvent):
            last = _at(event.end_mark)
            pure = pure and event.style not in ("|", ">") and event.anchor is None
            values.append(event.value)
        else:
            pure, last = False, _skip(event, events)
            values.append(text[_at(event.start_mark) : last].strip())
    field.value, field.end = tuple(values), last
    if pure:
        field.kind = "flow" if opening.flow_style else "list"


def _skip(event: yaml.Event, events: Iterator[yaml.Event]) -> int:
    """Passes over a value; gives where it ends."""
    depth = 0
    while True:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_DEPTH:
            reason = f"it is nested more than {MOST_DEPTH} deep"
            raise BrokenYamlError(reason)
        if depth == 0:
            return _at(event.end_mark)
        event = next(events)


def _skip_rest(events: Iterator[yaml.Event]) -> None:
    """Reads to the end, so that what is broken there is found, and one document is all there is."""
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            reason = "it is more than one document"
            raise BrokenYamlError(reason)


def _at(mark: _Mark | None) -> int:
    """Gives a place in the text; every event of a parser has one."""
    if mark is None:
        reason = "a part of it lies nowhere"
        raise BrokenYamlError(reason)
    return mark.index


def reason_of(fault: yaml.YAMLError) -> str:
    """Says why a text is no YAML, with the line of the file that has one fence before the text."""
    problem = getattr(fault, "problem", None) or getattr(fault, "reason", None) or "not readable"
    mark = getattr(fault, "problem_mark", None)
    return str(problem) if mark is None else f"{problem}, in line {mark.line + 2} of the file"
