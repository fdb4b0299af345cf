"""The MCP server over stdio: from its start to its first answer, beside 100,000 Markdown files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from benches.gardens import written

if TYPE_CHECKING:
    from pathlib import Path

    from benches.conftest import Timing

FILES = 100_000
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


def test_start_to_initialize(timing: Timing, tmp_path: Path, *, timed: bool) -> None:
    """What a client waits for before it may ask anything; no file of the store is read for it."""
    place = written(tmp_path, FILES if timed else 50)
    root, sessions = str(place / "store"), str(place / "sessions")
    command = [sys.executable, "-m", "membound.mcp", "--cwd", str(place / "project")]
    command += ["--root", root, "--sessions-root", sessions]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(place / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    servers: list[subprocess.Popen[bytes]] = []

    def end() -> None:
        """Let the server before go, which is no part of what is timed."""
        while servers:
            servers.pop().communicate()

    def start() -> None:
        server = subprocess.Popen(  # noqa: S603 — us
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        servers.append(server)
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        assert answer["result"]["serverInfo"]["name"] == "membound"

    start()  # compiles the package
    timing(start, 60, setup=end)
    end()
