"""Times as canonical JSON text, and what instant such a text names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from membound import _core
from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = [
    "DATETIME_PATTERN",
    "EPOCH",
    "START",
    "after",
    "instant",
    "milliseconds",
    "moment",
    "timestamp",
    "utc",
]

EPOCH = "1970-01-01T00:00:00.000Z"
START = datetime(1970, 1, 1, tzinfo=UTC)
"""The same as a datetime."""

DATETIME_PATTERN = (
    r"\A(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z\Z"
)
"""The strict form: a real calendar date, seconds given, UTC written as an upper-case Z."""

_AWARE = "an aware datetime; use datetime.now(UTC), or .astimezone() on a naive local one"
_MILLISECOND = timedelta(milliseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - START) // timedelta(microseconds=1)
_LAST = (datetime.max.replace(tzinfo=UTC) - START) // timedelta(microseconds=1)


def utc(moment: datetime, field: str = "now") -> datetime:
    """Gives the same moment in UTC.

    Raises:
        InvalidInputError: the moment is no datetime, is naive, or is out of the range of years.
    """
    if not isinstance(moment, datetime):
        raise InvalidInputError(field, _AWARE, excerpt(moment))
    if moment.utcoffset() is None:
        raise InvalidInputError(field, _AWARE, f"the naive {moment.isoformat()}")
    if moment.tzinfo is UTC:
        return moment
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        wanted = "a moment in the years 1 to 9999 of UTC"
        raise InvalidInputError(field, wanted, moment.isoformat()) from None


def timestamp(moment: datetime, field: str = "now") -> str:
    """Gives the UTC text with milliseconds, such as ``2026-07-01T12:00:00.000Z``.

    Raises:
        InvalidInputError: as for `utc`.
    """
    return utc(moment, field).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(moment: datetime, field: str = "now") -> int:
    """Gives the whole milliseconds since the epoch, rounded down.

    Raises:
        InvalidInputError: as for `utc`.
    """
    return (utc(moment, field) - START) // _MILLISECOND


def instant(text: str) -> datetime | None:
    """Reads the ECMAScript ISO profile; None for other notations, and beyond the years 1 to 9999.

    A date alone is midnight UTC, and a time without a zone is read as UTC, so that the answer
    depends on the text only. Fractions are cut to milliseconds.
    """
    found = _core.instant(text)
    try:
        return None if found is None else START + found * _MILLISECOND
    except OverflowError:
        return None


def moment(text: str | None) -> datetime:
    """Gives the instant that a text names; one that names none is as old as the epoch."""
    return (None if text is None else instant(text)) or START


def after(nanoseconds: int) -> datetime:
    """Gives the moment so long after the epoch; where there is none, the nearest one.

    Of files, some systems keep times that no calendar reaches.
    """
    microseconds = nanoseconds // 1_000
    return START + timedelta(microseconds=min(max(microseconds, _FIRST), _LAST))
