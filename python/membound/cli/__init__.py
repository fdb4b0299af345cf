"""The `membound` command; its libraries come with the extra `cli` and are loaded when it runs.

`main` is what the console script calls, so this package imports nothing beyond the standard
library: a missing extra becomes one line for the person at the terminal. `membound.cli.app`, which
holds the commands, raises `MissingExtraError` when it is imported without the extra.
"""

from __future__ import annotations

import sys

from membound.cli.streams import discard_unwritten, open_missing
from membound.errors import MissingExtraError

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process with its exit code."""
    open_missing()
    try:
        from membound.cli.app import run  # noqa: PLC0415 — click and rich are optional
    except MissingExtraError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(2) from None
    try:
        run()
    finally:
        discard_unwritten()
