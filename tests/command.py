"""The command line under test: in this process through click, or in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner, Result

from membound.cli.app import commands

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Command", "strict_json"]


@dataclass(frozen=True)
class Command:
    """`membound --store STORE` with what follows."""

    store: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, input: str | bytes | None = None) -> Result:
        """Run a verb in this process; what is no exit is raised."""
        words = ["--store", str(self.store), *arguments]
        return CliRunner().invoke(commands, words, input=input, catch_exceptions=False)

    def ok(self, *arguments: str, input: str | bytes | None = None) -> str:
        """Run a verb that must succeed and return its standard output."""
        result = self(*arguments, input=input)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *arguments: str) -> Any:  # noqa: ANN401 — JSON is anything
        """Run a verb with --json and return the one value it prints."""
        return strict_json(self.ok(*arguments, "--json"))

    def lines(self, *arguments: str) -> list[Any]:
        """Run a verb with --json and return the value of each line."""
        return [strict_json(line) for line in self.ok(*arguments, "--json").splitlines()]

    def remember(self, text: str, *options: str) -> str:
        """Remember a text and return its id."""
        return self.ok("remember", text, *options).strip()

    def process(self, *arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run a verb in a process of its own."""
        words = [sys.executable, "-m", "membound.cli", "--store", str(self.store), *arguments]
        environment = os.environ | self.environment
        return subprocess.run(words, input=input, capture_output=True, check=False, env=environment)


def strict_json(text: str) -> Any:  # noqa: ANN401 — JSON is anything
    """Read JSON without what Python allows beyond it."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)
