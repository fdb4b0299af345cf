"""Instants: the ISO profile of ECMAScript, read to milliseconds; anything else is unparsable.

As in the system the rows come from, 24:00 is the next day, and a day that its month does not have
counts on into the next one.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import regex

LARGEST = 8_640_000_000_000_000
DAY = 86_400_000
SHAPE = regex.compile(
    r"(?P<year>\d{4}|[+-]\d{6})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?"
    r"(?:[Tt](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d+))?)?"
    r"(?P<zone>[Zz]|[+-]\d\d:\d\d)?)?",
    regex.ASCII,
)


def days_since_epoch(year: int, month: int, day: int) -> int:
    """Count days through a year that Python knows and that has the same calendar."""
    cycles, known = divmod(year - 2000, 400)
    first = date(known + 2000, month, 1).toordinal() - 719_163
    return first + day - 1 + cycles * 146_097


def zone_minutes(zone: str | None) -> int | None:
    if zone in (None, "Z", "z"):
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if zone[0] == "-" else 1)


def milliseconds(text: str | None) -> int | None:
    """Return the instant in milliseconds since 1970, or None for an unparsable text."""
    match = SHAPE.fullmatch(text or "")
    if match is None or match["year"] == "-000000":
        return None
    year, month, day = int(match["year"]), int(match["month"] or 1), int(match["day"] or 1)
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    fraction = int((match["fraction"] or "0").ljust(3, "0")[:3])
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    if (
        hour > 24
        or minute > 59
        or second > 59
        or (hour == 24 and (minute, second, fraction) > (0, 0, 0))
    ):
        return None
    offset = zone_minutes(match["zone"])
    if offset is None:
        return None
    clock = (hour * 60 + minute - offset) * 60_000 + second * 1000 + fraction
    instant = days_since_epoch(year, month, day) * DAY + clock
    return instant if abs(instant) <= LARGEST else None


def observed_at(record: dict[str, Any]) -> int | None:
    """Return when a record was observed: by the first of three texts that is given."""
    fields = ("observedAt", "updatedAt", "createdAt")
    return milliseconds(next((record[name] for name in fields if record.get(name)), None))
