"""Markdown in and out: a text's paragraphs, and one file per record with a front matter."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from membound.records import MemoryRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["page", "paragraphs", "record_of_page"]

_FRONT_MATTER = re.compile(r"\A---\r?\n(?P<fields>.*?)(?:(?<=\n)|\r?\n)---(?:\r?\n|\Z)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s")

# What a page leaves out: the content is its body, and a history is not for reading.
_OUTSIDE_FRONT_MATTER = ("content", "history")


def page(record: MemoryRecord) -> str:
    """Return the record as Markdown: its fields as a front matter, its content as the body.

    Each value is JSON on one line, which is YAML too; so a title with a colon, a date or the
    word ``yes`` stays the text it was, and `record_of_page` reads back what was written.
    """
    fields = {
        name: value for name, value in record.to_dict().items() if name not in _OUTSIDE_FRONT_MATTER
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return "\n".join(("---", *lines, "---", record.content, ""))


def record_of_page(text: str) -> MemoryRecord | None:
    """Return the record that `page` wrote, or None if the text is any other Markdown."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return None
    fields: dict[str, Any] = {}
    for line in match["fields"].splitlines():
        name, separator, value = line.partition(": ")
        try:
            fields[name] = json.loads(value if separator else "")
        except ValueError:
            return None
    if not {"id", "scope", "createdAt"} <= fields.keys():
        return None
    return MemoryRecord.from_dict({**fields, "content": text[match.end() :].removesuffix("\n")})


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
