"""TOML as people write it: one table of a section set or taken out, and every other byte kept.

The table goes to the end of the text, whose comments and order no writer touches that way, and
taking it out again gives the text from before.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final

import tomlkit

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["entry_of", "with_entry", "without_entry"]

_HEADER: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)
_PLACE: Final = re.compile(r"line (\d+), column (\d+)\)")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


def entry_of(text: str, section: str, name: str) -> object:
    """Gives what a table of the section holds; None where there is none.

    Raises:
        InvalidInputError: the text is no TOML, or the section no table.
    """
    servers = _read(text).get(section, {})
    if not isinstance(servers, dict):
        raise InvalidInputError(section, "a table", excerpt(servers))
    return servers.get(name)


def with_entry(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """Gives the text with the table, in the place of the one of that name if there is one.

    Raises:
        InvalidInputError: the text is no TOML, or the section is written in one line.
    """
    bare = without_entry(text, section, name)
    line_end = "\r\n" if "\r\n" in bare else "\n"
    table = tomlkit.dumps({section: {name: dict(entry)}}).replace("\n", line_end)
    whole = bare == "" or bare.endswith("\n")
    apart = "" if bare == "" else line_end if whole else line_end * 2
    # A text without a last line end gets none, so that it is known again when the table goes.
    changed = bare + apart + (table if whole else table.removesuffix(line_end))
    if _is(changed, bare, section, name, entry):
        return changed
    expected = f"a table of its own for each server, as in [{section}.other]"
    raise InvalidInputError(section, expected, "all of them in one value, which is let be")


def without_entry(text: str, section: str, name: str) -> str:
    """Gives the text without the table and those under it.

    Raises:
        InvalidInputError: the text is no TOML, or the table is written as a value of another.
    """
    if entry_of(text, section, name) is None:
        return text
    changed = text
    for start, end in reversed(_tables(text, section, name)):
        changed = _cut(changed, start, end)
    if _is(changed, text, section, name, None):
        return changed
    raise InvalidInputError(f"{section}.{name}", "a table of its own", "a value, which is let be")


def _is(
    changed: str, text: str, section: str, name: str, entry: Mapping[str, object] | None
) -> bool:
    """Tells whether a text says what another says, but for one table."""
    try:
        found = _read(changed)
    except InvalidInputError:
        return False
    return _without(found, section, name) == _without(_read(text), section, name) and (
        found.get(section, {}).get(name) == entry
    )


def _without(data: Mapping[str, object], section: str, name: str) -> dict[str, object]:
    servers = data.get(section)
    others = {key: value for key, value in data.items() if key != section}
    if isinstance(servers, dict) and (rest := {k: v for k, v in servers.items() if k != name}):
        others[section] = rest
    return others


def _read(text: str) -> dict[str, dict[str, object]]:
    """Reads a text; numbers with a point stay text, so that each equals itself."""
    try:
        return tomllib.loads(text, parse_float=str)
    except RecursionError as fault:
        raise InvalidInputError("TOML", "TOML", "lists or tables nested too deeply") from fault
    except tomllib.TOMLDecodeError as fault:
        raise _wrong(text, str(fault)) from fault


def _wrong(text: str, said: str) -> InvalidInputError:
    """Says what is wrong with a text, and where: at the place that is told, else at its end."""
    reason, _, place = said.rpartition(" (at ")
    told = _PLACE.fullmatch(place)
    line = int(told[1]) if told else text.count("\n") + 1
    column = int(told[2]) if told else len(text) - text.rfind("\n")
    got = f"{excerpt(reason)} in line {line:,}, column {column:,}"
    return InvalidInputError("TOML", "TOML", got)


def _tables(text: str, section: str, name: str) -> list[tuple[int, int]]:
    """Gives the stretches from each header of the table, or of one under it, to its last value."""
    headers = [found.start() for found in _HEADER.finditer(text)]
    tables: list[tuple[int, int]] = []
    for at, start in enumerate(headers):
        if not _names(text[start:], section, name) or not _ends_whole(text, start):
            continue
        following = (later for later in headers[at + 1 :] if _ends_whole(text, later))
        lines = _LINE.findall(text, start, next(following, len(text)))
        while lines[-1].strip() == "" or lines[-1].lstrip().startswith("#"):
            lines.pop()  # what stands before the next header is of that one
        joined = bool(tables) and not text[tables[-1][1] : start].strip()
        first = tables.pop()[0] if joined else start
        tables.append((first, start + len("".join(lines))))
    return tables


def _names(text: str, section: str, name: str) -> bool:
    """Tells whether the first line is a header of the table, or of one under it."""
    try:
        servers = _read(text.partition("\n")[0].strip()).get(section)
    except InvalidInputError:
        return False
    return isinstance(servers, dict) and name in servers


def _ends_whole(text: str, at: int) -> bool:
    """Tells whether a line starts a statement, and is not within a text or a list."""
    try:
        tomllib.loads(text[:at])
    except tomllib.TOMLDecodeError:
        return False
    return True


def _cut(text: str, start: int, end: int) -> str:
    """Takes a stretch of whole lines out, with the empty line before it."""
    before, after = text[:start], text[end:]
    line_end = "\r\n" if "\r\n" in text else "\n"
    if not after and not text.endswith("\n"):
        before = before.removesuffix(line_end)
    return before.removesuffix(line_end) + after
