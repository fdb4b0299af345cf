"""Numbers that callers pass, checked once."""

from __future__ import annotations

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["MOST", "count", "seconds", "unit", "whole"]

MOST = 2**53 - 1
"""The largest whole number that JSON carries everywhere; no limit is larger."""


def whole(value: object, field: str) -> int:
    """Reads a limit: a fraction is cut off, a negative one counts 0, infinity is the largest.

    Raises:
        InvalidInputError: the value is no number, or is NaN.
    """
    return int(_bounded(value, field, "a whole number"))


def seconds(value: object, field: str) -> float:
    """Reads how long to wait: a negative time counts 0, infinity is the longest.

    Raises:
        InvalidInputError: the value is no number, or is NaN.
    """
    return float(_bounded(value, field, "a number of seconds"))


def count(value: object, field: str, least: int, most: int = MOST) -> int:
    """Reads a whole number within bounds.

    Raises:
        InvalidInputError: the value is no whole number, or is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        expected = f"a whole number from {least:,} to {most:,}"
        raise InvalidInputError(field, expected, excerpt(value))
    return int(value)


def unit(value: object, field: str) -> float:
    """Reads a number from 0 to 1.

    Raises:
        InvalidInputError: the value is no finite number, or is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInputError(field, "a number from 0 to 1", excerpt(value))
    return float(value)


def _bounded(value: object, field: str, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124 — NaN alone; math.isnan cannot take a huge int
        raise InvalidInputError(field, expected, excerpt(value))
    return min(max(value, 0), MOST)
