"""Days as callers name them: what is none is refused, and never taken for no bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.workspace.sessions.days import day

if TYPE_CHECKING:
    from datetime import date


@given(st.dates())
def test_w15_a_day_of_the_calendar_is_read(value: date) -> None:
    assert day(value.isoformat(), "date_from") == value


REFUSED: tuple[object, ...] = (
    "yesterday",
    "",
    "2026-2-3",
    "2026-02-30",
    "20260203",
    "2026-W06-2",
    "\uff12\uff10\uff12\uff16-02-03",
    "2026-02-03\n",
    "2026-02-03T00:00:00Z",
    None,
    20260203,
    ["2026-02-03"],
)


@pytest.mark.parametrize("value", REFUSED, ids=range(len(REFUSED)))
def test_w15_what_is_no_day_is_refused_by_its_field(value: object) -> None:
    with pytest.raises(InvalidInputError) as refused:
        day(value, "date_from")
    assert refused.value.field == "date_from"
    assert "YYYY-MM-DD" in refused.value.expected
