"""What may reach a terminal: text without hidden characters, and strict JSON."""

from __future__ import annotations

import json
import re
import sys

import click

__all__ = [
    "echo",
    "echo_json",
    "examples",
    "json_line",
    "note",
    "one_line",
    "printable",
    "printable_lines",
]

# Controls, surrogates, and what the core hides in a block (`is_hidden` in context.rs): whatever a
# terminal acts on, or a reader cannot see.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def printable(text: str) -> str:
    """Show every control, bidi and zero-width character as its JSON escape, line ends included."""
    return _HIDDEN.sub(_escape, text)


def printable_lines(text: str) -> str:
    """Do as `printable` does, but keep the line feeds."""
    return "\n".join(printable(line) for line in text.split("\n"))


def one_line(text: str, width: int) -> str:
    """Fold white space, make it printable and cut it to `width` characters."""
    folded = printable(" ".join(text.split()))
    return folded if len(folded) <= width else folded[: max(0, width - 3)] + "..."


def json_line(value: object, *, ascii_only: bool = False) -> str:
    """Encode strict JSON on one line; hidden characters are escaped, which loses nothing."""
    return printable(json.dumps(value, ensure_ascii=ascii_only, allow_nan=False))


def echo_json(value: object) -> None:
    """Print one JSON line in what the standard output's encoding can carry."""
    unicode = (sys.stdout.encoding or "ascii").lower().startswith("utf")
    echo(json_line(value, ascii_only=not unicode))


def echo(text: str, *, end: bool = True) -> None:
    """Print a text in the encoding that standard output has; click by itself would change ASCII."""
    click.echo(text, file=sys.stdout, nl=end)


def note(message: str) -> None:
    """Tell the person something that is no part of the output."""
    click.echo(printable(message), file=sys.stderr)


def examples(*lines: str, heading: str = "Examples") -> str:
    """Lay out lines for the end of a help text; the backspace keeps click from joining them."""
    return "\n".join(("\b", f"{heading}:", *(f"  {line}" for line in lines)))


def _escape(match: re.Match[str]) -> str:
    """Spell one character as JSON does, with a surrogate pair beyond the basic plane."""
    code = ord(match.group())
    if code <= 0xFFFF:  # noqa: PLR2004 — the last code point of the basic plane
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
