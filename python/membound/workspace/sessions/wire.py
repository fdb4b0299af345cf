"""One line of a wire file, read as far as it is understood."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from membound.text import well_formed
from membound.times import START, instant, timestamp
from membound.workspace.cutting import cut
from membound.workspace.sessions.turn import ELLIPSIS, Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Line", "action", "mapping", "moment", "name_of", "result_text", "texts", "turn_number"]

_ARGUMENTS: Final = ("path", "command", "key", "query", "description", "folder", "skill", "url")
_MOST_ARGUMENTS: Final = 3
_COMMAND_CHARACTERS: Final = 120
_VALUE_CHARACTERS: Final = 200
_FILES: Final = ("path", "file", "filePath", "file_path", "cwd")
_FOREIGN_FOLDER: Final = "node_modules"
_FILE_CHARACTERS: Final = 1_000
_NAME_CHARACTERS: Final = 200
_SAFE: Final = 2**53
"""Whole numbers below it are exact for every program that reads JSON."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """One record of a wire file; what else it has is not read.

    Attributes:
        type: what it is.
        time: when, in any of the host's forms.
        input: what was said, for prompts.
        origin: who said it, for prompts.
        event: what happened, for loop events.
        summary: of a compaction.
        count: of the turns that are withdrawn.
        turnId: the turn that is cancelled.
        target: what of it.
    """

    type: str
    time: object = None
    input: object = None
    origin: object = None
    event: object = None
    summary: object = None
    count: object = None
    turnId: object = None  # noqa: N815 — the host's spelling
    target: object = None

    @classmethod
    def read(cls, line: bytes) -> Line | None:
        """Reads a line; None for one that is no record. It never raises."""
        try:
            return _decode(line)
        except (ValueError, RecursionError):
            return _repaired(line)


_decode: Final = msgspec.json.Decoder(Line).decode


def _repaired(line: bytes) -> Line | None:
    """Reads a line whose text is not well formed, with U+FFFD for what is not."""
    try:
        value = json.loads(line.decode(errors="replace"))
        return _decode(well_formed(json.dumps(value, ensure_ascii=False)).encode())
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> dict[str, object]:
    """Gives an object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def moment(value: object) -> str | None:
    """Reads a time, in milliseconds or as text; None for what names no moment."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        found = instant(value)
        return None if found is None else timestamp(found)
    try:
        return timestamp(START + timedelta(milliseconds=math.trunc(value)))
    except (OverflowError, ValueError):
        return None


def turn_number(value: object) -> int | None:
    """Reads the number of a turn; None where it is no whole number that every program can hold."""
    if isinstance(value, str):
        if not (value.isascii() and value.isdigit() and len(value) <= len(str(_SAFE))):
            return None
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _SAFE:
        return value
    return None


def name_of(value: object) -> str | None:
    """Gives the id of a turn, step or call as text; None where there is none."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def texts(value: object) -> list[str]:
    """Gives the texts of what was said, in parts or as one text."""
    if isinstance(value, str):
        return [value]
    return list(_part_texts(value)) if isinstance(value, list) else []


def _part_texts(parts: Iterable[object]) -> Iterator[str]:
    for part in map(mapping, parts):
        if part.get("type") == "text":
            text = part.get("text")
            yield text if isinstance(text, str) else ""


def action(event: dict[str, object]) -> Action:
    """Gives the action of a tool call, without its result."""
    name, arguments = event.get("name"), mapping(event.get("args"))
    return Action(
        name=cut(name, _NAME_CHARACTERS, ELLIPSIS) if isinstance(name, str) else "",
        args=", ".join(_shown(arguments)),
        files=tuple(dict.fromkeys(_files(arguments))),
    )


def _shown(arguments: dict[str, object]) -> list[str]:
    """Gives the arguments that tell most of a call."""
    told = []
    for name in _ARGUMENTS:
        value = arguments.get(name)
        if value is not None and value != "":
            most = _COMMAND_CHARACTERS if name == "command" else _VALUE_CHARACTERS
            told.append(f"{name}={cut(_text(value), most, ELLIPSIS)}")
    return told[:_MOST_ARGUMENTS]


def _files(arguments: dict[str, object]) -> Iterator[str]:
    """Gives the files that arguments name; a folder of other people's packages is none."""
    for name in _FILES:
        value = arguments.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= _FILE_CHARACTERS:
            continue
        if name != "cwd" or _FOREIGN_FOLDER not in value:
            yield value


def result_text(result: object) -> str:
    """Gives the start of what a tool gave back; empty for nothing."""
    if result is None:
        return ""
    fields = mapping(result)
    if fields.get("isError") or fields.get("error"):
        given = fields.get("error") or _first(fields, "output", "content") or "failed"
        return f"error: {cut(_text(given), _VALUE_CHARACTERS, ELLIPSIS)}"
    given = _first(fields, "output", "content", "result") if fields else result
    return f"success: {cut(_text(given), _VALUE_CHARACTERS, ELLIPSIS)}"


def _first(fields: dict[str, object], *names: str) -> object:
    """Gives the first of some fields that is there."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _text(value: object) -> str:
    """Gives a value as text; what is no text as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
