"""Markdown in and out: a text's paragraphs, and one file per record with a front matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from membound.cli.text import json_line
from membound.errors import InvalidRecordError
from membound.excerpt import excerpt
from membound.records import MemoryRecord
from membound.strict_json import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["page", "paragraphs", "record_of_page"]

_FRONT_MATTER = re.compile(r"\A---\r?\n(?P<fields>.*?)(?:(?<=\n)|\r?\n)---(?:\r?\n|\Z)", re.DOTALL)
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_FIELD = re.compile(rf"({_PLAIN_NAME.pattern}|\"(?:[^\"\\]|\\.)*\"): (.*)")
_NAMED = re.compile(r"""\s*["']?(\w+)["']?\s*:""")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s")

# What a page leaves out: the content is its body, and a history is not for reading.
_OUTSIDE_FRONT_MATTER = ("content", "history")
# What makes a front matter that of a record.
_NAMES = frozenset({"id", "scope", "createdAt"})


def page(record: MemoryRecord) -> str:
    """Return the record as Markdown: its fields as a front matter, its content as the body.

    Each value is JSON on one line, which is YAML too; so a title with a colon, a date or the
    word ``yes`` stays the text it was, and `record_of_page` reads back what was written. A name
    that is no plain one is a JSON text as well.
    """
    fields = {
        name: value for name, value in record.to_dict().items() if name not in _OUTSIDE_FRONT_MATTER
    }
    lines = [f"{_written(name)}: {json_line(value)}" for name, value in fields.items()]
    return "\n".join(("---", *lines, "---", record.content, ""))


def record_of_page(text: str) -> MemoryRecord | None:
    """Return the record that `page` wrote, or None if the text is any other Markdown.

    Raises:
        InvalidRecordError: the front matter names a record, but cannot be read as one.
    """
    text = text.removeprefix("\ufeff")
    match = _FRONT_MATTER.match(text)
    try:
        fields = _fields(match["fields"] if match else "")
    except InvalidRecordError:
        if _names_a_record(text):
            raise
        return None
    if match is None or not fields.keys() >= _NAMES:
        return None
    return MemoryRecord.from_dict({**fields, "content": text[match.end() :].removesuffix("\n")})


def _written(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else json_line(name)


def _fields(front_matter: str) -> dict[str, Any]:
    """Read the lines that `page` wrote; only LF ends one, as U+2028 may stand inside a text."""
    fields: dict[str, Any] = {}
    for number, line in enumerate(front_matter.split("\n"), 2):
        where = f"front matter, line {number}"
        match = _FIELD.fullmatch(line.removesuffix("\r"))
        if match is None:
            raise InvalidRecordError(where, "a name, a colon and a JSON value", excerpt(line))
        try:
            name = json_value(match[1]) if match[1].startswith('"') else match[1]
            value = json_value(match[2])
        except InvalidRecordError as error:
            raise InvalidRecordError(where, error.expected, error.got) from error
        if name in fields or name == "content":
            raise InvalidRecordError(where, "every field once", f"{excerpt(name)} twice")
        fields[name] = value
    return fields


def _names_a_record(text: str) -> bool:
    """Tell whether a text begins with a front matter that has a record's names, in any form.

    An editor may have turned the line ends, the quotes or the order, or lost the closing line.
    """
    first, *rest = text.lstrip().splitlines() or [""]
    names = set()
    for line in rest if first.rstrip() == "---" else ():
        if line.rstrip() == "---":
            break
        if named := _NAMED.match(line):
            names.add(named[1])
    return names >= _NAMES


def paragraphs(text: str, *, markdown: bool) -> Iterator[tuple[int, str]]:
    """Yield each paragraph with the number of its first line.

    Blank lines separate paragraphs. In Markdown a fenced block stays whole, a heading goes with
    the paragraph that it announces, and a front matter is no paragraph.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT_MATTER.match(text) if markdown else None
    skipped = front["fields"].count("\n") + 3 if front else 0
    body = text[front.end() :] if front else text
    announced: list[str] = []
    start = 0
    for number, block in _blocks(body, markdown=markdown):
        start = start or number
        announced.append(block)
        if not (markdown and all(map(_HEADING.match, block.split("\n")))):
            yield skipped + start, "\n".join(announced)
            announced, start = [], 0
    if announced:
        yield skipped + start, "\n".join(announced)


def _blocks(text: str, *, markdown: bool) -> Iterator[tuple[int, str]]:
    """Yield the runs of lines between blank lines, fenced blocks uncut."""
    block: list[str] = []
    start, fence = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() or fence:
            start = start if block else number
            block.append(line.rstrip())
            fence = _fence_after(line, fence) if markdown else ""
        elif block:
            yield start, "\n".join(block).strip()
            block = []
    if block:
        yield start, "\n".join(block).strip()


def _fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after `line`, or the empty text."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return match[1]
    closes = match[1].startswith(fence) and not line[match.end() :].strip()
    return "" if closes else fence
