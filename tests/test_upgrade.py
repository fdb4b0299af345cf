"""Upgrading: what it would change is told, and no moment of it leaves a store without settings."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from membound import MemoryStore
from membound.comparison import Question
from membound.doctor import examine
from membound.errors import CanonicalFileError, InvalidInputError, StoreBusyError
from tests.command import Command
from tests.stores import NOW, recalled, say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FILE = "memory-settings.json"
QUERY = "July 15th, 2026"
SAID = "the dentist comes on 2026-07-15"
"""What `v2` alone finds by the query."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of v1, with some records."""
    with MemoryStore.open(tmp_path, tokenizer="v1") as store:
        say(store, SAID, now=NOW, subject="the gateway", tags=["net"])
        say(store, "Anna drinks green tea. Bob does not.", now=NOW.replace(year=2024))
    return tmp_path


def of(store: MemoryStore) -> tuple[str, list[str]]:
    """Return what the store goes by, and what it finds."""
    trace = store.retrieve(QUERY, now=NOW).trace
    return trace.tokenizer_version, recalled(store, QUERY, now=NOW)


def noted(folder: Path) -> str:
    tokenizer: str = json.loads((folder / FILE).read_bytes())["tokenizer"]
    return tokenizer


def test_a_new_store_has_v2_and_recalls_by_it(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path) as store:
        say(store, SAID, now=NOW)
        assert store.retrieve(QUERY, now=NOW).trace.relevance_mode == "foundation-v2"
        assert of(store) == ("v2", [SAID])
    assert noted(tmp_path) == "v2"


def test_there_and_back_again(folder: Path) -> None:
    with MemoryStore.open(folder) as store:
        assert of(store) == ("v1", [])
        assert store.upgrade()
        assert not store.upgrade()
        assert of(store) == ("v2", [SAID])
        assert store.retrieve(QUERY, now=NOW).trace.mode == "sqlite-fts5"
        assert store.verify().ok
        assert noted(folder) == "v2"
        with pytest.raises(InvalidInputError, match="v2, which this store has"):
            MemoryStore.open(folder, tokenizer="v1")
        assert store.upgrade("v1")
        assert of(store) == ("v1", [])
        assert store.verify().ok
    with MemoryStore.open(folder) as store:
        assert of(store) == ("v1", [])


@pytest.mark.parametrize("index", [True, False])
def test_who_has_the_store_open_follows(folder: Path, *, index: bool) -> None:
    with MemoryStore.open(folder) as store, MemoryStore.open(folder, index=index) as other:
        assert of(other) == ("v1", [])
        assert store.upgrade()
        assert of(other) == ("v2", [SAID])
        say(other, "another record", now=NOW)
        assert recalled(store, "another record", now=NOW) == ["another record"]
        if index:
            assert other.retrieve(QUERY, now=NOW).trace.mode == "sqlite-fts5"
            assert store.verify().ok


OTHER = """
import sys
from datetime import UTC, datetime
from membound import MemoryStore

now = datetime(2024, 5, 1, 12, tzinfo=UTC)
with MemoryStore.open(sys.argv[1]) as store:
    for line in sys.stdin:
        verb, _, text = line.strip().partition(" ")
        if verb == "say":
            store.remember(text, scope="user", now=now)
        result = store.retrieve(text, now=now)
        told = result.trace.tokenizer_version, result.trace.mode, len(result.records)
        print(*told, flush=True)
"""


