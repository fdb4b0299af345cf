"""The fields of a YAML mapping: where each lies in the text, and how one is replaced alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["BrokenYamlError", "Value", "read_fields", "rough_fields", "with_fields"]

Value = str | tuple[str, ...]
"""What a field of ours holds: text, or a list of texts. Any other value is kept and not read."""

MOST_CHARACTERS: Final = 64 * 1024
MOST_DEPTH: Final = 32

_LOADER: Final = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_RESOLVERS: Final = yaml.SafeLoader.yaml_implicit_resolvers
_PLAIN: Final = re.compile(r"[^\W_][\w./+-]*(?: [\w./+-]+)*")
_ESCAPED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NAME: Final = re.compile(r"([\w-]+)[ \t]*:(?!//)[ \t]*")
_NOTHING: Final = re.compile(r"[ \t]*(#.*)?\r?\n?")


class BrokenYamlError(ValueError):
    """A text is no YAML mapping that can be read, or changed, field by field."""


class _Mark(Protocol):
    """A place in a text, as both parsers tell it."""

    @property
    def index(self) -> int: ...


class _Field(msgspec.Struct, gc=False):
    """One field: its name, what it holds, and where that lies in the text.

    ``kind`` is ``text`` for a value in one piece, ``block`` for a block scalar, ``list`` and
    ``flow`` for the two forms of a list of texts, ``other`` for anything else.
    """

    name: str
    at: int
    value: Value | None = None
    kind: str = "other"
    start: int = 0
    end: int = 0
    anchor: str | None = None


def read_fields(text: str) -> dict[str, Value | None] | None:
    """Gives each field by name, the last of its name; None where the text is no mapping.

    Raises:
        BrokenYamlError: it is no YAML, or too long or too deep to be somebody's front matter.
    """
    fields = _scan(text)
    return None if fields is None else {field.name: field.value for field in fields}


def rough_fields(text: str) -> dict[str, Value | None]:
    """Gives each sound field of a broken text, and of the others the rest of the line."""
    found: dict[str, Value | None] = {}
    for name, chunk, rest in _chunks(text[:MOST_CHARACTERS]):
        try:
            found |= read_fields(chunk) or {name: rest.strip()}
        except BrokenYamlError:
            found[name] = rest.strip().strip("'\"")
    return found


def with_fields(text: str, values: Mapping[str, Value], line_end: str) -> str:
    """Gives the text with other values of some fields; those that are not there come last.

    Raises:
        BrokenYamlError: a field cannot be replaced alone.
    """
    former = _scan(text)
    if former is None:
        reason = "it is no mapping"
        raise BrokenYamlError(reason)
    for name, value in values.items():
        text = _with_field(text, name, value, line_end)
    names = [field.name for field in former]
    wanted = names + [name for name in values if name not in names]
    now = _scan(text) or []
    found = {field.name: field.value for field in now}
    if [field.name for field in now] != wanted or any(
        not _same(found[name], value) for name, value in values.items()
    ):
        reason = "its fields do not stand on lines of their own"
        raise BrokenYamlError(reason)
    try:
        yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as fault:  # such as an alias that has lost its anchor
        raise BrokenYamlError(_reason(fault)) from fault
    return text


def _with_field(text: str, name: str, value: Value, line_end: str) -> str:
    fields = _scan(text) or []
    at = next((at for at in reversed(range(len(fields))) if fields[at].name == name), None)
    indent = _indent(text, fields[0].at) if fields else ""
    block = _rendered(name, value, indent, line_end)
    if at is None:
        between = line_end if text and not text.endswith("\n") else ""
        return f"{text}{between}{block}"
    field = fields[at]
    if _same(field.value, value):
        return text
    in_place = _in_place(text, field, value, block, line_end)
    if in_place is not None:
        return in_place
    following = _line_start(text, fields[at + 1].at) if at + 1 < len(fields) else len(text)
    end = _without_comments(text, field, following, indent)
    return f"{text[: _line_start(text, field.at)]}{block}{text[end:]}"


def _in_place(text: str, field: _Field, value: Value, block: str, line_end: str) -> str | None:
    """Replaces a value, and nothing else on its lines; None where its form does not allow that."""
    before, after = text[: field.start], text[field.end :]
    if isinstance(value, str):
        if field.kind != "text":
            return None
        anchor = f"&{field.anchor} " if field.anchor else ""
        space = " " if before.endswith(":") else ""
        return f"{before}{space}{anchor}{_quoted(value)}{after}"
    if field.kind == "flow":
        return f"{before}[{', '.join(map(_item, value))}]{after}"
    if field.kind == "list" and value:
        start = _line_start(text, field.start)
        lead = text[start : field.start]
        return text[:start] + line_end.join(f"{lead}- {_item(item)}" for item in value) + after
    if field.kind == "text" and field.anchor is None:
        end = text.find("\n", field.end) + 1 or len(text)
        return before + text[field.end : end] + block.partition("\n")[2] + text[end:]
    return None


def _scan(text: str) -> list[_Field] | None:
    """Reads the top level of a mapping; None where the text is anything else."""
    if len(text) > MOST_CHARACTERS:
        reason = f"it is longer than {MOST_CHARACTERS:,} characters"
        raise BrokenYamlError(reason)
    try:
        return _mapping(yaml.parse(text, Loader=_LOADER))
    except yaml.YAMLError as fault:
        raise BrokenYamlError(_reason(fault)) from fault


def _mapping(events: Iterator[yaml.Event]) -> list[_Field] | None:
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
        fields.append(_field(name, _at(key.start_mark), next(events), events))
    _skip_rest(events)
    return fields


def _field(name: str, at: int, event: yaml.Event, events: Iterator[yaml.Event]) -> _Field:
    field = _Field(name, at, start=_at(event.start_mark), end=_at(event.end_mark))
    if isinstance(event, yaml.ScalarEvent):
        field.kind = "block" if event.style in ("|", ">") else "text"
        field.value, field.anchor = event.value, event.anchor
    elif isinstance(event, yaml.SequenceStartEvent):
        _list(field, event, events)
    else:
        field.end = _skip(event, events)
    return field


def _list(field: _Field, opening: yaml.SequenceStartEvent, events: Iterator[yaml.Event]) -> None:
    """Reads a list; what is in it and is no text is passed over, and then it is none of ours."""
    values: list[str] = []
    pure, last = True, field.start
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            last = _at(event.end_mark) if opening.flow_style else last
            break
        if isinstance(event, yaml.ScalarEvent):
            values.append(event.value)
            pure = pure and event.style not in ("|", ">") and event.anchor is None
            last = _at(event.end_mark)
        else:
            pure, last = False, _skip(event, events)
    field.value, field.end = tuple(values), last
    if pure and opening.anchor is None:
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


def _reason(fault: yaml.YAMLError) -> str:
    problem = getattr(fault, "problem", None) or getattr(fault, "reason", None) or "not readable"
    mark = getattr(fault, "problem_mark", None)
    return str(problem) if mark is None else f"{problem}, in line {mark.line + 2} of the file"


def _chunks(text: str) -> Iterator[tuple[str, str, str]]:
    """Parts a text before each line like a field: name, lines, the rest of the first one."""
    lines = text.splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if _NAME.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = _NAME.match(lines[start])
        if found is not None:
            yield found[1], "".join(lines[start:end]), lines[start][found.end() :]


def _same(former: Value | None, value: Value) -> bool:
    """Tells whether a field says this already; a list of nothing is written as nothing."""
    return former == value or (value == () and former == "")


def _rendered(name: str, value: Value, indent: str, line_end: str) -> str:
    if isinstance(value, str):
        return f"{indent}{name}: {_quoted(value)}{line_end}"
    items = "".join(f"{indent}  - {_item(item)}{line_end}" for item in value)
    return f"{indent}{name}:{line_end}{items}"


def _quoted(text: str) -> str:
    """Gives a text in single quotes, or in double ones where a character has to be escaped."""
    if _ESCAPED.search(text) is None:
        return "'" + text.replace("'", "''") + "'"
    return _ESCAPED.sub(lambda char: f"\\u{ord(char[0]):04x}", json.dumps(text, ensure_ascii=False))


def _item(text: str) -> str:
    """Gives a text as it is where every YAML reads that as text, else in quotes."""
    if _PLAIN.fullmatch(text) is None or text[0].isdigit():
        return _quoted(text)
    typed = any(form.match(text) for _, form in _RESOLVERS.get(text[0], ()))
    return _quoted(text) if typed else text


def _indent(text: str, at: int) -> str:
    lead = text[_line_start(text, at) : at]
    return lead if not lead.strip() else ""


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _without_comments(text: str, field: _Field, end: int, indent: str) -> int:
    """Gives where a field ends before the comments and empty lines that follow it."""
    while end > field.at:
        start = _line_start(text, end - 1)
        line = text[start:end]
        if start <= field.at or not _NOTHING.fullmatch(line):
            break
        if field.kind == "block" and not line.startswith(f"{indent}#"):
            break
        end = start
    return end
