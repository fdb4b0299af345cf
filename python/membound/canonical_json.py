"""Canonical JSON: how open structs are written, and read again where it is just that."""

from __future__ import annotations

from functools import cache
from typing import Final, TypeVar

import msgspec

from membound.schema import Open

__all__ = ["as_read", "as_written", "compact", "indented"]

_Struct = TypeVar("_Struct", bound=Open)
_ENCODER: Final = msgspec.json.Encoder()
_UNKNOWN: Final = b'"":'
"""What `Open.loose` begins with, where it is written at all; a text may hold it too."""


def compact(value: Open) -> bytes:
    """Gives JSON without spaces, fields in the order of the schema, unknown ones last.

    Raises:
        InvalidRecordError: the constructor, which checks nothing, was given a bad ``loose``.
        TypeError, ValueError, RecursionError: it was given what JSON cannot carry.
    """
    try:
        text = _ENCODER.encode(value)
    except (TypeError, ValueError):
        return _ENCODER.encode(value.to_dict())  # which takes the members of enumerations for text
    return text if _UNKNOWN not in text else _ENCODER.encode(value.to_dict())


def as_written(text: bytes, struct: type[_Struct]) -> _Struct | None:
    """Reads what was written in the canonical form; None for all else, sound or not.

    A text that comes out of its own value again has no unknown field, no null, no key twice and no
    number that is spelled otherwise: the checks of `parsed` could find nothing in it.
    """
    try:
        value = _decoder(struct).decode(text)
        again = _ENCODER.encode(value)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return None
    return value if indented(again) == text and _UNKNOWN not in again else None


def as_read(value: _Struct, struct: type[_Struct]) -> tuple[_Struct, bytes] | None:
    """Gives a value as `as_written` reads what is written of it, and that text; None as there."""
    try:
        text = _ENCODER.encode(value)
        found = _decoder(struct).decode(text)
        same = _ENCODER.encode(found) == text
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return None
    return (found, indented(text)) if same and _UNKNOWN not in text else None


def indented(text: bytes) -> bytes:
    """Gives JSON as canonical files have it: indented by two spaces, and ended by a new line."""
    return msgspec.json.format(text, indent=2) + b"\n"


@cache
def _decoder(struct: type[_Struct]) -> msgspec.json.Decoder[_Struct]:
    return msgspec.json.Decoder(struct)
