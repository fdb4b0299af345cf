"""Times: aware moments become canonical text, and text becomes the instant it names."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound import _core
from membound.errors import InvalidInputError
from membound.times import DATETIME_PATTERN, instant, milliseconds, timestamp
from tests.oracle import dates

zones = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
aware = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=zones)  # noqa: DTZ001 — bounds are naive


near_the_profile = st.from_regex(
    r"(\d{4}|[+-](0{3}|27[56])\d{3})(-(0\d|1[0-3])(-[0-3]\d)?)?"
    r"([Tt ]([01]\d|2[0-5]):[0-6]\d(:[0-6]\d(\.\d{0,4})?)?([Zz]|[+-][0-2]\d:[0-6]\d)?)?",
    fullmatch=True,
    alphabet=st.characters(max_codepoint=127),
)
edges = [
    f"{sign}{year}-{day}T{time}Z"
    for sign, year, day in [("+", "275760", "09-13"), ("-", "271821", "04-20")]
    for time in ("00:00:00", "00:00:00.001", "24:00")
] + ["+275760-09-13T00:00-00:01", "-271821-04-19T23:59:59.999Z", "-271821-04-20T00:00+00:01"]


@given(near_the_profile)
def test_an_instant_is_the_oracles(text: str) -> None:
    assert _core.instant(text) == dates.milliseconds(text)


@pytest.mark.parametrize("text", edges)
def test_the_range_of_instants_is_the_oracles(text: str) -> None:
    assert _core.instant(text) == dates.milliseconds(text)


@given(aware)
def test_a_moment_and_its_text_name_the_same_millisecond(moment: datetime) -> None:
    text = timestamp(moment)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    assert re.search(DATETIME_PATTERN, text)
    read = instant(text)
    assert read is not None
    assert timedelta() <= moment - read < timedelta(milliseconds=1)
    assert milliseconds(moment) == milliseconds(read)


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 7, 1),  # noqa: DTZ001 — what is to be refused
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
        "2026-07-01",
        None,
        0,
    ],
    ids=str,
)
@pytest.mark.parametrize("helper", [timestamp, milliseconds])
def test_what_is_no_moment_of_utc_is_refused_by_name(helper: Any, moment: Any) -> None:  # noqa: ANN401 — of any type
    with pytest.raises(InvalidInputError) as refused:
        helper(moment, "valid_from")
    assert refused.value.field == "valid_from"


def test_a_naive_datetime_is_refused_with_the_way_to_fix_it() -> None:
    with pytest.raises(InvalidInputError, match=r"datetime\.now\(UTC\).*astimezone"):
        timestamp(datetime(2026, 7, 1))  # noqa: DTZ001 — what is to be refused


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-07", datetime(2026, 7, 1, tzinfo=UTC)),
        ("2026-07-02", datetime(2026, 7, 2, tzinfo=UTC)),
        ("2026-07-02T03:04", datetime(2026, 7, 2, 3, 4, tzinfo=UTC)),
        ("2026-07-02t03:04:05z", datetime(2026, 7, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-07-02T03:04:05.6789Z", datetime(2026, 7, 2, 3, 4, 5, 678_000, tzinfo=UTC)),
        ("2026-07-02T03:04+08:30", datetime(2026, 7, 1, 18, 34, tzinfo=UTC)),
    ],
)
def test_the_lenient_profile_is_read(text: str, moment: datetime) -> None:
    assert instant(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nope",
        "26",
        "2026-7-1",
        "2026-07-01 00:00",
        "2026-07-01T00:00+24:00",
        "2026-07-01T00:00Z\n",
        "٢٠٢٦",
        "0000-01-01",
        "2026-07-01T",
    ],
)
def test_other_notations_name_no_instant(text: str) -> None:
    assert instant(text) is None


@given(st.integers(1, 9999), st.integers(0, 13), st.integers(0, 32))
def test_the_strict_form_takes_exactly_the_days_of_the_calendar(
    year: int, month: int, day: int
) -> None:
    text = f"{year:04d}-{month:02d}-{day:02d}T00:00:00Z"
    try:
        datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        assert not re.search(DATETIME_PATTERN, text)
    else:
        assert re.search(DATETIME_PATTERN, text)
