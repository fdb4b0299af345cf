"""The standard streams: there is one of each, and the process ends without a word of theirs."""

from __future__ import annotations

import os
import sys

__all__ = ["discard_unwritten", "open_missing"]

_NAMES = ("stdin", "stdout", "stderr")


def open_missing() -> None:
    """Open the null device for each standard stream that the process was started without.

    Else a file of the store would get the number of a closed one, and what is meant for the stream.
    """
    last = len(_NAMES) - 1
    while (number := os.open(os.devnull, os.O_RDWR)) <= last:
        os.set_inheritable(number, True)
    os.close(number)
    for number, name in enumerate(_NAMES):
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 — it stays
            setattr(sys, name, stream)


def discard_unwritten() -> None:
    """Send nowhere what an output did not take: Python would try again at the end, and complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
