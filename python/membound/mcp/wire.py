"""The wire: standard input and output, taken for the protocol alone."""

from __future__ import annotations

import os
from typing import BinaryIO

__all__ = ["Wire"]


class Wire:
    """The two ends of the wire, as files of their own.

    Args:
        reader: lines of the client.
        writer: a descriptor that takes ours.
    """

    def __init__(self, reader: BinaryIO, writer: int) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    def claim(cls) -> Wire:
        """Takes descriptors 0 and 1. Whoever else reads finds the end, and who writes, stderr."""
        reader, writer = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # there is no standard error
            os.dup2(nothing, 1)
        os.close(nothing)
        return cls(os.fdopen(reader, "rb"), writer)

    def read(self) -> bytes:
        """Waits for the next line; empty at the end of the input, which a failure is too."""
        try:
            return self._reader.readline()
        except OSError:
            return b""

    def write(self, line: bytes) -> None:
        """Writes a line whole.

        Raises:
            OSError: the client reads no more.
        """
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self._writer, rest) :]
