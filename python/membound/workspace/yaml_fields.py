"""The fields of a YAML mapping as texts and lists, and how one is replaced alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import yaml

from membound.workspace.yaml_scan import (
    LOADER,
    MOST_CHARACTERS,
    BrokenYamlError,
    reason_of,
    scan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from membound.workspace.yaml_scan import Field, Value

__all__ = ["read_fields", "rough_fields", "with_fields"]

_RESOLVERS: Final = yaml.SafeLoader.yaml_implicit_resolvers
_PLAIN: Final = re.compile(r"[^\W_][\w./+-]*(?: [\w./+-]+)*")
_ESCAPED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NAME: Final = re.compile(r"([\w-]+)[ \t]*:(?!//)[ \t]*")
_ITEM: Final = re.compile(r"^[ \t]*-(.*)$", re.MULTILINE)
_NOTHING: Final = re.compile(r"[ \t]*(#.*)?\r?\n?")


def read_fields(text: str) -> dict[str, Value | None] | None:
    """Gives each field by name, the last of its name; None where the text is no mapping.

    Raises:
        BrokenYamlError: it is no YAML, or too long or too deep to be somebody's front matter.
    """
    fields = scan(text)
    return None if fields is None else {field.name: field.value for field in fields}


def rough_fields(text: str) -> dict[str, Value | None]:
    """Gives each sound field of a broken text, and of the others the rest of the line."""
    found: dict[str, Value | None] = {}
    for name, chunk, rest in _chunks(text[:MOST_CHARACTERS]):
        try:
            found |= read_fields(chunk) or {name: rest.strip()}
        except BrokenYamlError:
            items = tuple(item.strip().strip("'\"") for item in _ITEM.findall(chunk))
            found[name] = rest.strip().strip("'\"") or items
    return found


def with_fields(text: str, values: Mapping[str, Value], line_end: str) -> str:
    """Gives the text with other values of some fields; those that are not there come last.

    Raises:
        BrokenYamlError: a field cannot be replaced alone.
    """
    former = scan(text)
    if former is None:
        reason = "it is no mapping"
        raise BrokenYamlError(reason)
    for name, value in values.items():
        text = _with_field(text, name, value, line_end)
    names = [field.name for field in former]
    wanted = names + [name for name in values if name not in names]
    now = scan(text) or []
    found = {field.name: field.value for field in now}
    if [field.name for field in now] != wanted or any(
        not _same(found[name], value) for name, value in values.items()
    ):
        reason = "its fields do not stand on lines of their own"
        raise BrokenYamlError(reason)
    try:
        yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as fault:  # such as an alias that has lost its anchor
        raise BrokenYamlError(reason_of(fault)) from fault
    return text


def _with_field(text: str, name: str, value: Value, line_end: str) -> str:
    fields = scan(text) or []
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


def _in_place(text: str, field: Field, value: Value, block: str, line_end: str) -> str | None:
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


def _chunks(text: str) -> Iterator[tuple[str, str, str]]:
    """Parts a text before each line like a field: name, lines, the rest of the first one."""
    lines = text.splitlines(keepends=True)
    names = [(at, found) for at, line in enumerate(lines) if (found := _NAME.match(line))]
    for number, (start, found) in enumerate(names):
        end = names[number + 1][0] if number + 1 < len(names) else len(lines)
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


def _without_comments(text: str, field: Field, end: int, indent: str) -> int:
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
