"""How a command ends: its exit codes, and the one line that says why."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import click

from membound.cli.text import printable

__all__ = ["NEGATIVE", "Declined", "Failure", "Interrupted", "Unavailable", "agreed"]

NEGATIVE: Final = 1  # an honest no: nothing found, problems found, lines skipped


class Failure(click.ClickException):
    """Bad input or wrong usage: one line on standard error, and exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:  # noqa: ANN401 — click's signature
        """Print the line; control characters in it are escaped."""
        with suppress(OSError):  # where nothing can be told the exit code still is
            click.echo(f"error: {printable(self.format_message())}", file=file, err=file is None)


class Declined(Failure):
    """The person said no."""

    exit_code = NEGATIVE


class Unavailable(Failure):
    """The store is busy, or cannot be used."""

    exit_code = 3


class Interrupted(Failure):
    """Ctrl-C, or the end of input where an answer was needed; the code is the shells' own."""

    exit_code = 130


def agreed(question: str) -> bool:
    """Ask the person a question of yes or no; without an answer the command ends."""
    try:
        return click.confirm(question, err=True)
    except click.Abort as error:
        raise Interrupted("no answer; --yes does not ask") from error
