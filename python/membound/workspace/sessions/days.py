"""Days as callers name them."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["day"]

_FORM: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def day(text: object, field: str) -> date:
    """Reads a day of UTC, such as ``2026-02-20``.

    Raises:
        InvalidInputError: it is none of the calendar, or written otherwise.
    """
    if isinstance(text, str) and _FORM.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass  # no such day: refused as any other text
    raise InvalidInputError(field, "a day of the calendar as YYYY-MM-DD", excerpt(text))
