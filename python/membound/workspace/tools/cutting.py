"""Cutting text between two characters as readers see them, never inside of one."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["cut"]

_JOINER: Final = "\u200d"
# What belongs to the character before it, though its category is not that of a mark.
_EXTENDING: Final = frozenset("\u200c\u200d\uff9e\uff9f\u0e33\u0eb3")
_RANGES: Final = ((0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F), (0x1160, 0x11FF), (0xD7B0, 0xD7FB))
_REGIONAL: Final = (0x1F1E6, 0x1F1FF)
_LEADING: Final = ((0x1100, 0x115F), (0xA960, 0xA97C))
_HANGUL: Final = (*_LEADING, (0xAC00, 0xD7A3))


def cut(text: str, most: int) -> str:
    """Gives as much of a text's start as lies within so many code points and is whole.

    Where not one character is whole within, the cut is inside of the first.
    """
    if len(text) <= most:
        return text
    at = most
    while at > 0 and _belongs_together(text, at):
        at -= 1
    return text[: at or most]


def _belongs_together(text: str, at: int) -> bool:
    """Tells whether what lies before and behind a position is one character to a reader."""
    before, behind = text[at - 1], text[at]
    if behind.isascii():
        return before == "\r" and behind == "\n"
    return (
        behind in _EXTENDING
        or before == _JOINER
        or unicodedata.category(behind)[0] == "M"
        or any(_within(behind, limits) for limits in _RANGES)
        or (_within(behind, _REGIONAL) and _is_half_of_flag(text, at))
        or (_is_any(before, _LEADING) and _is_any(behind, _HANGUL))
    )


def _is_half_of_flag(text: str, at: int) -> bool:
    """Tells whether an odd number of regional letters stands right before a position."""
    first = at
    while first > 0 and _within(text[first - 1], _REGIONAL):
        first -= 1
    return (at - first) % 2 == 1


def _is_any(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(_within(char, limits) for limits in ranges)


def _within(char: str, limits: tuple[int, int]) -> bool:
    return limits[0] <= ord(char) <= limits[1]
