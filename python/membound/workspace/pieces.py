"""Long text in pieces, each of which fits a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PIECE_CHARACTERS", "pieces"]

PIECE_CHARACTERS: Final = 8_000
"""A record's search tokens have a budget, which prose of this length keeps."""

_ENDS: Final = ("\n#", "\n\n", "\n", " ")


def pieces(text: str) -> Iterator[str]:
    """Parts a text: before a heading that comes late enough, else where a line or a word ends.

    The pieces joined are the text.
    """
    start = 0
    while len(text) - start > PIECE_CHARACTERS:
        end = _end(text, start)
        yield text[start:end]
        start = end
    yield text[start:]


def _end(text: str, start: int) -> int:
    """Gives where a piece that starts there ends, in its second half."""
    least, most = start + PIECE_CHARACTERS // 2, start + PIECE_CHARACTERS
    for mark in _ENDS:
        if (at := text.rfind(mark, least, most)) > 0:
            return at + (1 if mark == "\n#" else len(mark))
    return most
