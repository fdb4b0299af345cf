"""Numbers that callers pass, checked once."""

from __future__ import annotations

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["unit", "whole"]

_MOST = 2**53 - 1
"""The largest whole number that JSON carries everywhere; no limit is larger."""


def whole(value: object, field: str) -> int:
    """Reads a limit: a fraction is cut off, a negative one counts 0, infinity is the largest.

    Raises:
        InvalidInputError: the value is no number, or is NaN.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124 — NaN alone; math.isnan cannot take a huge int
        raise InvalidInputError(field, "a whole number", excerpt(value))
    return int(min(max(value, 0), _MOST))


def unit(value: object, field: str) -> float:
    """Reads a number from 0 to 1.

    Raises:
        InvalidInputError: the value is no finite number, or is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInputError(field, "a number from 0 to 1", excerpt(value))
    return float(value)
