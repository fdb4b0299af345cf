"""Times of files, of which some systems keep what no calendar reaches."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.times import after
from membound.workspace import Workspace

WIDE = Path("/dev/shm")  # noqa: S108 — its files may be of any time


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_what_the_nanoseconds_since_the_epoch_say(moment: datetime) -> None:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    microseconds = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    assert after(microseconds * 1_000) == after(microseconds * 1_000 + 999) == moment


@given(st.integers())
def test_there_is_a_moment_for_any_number(nanoseconds: int) -> None:
    assert datetime.min.replace(tzinfo=UTC) <= after(nanoseconds)
    assert after(nanoseconds) <= datetime.max.replace(tzinfo=UTC)


@pytest.mark.skipif(not WIDE.is_dir(), reason="no file system with such times")
@pytest.mark.parametrize("seconds", [-(2**62), -(10**12), 4 * 10**11, 253_402_300_800, 2**62])
def test_a_note_of_an_impossible_time_is_a_note(seconds: int) -> None:
    with TemporaryDirectory(dir=WIDE) as folder:
        place = Path(folder)
        with Workspace.open(place, root=place / "stores", environment={}) as workspace:
            workspace.remember("frost", "the frost alarm")
            os.utime(workspace.path / "memory/frost.md", (0, seconds))
            assert [one.key for one in workspace.list().items] == ["frost"]
            assert [one.key for one in workspace.search("frost alarm").items] == ["frost"]
            assert workspace.bootstrap().memory_index_tree
            assert workspace.remember("frost", "again").created is False