class Other:
    """Another process that has the store open."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", OTHER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, verb: str, text: str) -> list[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{verb} {text}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().split()

    def close(self) -> None:
        self._process.communicate(timeout=60)
        assert self._process.returncode == 0


@pytest.fixture
def other(folder: Path) -> Iterator[Other]:
    process = Other(folder)
    yield process
    process.close()


def test_another_process_follows_and_neither_undoes_the_other(folder: Path, other: Other) -> None:
    assert other("ask", QUERY) == ["v1", "sqlite-fts5", "0"]
    with MemoryStore.open(folder) as store:
        assert store.upgrade()
        identity = (folder / "memory-index.sqlite3").stat().st_ino
        for number in range(5):
            assert other("ask", QUERY) == ["v2", "sqlite-fts5", "1"]
            assert other("say", f"walnut{number}") == ["v2", "sqlite-fts5", "1"]
            assert of(store) == ("v2", [SAID])
            assert recalled(store, f"walnut{number}", now=NOW) == [f"walnut{number}"]
        # Nobody made the index anew for a tokenizer of the past.
        assert (folder / "memory-index.sqlite3").stat().st_ino == identity
        assert store.upgrade("v1")
        assert other("ask", QUERY) == ["v1", "sqlite-fts5", "0"]
        assert store.verify().ok


STOPPED = """
import os, signal, sys
from membound import MemoryStore, _core, settings

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def die_after(function):
    def call(*arguments, **options):
        function(*arguments, **options)
        die()
    return call

store = MemoryStore.open(sys.argv[1])
match sys.argv[2]:
    case "before it is moved":
        settings.move = die
    case "after it is moved":
        settings.move = die_after(settings.move)
    case "before the index":
        store._session.projection.rebuild = die
    case "within the index":
        from membound.backfill import Backfill
        Backfill.run = die
