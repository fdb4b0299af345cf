"""The name of a record's file: safe on every system, and reversible to the id."""

from __future__ import annotations

import re
from typing import Final

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["ENDING", "file_name", "record_id"]

ENDING: Final = ".json"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_UNSAFE = re.compile(rb"[^A-Za-z0-9._-]")
_ENCODED = re.compile(rb"%([0-9A-F]{2})")
_DEVICES: Final = frozenset(
    ["CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10))],
)
_LONGEST: Final = 240
_LONG: Final = "%="


def file_name(id: str) -> str:
    """Gives the name of an id's file.

    What is not a letter, digit, ``.``, ``_`` or ``-`` is percent-encoded, and so is what would make
    a hidden file or the name of a device. Only a colon can make a valid id too long for a file
    system that way; then the name starts with ``%=`` and a colon is ``=``.

    Raises:
        InvalidInputError: the id is empty, or no text.
    """
    given: object = id
    if not isinstance(given, str) or not given:
        raise InvalidInputError("id", "text that is not empty", excerpt(given))
    if _PLAIN.fullmatch(id) and len(id) <= _LONGEST and id.upper() not in _DEVICES:
        return id + ENDING
    stem = _UNSAFE.sub(_percent, id.encode("utf-8", "surrogatepass")).decode("ascii")
    if stem.startswith("."):
        stem = "%2E" + stem[1:]
    if stem.endswith("."):
        stem = stem[:-1] + "%2E"
    if stem.partition(".")[0].upper() in _DEVICES:
        stem = f"%{ord(stem[0]):02X}{stem[1:]}"
    if len(stem) > _LONGEST:
        stem = _LONG + stem.replace("%3A", "=")
    return stem + ENDING


def record_id(name: str) -> str | None:
    """Gives the id whose file has this name; None if there is no such id."""
    if not name.endswith(ENDING):
        return None
    stem = name.removesuffix(ENDING)
    if stem.startswith(_LONG):
        stem = stem.removeprefix(_LONG).replace("=", "%3A")
    try:
        encoded = stem.encode("utf-8", "surrogatepass")
        id = _ENCODED.sub(_byte, encoded).decode("utf-8", "surrogatepass")
    except UnicodeError:
        return None
    return id if id and file_name(id) == name else None


def _percent(byte: re.Match[bytes]) -> bytes:
    return b"%%%02X" % byte[0][0]


def _byte(encoded: re.Match[bytes]) -> bytes:
    return bytes([int(encoded[1], 16)])
