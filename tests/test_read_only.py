"""A store that may not be written: everything that reads works, and nothing is written anywhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from membound import MemoryPolicy, MemoryStore
from membound.events import FeedbackEvent, retrieved_events
from membound.policy import FeedbackPolicy
from membound.times import timestamp
from tests.apart import on_read_only_mount, tree, without_privileges
from tests.foreign import python
from tests.stores import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READ = """
import sys
from datetime import UTC, datetime
from click.testing import CliRunner
from membound import MemoryPolicy, MemoryStore
from membound.cli.app import commands
from membound.policy import FeedbackPolicy
folder, now = sys.argv[1], datetime(2026, 7, 1, 12, tzinfo=UTC)
policy = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))
with MemoryStore.open(folder, policy=policy, clock=lambda: now) as store:
    found = store.retrieve("tram nine")
    assert found.trace.selected_ids == ("tram",), found.trace
    assert "at nine" in found.context
    state = store.diagnostics()
    assert (found.trace.index_state, state.index_state) == ("degraded", "degraded"), state
    assert "read-only" in state.reason, state.reason
    assert state.canonical_count == 3 and state.feedback.event_count == 1, state
    assert [record.id for record in store.list()] == ["rule", "tram"]
    assert [record.id for record in store.list(include_inactive=True, limit=1)] == ["gone"]
    assert store.get("gone").deleted_at and store.list_directives().records[0].id == "rule"
    assert [record.id for record in store.export()] == ["gone", "rule", "tram"]
    report = store.verify()
    assert (report.checked, report.quarantined) == (3, ()) and "read-only" in report.reason, report
    assert not store.wait_until_ready(0.1) and not store.backfill()
for words in (["recall", "tram nine"], ["list"], ["show", "tram"], ["export", "-"]):
    told = CliRunner().invoke(commands, ["--store", folder, *words], catch_exceptions=False)
    assert told.exit_code == 0 and "tram" in told.stdout, (words, told.output)
told = CliRunner().invoke(commands, ["--store", folder, "doctor"], catch_exceptions=False)
assert told.exit_code in (0, 1) and "read-only" in told.stdout, told.output
"""
CHANGE = """
import json, sys
from membound import MemoryDraft, MemoryStore
from membound.errors import CanonicalFileError, IndexUnavailableError
with MemoryStore.open(sys.argv[1]) as store:
    kept = next(store.export())
    for change in (
        lambda: store.remember("new", scope="user"),
        lambda: store.remember_many([MemoryDraft("new", scope="user")]),
        lambda: store.update("tram", content="other"),
        lambda: store.supersede("tram", "other"),
        lambda: store.delete("tram"),
        lambda: store.purge("tram"),
        lambda: store.disable("tram"),
        lambda: store.restore("gone"),
        lambda: store.import_records([kept], on_conflict="replace"),
        lambda: store.rebuild_index(),
    ):
        try:
            change()
        except CanonicalFileError as error:
            assert "read-only: give this user" in str(error), error
        else:
            raise AssertionError("changed")
"""


@pytest.fixture(params=["closed", "killed while it was open"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A store, and one with the log and shared memory of a writer that died."""
    folder = tmp_path / "store"
    policy = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))
    with MemoryStore.open(folder, policy=policy, clock=lambda: NOW) as store:
        store.remember("the tram leaves at nine", scope="user", id="tram")
        store.remember("say please", scope="user", id="rule", authority="directive")
        store.remember("forgotten tram", scope="user", id="gone")
        store.delete("gone", now=NOW.replace(hour=13))
        store.feedback.append(_event())
    if request.param != "closed":
        script = """
import os, signal, sys
from datetime import UTC, datetime
from membound import MemoryStore
store = MemoryStore.open(sys.argv[1], clock=lambda: datetime(2026, 7, 1, 12, tzinfo=UTC))
store.disable("tram")
store.enable("tram")
os.kill(os.getpid(), signal.SIGKILL)
"""
        with python(script, folder) as killed:
            killed.wait(60)
        assert (folder / "memory-index.sqlite3-wal").stat().st_size > 0
    yield folder
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o700)


def _event() -> tuple[FeedbackEvent, ...]:
    return retrieved_events("thread", "turn", ["tram"], timestamp(NOW))


def read_only(folder: Path, *, files: bool) -> None:
    """Take the right to write from the folders, and from the files too."""
    for path in (*folder.rglob("*"), folder):
        if path.is_dir():
            path.chmod(0o555)
        elif files:
            path.chmod(0o444)


@pytest.mark.parametrize("files", [True, False], ids=["nothing writable", "files writable"])
def test_a_folder_that_its_owner_may_not_write(folder: Path, *, files: bool) -> None:
    read_only(folder, files=files)
    before = tree(folder)
    without_privileges(READ, folder)
    without_privileges(CHANGE, folder)
    assert tree(folder) == before


def test_only_the_data_folder_itself_is_read_only(folder: Path) -> None:
    folder.chmod(0o555)
    before = tree(folder)
    without_privileges(READ, folder)
    without_privileges(CHANGE, folder)
    assert tree(folder) == before


def test_a_folder_of_another_user(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    read_only(folder, files=True)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 65534, 65534)
    before = tree(folder)
    without_privileges(READ, folder)
    without_privileges(CHANGE, folder)
    assert tree(folder) == before


def test_a_read_only_mount(folder: Path) -> None:
    before = tree(folder)
    on_read_only_mount(folder, READ, folder)
    on_read_only_mount(folder, CHANGE, folder)
    assert tree(folder) == before


def test_a_missing_store_under_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    script = """
import sys
from membound import MemoryStore
from membound.errors import CanonicalFileError
try:
    MemoryStore.open(sys.argv[1])
except CanonicalFileError as error:
    assert "let this user" in str(error), error
else:
    raise AssertionError("opened")
"""
    without_privileges(script, tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []
    tmp_path.chmod(0o700)


def test_a_store_goes_on_once_it_may_be_written(tmp_path: Path) -> None:
    script = """
import os, sys
from membound import MemoryStore
import membound.projection
membound.projection._RETRY_SECONDS = 0
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    store.remember("tram at nine", scope="user")
    os.chmod(sys.argv[1], 0o555)
    with MemoryStore.open(sys.argv[1]) as other:
        assert other.retrieve("tram nine").trace.index_state == "degraded"
        os.chmod(sys.argv[1], 0o700)
        assert other.retrieve("tram nine").trace.index_state == "ready"
        other.remember("bus at ten", scope="user")
    assert len(store.retrieve("bus ten").records) == 1
"""
    without_privileges(script, tmp_path)
