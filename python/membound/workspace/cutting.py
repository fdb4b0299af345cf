"""Cutting text between two characters as readers see them, never inside of one."""

from __future__ import annotations

from membound import _core
from membound.text import well_formed

__all__ = ["cut"]


def cut(text: str, most: int, end: str = "") -> str:
    """Gives as much of a text's start as lies within so many code points and is whole.

    Where not one character is whole within, the cut is inside of the first.

    Args:
        text: any text.
        most: code points that are kept.
        end: put behind it where it was cut, such as an ellipsis.
    """
    return text if len(text) <= most else _core.cut(well_formed(text), most) + end
