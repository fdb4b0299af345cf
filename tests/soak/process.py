"""The handle of a worker process: start it, tell it commands, kill it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

    from tests.soak.model import Command

ROOT = __file__.rpartition("/tests/")[0]


class Worker:
    """A process of `tests.soak.worker`; killed, at the latest, at the end of the block.

    Args:
        folder: the store's.
        durability: as of `MemoryStore.open`.
        commands: a file of commands to work through; left out, they are told one by one.
    """

    def __init__(
        self, folder: Path, durability: str = "full", commands: IO[str] | None = None
    ) -> None:
        words = [sys.executable, "-m", "tests.soak.worker", str(folder), durability]
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE if commands is None else commands,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def opened(self) -> Self:
        """Wait until the store is open there."""
        assert [self.hear(), self.hear()] == ["opening", "open"]
        return self

    def tell(self, command: Command) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Any:  # noqa: ANN401 — an answer is JSON
        """The next answer; None if the process has ended before it was whole."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else None

    def ask(self, command: Command) -> Any:  # noqa: ANN401 — an answer is JSON
        self.tell(command)
        return self.hear()

    def memory(self) -> int:
        """Bytes that it holds in memory."""
        pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end(self) -> int:
        """Let it finish its commands and close the store; its exit code."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        return self._process.wait(60)

    def kill(self) -> list[Any]:
        """Kill it (SIGKILL) and give what it had answered and nobody had heard; later, nothing."""
        assert self._process.stdout is not None
        heard: list[Any] = []
        if self._process.stdout.closed:
            return heard
        self._process.kill()
        while (answer := self.hear()) is not None:
            heard.append(answer)
        self._process.wait()
        self._process.stdout.close()
        with suppress(BrokenPipeError):  # a command that was on its way
            if self._process.stdin is not None:
                self._process.stdin.close()
        return heard
