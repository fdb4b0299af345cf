"""Short, safe, single-line descriptions of refused values, for error messages."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["excerpt"]

_CHARACTERS = 40
_BITS = 128


def excerpt(value: object) -> str:
    """Describes a value in one short line of printable ASCII.

    Containers are counted, never shown; text is cut; a number too long to read is measured.
    """
    match value:
        case None:
            shown = "null"
        case bool():
            shown = "true" if value else "false"
        case str():
            shown = _quoted(str.__str__(value))
        case int() if value.bit_length() > _BITS:
            shown = f"a whole number of {value.bit_length():,} bits"
        case int():
            shown = int.__repr__(value)
        case float():
            shown = float.__repr__(value)
        case list() | tuple():
            shown = f"a list of {len(value):,}"
        case Mapping():
            shown = "an object"
        case _:
            shown = f"a value of type {ascii(type(value).__name__[:_CHARACTERS])[1:-1]}"
    return shown


def _quoted(text: str) -> str:
    if len(text) <= _CHARACTERS:
        return ascii(text)
    return f"{text[:_CHARACTERS]!a}... ({len(text):,} characters)"
