"""The command as a process: help, exit codes, streams, encodings, and a missing extra."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import sleep

import pytest
from click.testing import CliRunner

from membound import _core
from membound.cli.app import commands
from tests.command import Command, strict_json

VERBS = (
    "init", "remember", "recall", "list", "show", "edit", "disable", "forget",
    "import", "export", "rebuild", "doctor", "evaluate", "tune", "bench",
)  # fmt: skip
NASTY = 'naïve 数据 \U0001f600 \x1b[2J\u202e </MEMORY_REFERENCE_DATA> \\ " end'


@pytest.fixture
def membound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path / "store")


def test_help_shows_every_verb_with_its_summary() -> None:
    shown = CliRunner().invoke(commands, ["--help"]).stdout
    assert all(f"  {verb} " in shown for verb in VERBS)
    assert "Exit codes:" in shown
    for verb in VERBS:
        result = CliRunner().invoke(commands, [verb, "--help"])
        assert result.exit_code == 0
        assert result.stdout.startswith(f"Usage: commands {verb} ")
        assert "\b" not in result.stdout


def test_version_is_the_package_s(membound: Command) -> None:
    assert membound.process("--version").stdout.startswith(b"membound ")


@pytest.mark.parametrize("words", [["nonsense"], ["recall"], ["recall", "x", "--limit", "-1"], []])
def test_wrong_usage_exits_with_2(membound: Command, words: list[str]) -> None:
    assert membound(*words).exit_code == 2


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "x"], ["list"], ["show", "x"], ["edit", "x"], ["disable", "x"],
        ["forget", "x"], ["export", "-"], ["rebuild"], ["doctor"],
    ],
)  # fmt: skip
def test_a_missing_store_is_named_and_not_made(membound: Command, words: list[str]) -> None:
    result = membound(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert str(membound.store) in result.stderr
    assert "membound init" in result.stderr
    assert not membound.store.exists()


def test_the_environment_may_name_the_store(tmp_path: Path) -> None:
    where = str(tmp_path / "elsewhere")
    for words in (["init"], ["remember", "tea"], ["list"]):
        result = CliRunner().invoke(commands, words, env={"MEMBOUND_STORE": where})
        assert result.exit_code == 0
    assert (tmp_path / "elsewhere" / "memory").is_dir()


def test_a_store_that_cannot_be_used_exits_with_3(membound: Command) -> None:
    membound.store.mkdir()
    (membound.store / "memory").write_text("a file where the folder should be")
    result = membound("remember", "tea")
    assert result.exit_code == 3
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_a_busy_store_exits_with_3(membound: Command) -> None:
    membound.ok("init")
    lock = _core.WriterLock.try_acquire(membound.store / "memory.lock")
    assert lock is not None
    result = membound("remember", "tea")
    lock.release()
    assert result.exit_code == 3
    assert result.stderr.startswith("error: another writer held the store for ")


def test_an_error_is_one_line_whatever_it_quotes(membound: Command) -> None:
    membound.ok("init")
    result = membound("show", "no\nsuch\x1b[31m")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_encoding_breaks_the_output(membound: Command, encoding: str) -> None:
    membound.remember(NASTY)
    kept = membound.remember("数据库用 PostgreSQL")
    terminal = replace(membound, environment={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    for words in (["list", "--all"], ["show", kept], ["recall", "数据库"], ["doctor"], ["--help"]):
        shown = terminal.process(*words)
        assert shown.returncode == 0
        assert re.fullmatch(
            rb"(note: hidden characters, shown escaped, in \w+\r?\n)?", shown.stderr
        )
        assert shown.stdout.decode(encoding)
    for words in (["list", "--json"], ["export", "-"]):
        lines = terminal.process(*words).stdout.decode(encoding).splitlines()
        assert NASTY in [strict_json(line)["content"] for line in lines]


def test_json_is_all_that_standard_output_carries(membound: Command) -> None:
    membound.remember(NASTY)
    loud = replace(membound, environment={"PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1"})
    for words in (["recall", "naïve end"], ["recall", "nothing of it"], ["doctor"]):
        shown = loud.process(*words, "--json")
        assert isinstance(strict_json(shown.stdout.decode()), dict)
        assert shown.stdout.count(b"\n") == 1


def test_a_closed_pipe_ends_it_quietly(membound: Command) -> None:
    line = '{"content": "' + "word " * 2000 + '%d"}\n'
    membound.ok("import", "-", input="".join(line % number for number in range(40)))
    words = [sys.executable, "-m", "membound.cli", "--store", str(membound.store)]
    for verb in (["list", "--json"], ["export", "-"]):
        with subprocess.Popen(
            [*words, *verb], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(30) == 0


def test_progress_is_shown_on_a_terminal_only(membound: Command) -> None:
    membound.remember("tea")
    assert membound.process("rebuild").stderr == b""
    words = [sys.executable, "-m", "membound.cli", "--store", str(membound.store), "rebuild"]
    screen, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm"}
    shown = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=terminal, check=True, env=environment
    )
    assert shown.stdout.startswith(b"indexed 1 records in ")
    assert b"indexing" in os.read(screen, 2**16)
    os.close(terminal)
    os.close(screen)


def test_an_interrupt_is_a_line_and_130(membound: Command) -> None:
    membound.ok("init")
    # A shell's background job inherits an ignored SIGINT: take it up again.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from membound.cli import main; main()"
    )
    words = [sys.executable, "-c", code, "--store", str(membound.store), "remember", "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # More than a pipe holds: when this returns, the command is reading.
        process.stdin.write(b"x" * 2**20)
        while process.poll() is None:
            # Python misses a signal that falls between two reads until the next one.
            process.send_signal(signal.SIGINT)
            sleep(0.1)
        assert process.stderr.read().endswith(b"error: interrupted\n")
        assert process.returncode == 130


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_a_missing_extra_is_one_line(missing: str) -> None:
    hide = f"import sys; sys.modules[{missing!r}] = None\n"
    shown = python(hide + "from membound.cli import main\nmain()")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == f"error: {missing} is not installed; run: pip install 'membound[cli]'\n"
    tried = (
        "from membound.errors import MissingExtraError\n"
        "try:\n    import membound.cli.app\n"
        "except MissingExtraError as error:\n    print(error.extra, error.package)\n"
    )
    assert python(hide + tried).stdout == f"cli {missing}\n"


def test_the_package_itself_loads_no_extra() -> None:
    loaded = python("import sys, membound\nprint({'click', 'rich'} & sys.modules.keys())")
    assert loaded.stdout == "set()\n"


def test_recall_does_not_pay_for_tables(membound: Command) -> None:
    membound.remember("tea is at four")
    timed = replace(membound, environment={"PYTHONPROFILEIMPORTTIME": "1"})
    shown = timed.process("recall", "tea")
    assert b"membound.cli.place" in shown.stderr
    assert b"rich.table" not in shown.stderr


def test_the_console_script_is_this_command() -> None:
    script = shutil.which("membound", path=str(Path(sys.executable).parent))
    if script is None:
        pytest.skip("the package is on the path but not installed")
    shown = subprocess.run([script, "--version"], capture_output=True, check=True)
    assert shown.stdout.startswith(b"membound ")


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
