"""The command where a standard stream is closed or full: a code, at most a line, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import Command

VERBS = [
    ["--help"], ["list", "--help"], ["list"], ["list", "--json"], ["export", "-"],
    ["recall", "tea at four"], ["doctor"],
]  # fmt: skip
WRONG = [["nonsense"], ["list", "--limit", "x"], ["show", "none"], ["forget", "none", "--purge"]]
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture
def membound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    made = Command(tmp_path / "store")
    made.ok("import", "-", input='{"id": "k", "content": "tea is at four"}\n')
    return made


def through(membound: Command, streams: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a verb in a process of its own, its streams redirected by the shell."""
    command = [sys.executable, "-m", "membound.cli", "--store", str(membound.store), *words]
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"PYTHONDEVMODE": "1"},
    )


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_taken_for_an_empty_one(
    membound: Command, streams: str, words: list[str]
) -> None:
    done = through(membound, streams, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == (" >&-" not in f" {streams}")
    assert membound.json("doctor")["healthy"]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_what_is_wrong_exits_with_2_whether_or_not_it_can_be_told(
    membound: Command, words: list[str]
) -> None:
    for streams in (">&-", "2>&-", "<&- >&- 2>&-"):
        done = through(membound, streams, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr
        assert bool(done.stderr) == ("2>" not in streams)


@full
@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_full_output_is_a_line_and_2(membound: Command, words: list[str]) -> None:
    done = through(membound, "> /dev/full", *words)
    assert done.returncode == 2
    assert done.stderr == "error: [Errno 28] No space left on device\n"
    silent = through(membound, "> /dev/full 2> /dev/full", *words)
    assert silent.returncode == 2


@full
@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_an_error_that_cannot_be_told_keeps_its_code(membound: Command, words: list[str]) -> None:
    done = through(membound, "2> /dev/full", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_what_is_read_from_a_closed_input_is_empty(membound: Command) -> None:
    done = through(membound, "<&-", "import", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("imported 0, ")
    assert through(membound, "<&- >&- 2>&-", "forget", "k", "--purge").returncode == 130
    assert membound.json("show", "k")["content"] == "tea is at four"


def test_a_missing_extra_needs_no_stream(membound: Command) -> None:
    code = "import sys; sys.modules['click'] = None\nfrom membound.cli import main\nmain()"
    words = [sys.executable, "-c", code]
    closed = ["/bin/sh", "-c", 'exec "$@" >&- 2>&-', "sh", *words]
    assert subprocess.run(closed, check=False, cwd=membound.store).returncode == 2


def test_a_pipe_that_nobody_reads_ends_the_help_quietly(membound: Command) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-m", "membound.cli", "--store", str(membound.store)]
    for verb in (["--help"], ["list", "--help"], ["list"]):
        done = subprocess.run(
            [*words, *verb], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, b"")
    os.close(writing)
