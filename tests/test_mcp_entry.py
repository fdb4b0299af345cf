"""What clients' files say starts a server that answers, wherever a client starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from membound.mcp.clients import Here, Server
from membound.mcp.install import carried_out, installed

if TYPE_CHECKING:
    from pathlib import Path

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
WHERE = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "get_current_workspace", "arguments": {}},
}


def answers(command: list[str], folder: Path, environment: dict[str, str]) -> list[Any]:
    """Start a server as a client does, and ask it which workspace it serves."""
    asked = "".join(json.dumps(message) + "\n" for message in (INITIALIZE, READY, WHERE))
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        input=asked.encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def place(command: list[str], folder: Path, environment: dict[str, str]) -> Any:  # noqa: ANN401 — JSON
    first, second = answers(command, folder, environment)
    assert first["result"]["serverInfo"]["name"]
    return second["result"]["structuredContent"]


@pytest.fixture(name="project")
def project_with_modules_of_its_own(tmp_path: Path) -> Path:
    """A project whose files Python would take for modules of the server, were they looked for."""
    project = tmp_path / "project"
    (project / "mcp").mkdir(parents=True)
    for name in ("mcp/__init__.py", "yaml.py", "msgspec.py"):
        (project / name).write_text("raise SystemExit('a module of the project was run')")
    return project


def test_an_entry_starts_the_server_for_the_project(project: Path, tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    server = Server(python=sys.executable, root=tmp_path / "stores")
    change = installed("claude-code", here, server)
    carried_out(change)
    own = json.loads(change.path.read_text())["mcpServers"]["membound"]
    found = place([own["command"], *own["args"]], project, own["env"])
    assert found["cwd"] == str(project)
    assert found["storePath"].startswith(str(tmp_path / "stores"))


def test_the_command_serves_the_folder_that_it_is_told(project: Path, tmp_path: Path) -> None:
    words = ["mcp", "--cwd", str(project), "--root", str(tmp_path / "stores")]
    found = place([sys.executable, "-m", "membound.cli", *words], tmp_path, {})
    assert found["cwd"] == str(project)
    assert (tmp_path / "stores" / found["workspaceId"]).is_dir()
