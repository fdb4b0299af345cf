"""Times as canonical JSON text, and what instant such a text names."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["DATETIME_PATTERN", "EPOCH", "instant", "milliseconds", "timestamp"]

EPOCH = "1970-01-01T00:00:00.000Z"

DATETIME_PATTERN = (
    r"\A(?:(?:[0-9]{2}(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29"
    r"|[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])))"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z\Z"
)
"""The strict form: a real calendar date, seconds given, UTC written as an upper-case Z."""

_AWARE = "an aware datetime; use datetime.now(UTC), or .astimezone() on a naive local one"
_MILLISECOND = timedelta(milliseconds=1)
_START = datetime(1970, 1, 1, tzinfo=UTC)

_LENIENT = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?)?)?)?",
)


def timestamp(moment: datetime, field: str = "now") -> str:
    """Gives the UTC text with milliseconds, such as ``2026-07-01T12:00:00.000Z``.

    Raises:
        InvalidInputError: the moment is no datetime, is naive, or is out of the range of years.
    """
    return _utc(moment, field).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(moment: datetime, field: str = "now") -> int:
    """Gives the whole milliseconds since the epoch, rounded down.

    Raises:
        InvalidInputError: as for `timestamp`.
    """
    return (_utc(moment, field) - _START) // _MILLISECOND


def instant(text: str) -> datetime | None:
    """Reads the ECMAScript ISO profile; None for every other notation.

    A date alone is midnight UTC, and a time without a zone is read as UTC, so that the answer
    depends on the text only. Fractions are cut to milliseconds.
    """
    match = _LENIENT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        local = datetime(
            int(year),
            int(month or 1),
            int(day or 1),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            int((fraction or "")[:3].ljust(3, "0")) * 1000,
            tzinfo=UTC,
        )
        return local - _offset(zone)
    except (ValueError, OverflowError):
        return None


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone in "Zz":
        return timedelta()
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:  # noqa: PLR2004 — a day has 24 hours of 60 minutes
        raise ValueError(zone)
    offset = timedelta(hours=hours, minutes=minutes)
    return -offset if zone[0] == "-" else offset


def _utc(moment: datetime, field: str) -> datetime:
    if not isinstance(moment, datetime):
        raise InvalidInputError(field, _AWARE, excerpt(moment))
    if moment.utcoffset() is None:
        raise InvalidInputError(field, _AWARE, f"the naive {moment.isoformat()}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        wanted = "a moment in the years 1 to 9999 of UTC"
        raise InvalidInputError(field, wanted, moment.isoformat()) from None
