"""What may reach a terminal: text without hidden characters, and strict JSON."""

from __future__ import annotations

import json
import sys

import click

from membound.text import printable

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