store.upgrade()
"""


@pytest.mark.parametrize(
    ("step", "left"),
    [
        ("before it is moved", "v1"),
        ("after it is moved", "v2"),
        ("before the index", "v2"),
        ("within the index", "v2"),
    ],
)
def test_a_stop_leaves_the_former_settings_or_the_new_ones(
    folder: Path, other: Other, step: str, left: str
) -> None:
    assert other("ask", QUERY) == ["v1", "sqlite-fts5", "0"]
    process = subprocess.run([sys.executable, "-c", STOPPED, str(folder), step], check=False)
    assert process.returncode == -signal.SIGKILL
    assert noted(folder) == left
    found = "1" if left == "v2" else "0"
    version, _, records = other("ask", QUERY)
    assert (version, records) == (left, found)
    with MemoryStore.open(folder) as store:
        assert of(store) == (left, [SAID] if left == "v2" else [])
        assert store.wait_until_ready(60)
        assert of(store) == (left, [SAID] if left == "v2" else [])
        assert store.verify().ok
    assert other("ask", QUERY)[::2] == [left, found]


def test_a_busy_store_is_not_upgraded(folder: Path) -> None:
    with MemoryStore.open(folder) as store, MemoryStore.open(folder) as writer:
        writer._session.writer._timeout = store._session.writer._timeout = 0.1  # noqa: SLF001 — a short wait
        with writer._session.writer.held(), pytest.raises(StoreBusyError):  # noqa: SLF001 — at work
            in_thread(store.upgrade)
        assert noted(folder) == "v1"
        assert of(store) == ("v1", [])


def in_thread(call: Any) -> None:  # noqa: ANN401 — any call
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 — one use

    with ThreadPoolExecutor(1) as pool:
        pool.submit(call).result()


def test_settings_that_become_unreadable_under_an_open_store_are_named(folder: Path) -> None:
    with MemoryStore.open(folder) as store:
        assert of(store) == ("v1", [])
        spare = folder / "spare"
        spare.write_text('{"tokenizer": "v9"}')
        spare.replace(folder / FILE)
        with pytest.raises(CanonicalFileError, match=FILE):
            store.retrieve(QUERY, now=NOW)


def test_lost_settings_are_those_that_the_index_was_made_with(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with MemoryStore.open(folder) as store:
        store.upgrade()
        (folder / FILE).unlink()
        assert of(store) == ("v2", [SAID])
    assert FILE in next(one.what for one in examine(folder) if one.severity != "ok")
    with caplog.at_level(logging.WARNING, "membound"), MemoryStore.open(folder) as store:
        assert of(store) == ("v2", [SAID])
    assert "settings were lost" in caplog.text
    assert noted(folder) == "v2"
    assert all(one.severity == "ok" for one in examine(folder))


def test_an_older_store_without_settings_stays_one(folder: Path) -> None:
    (folder / FILE).unlink()
    for _ in range(2):
        with MemoryStore.open(folder) as store:
            assert of(store) == ("v1", [])
    (folder / "memory-index.sqlite3").write_bytes(b"no index at all")
    with MemoryStore.open(folder) as store:
        assert of(store)[0] == "v1"
    assert not (folder / FILE).exists()


def test_a_comparison_counts_and_changes_nothing(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.glob("memory*/*")}
    with MemoryStore.open(folder) as store:
        asked = [
            Question(query=QUERY),
            Question(query="green tea"),
            Question(query="xylophone"),
            Question(query="what does it look like?"),
        ]
        compared = store.compare_recall(questions=asked, now=NOW)
        assert (compared.before, compared.after) == ("v1", "v2")
        assert (compared.same, compared.other, compared.emptied, compared.filled) == (3, 0, 0, 1)
        [example] = compared.examples
        assert (example.query, example.before) == (QUERY, ())
        assert [store.get(id).content for id in example.after] == [SAID]
        back = store.compare_recall("v1", asked, now=NOW)
        assert back.same == back.queries == 4
        assert of(store) == ("v1", [])
    assert noted(folder) == "v1"
    assert {path: path.read_bytes() for path in folder.glob("memory*/*")} == before


def test_the_questions_made_of_records_are_always_the_same(folder: Path) -> None:
    with MemoryStore.open(folder) as store:
        for number in range(300):
            say(store, f"fruit number{number} is ripe. It fell.", id=f"m{number:03}", now=NOW)
        store.delete("m000", now=NOW)
        first, second = (store.compare_recall(now=NOW) for _ in range(2))
        assert first == second
        assert 50 <= first.queries <= 100


@pytest.mark.parametrize("wrong", ["v9", 2, None])
def test_only_a_tokenizer_is_gone_over_to(folder: Path, wrong: Any) -> None:  # noqa: ANN401 — anything
    with MemoryStore.open(folder) as store:
        for verb in (store.upgrade, partial(store.compare_recall, questions=[])):
            with pytest.raises(InvalidInputError, match="tokenizer"):
                verb(wrong)
        with pytest.raises(InvalidInputError, match=r"questions\.0"):
            store.compare_recall(questions=[wrong])


def test_the_command_compares_asks_and_goes_over(folder: Path, tmp_path: Path) -> None:
    command = Command(folder)
    queries = tmp_path / "asked.txt"
    queries.write_text(f'{QUERY}\n\n{{"query": "green tea"}}\nxylophone\n')
    told = command.ok("upgrade", "--queries", str(queries), "--dry-run")
    assert "of 3 queries" in told
    assert QUERY in told
    assert noted(folder) == "v1"
    declined = command("upgrade", input="n\n")
    assert (declined.exit_code, noted(folder)) == (1, "v1")
    assert "nothing was changed" in declined.stderr
    assert command("upgrade").exit_code == 130
    told = command.ok("upgrade", "--queries", str(queries), "--yes")
    assert "went over from v1 to v2" in told
    assert noted(folder) == "v2"
    assert "already" in command.ok("upgrade", "--yes")
    back = command.json("upgrade", str(folder), "--tokenizer", "v1", "--yes")
    assert (back["moved"], back["before"], back["after"]) == (True, "v2", "v1")
    assert noted(folder) == "v1"


@pytest.mark.parametrize("line", ['{"query": 1}', '{"quer": "x"}', "{", "\udcff"])
def test_a_line_that_is_no_query_is_named(folder: Path, tmp_path: Path, line: str) -> None:
    queries = tmp_path / "asked.txt"
    queries.write_bytes(f"tea\n{line}\n".encode(errors="surrogateescape"))
    refused = Command(folder)("upgrade", "--queries", str(queries), "--yes")
    assert refused.exit_code == 2
    assert "asked.txt:2" in refused.stderr
    assert noted(folder) == "v1"


def test_there_must_be_a_store(tmp_path: Path) -> None:
    assert Command(tmp_path / "none")("upgrade", "--yes").exit_code == 2
    assert not (tmp_path / "none").exists()
