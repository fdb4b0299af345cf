"""The group `mcp`: what it says to a person, and that it hands the server what it was told."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from membound.mcp.clients import CLIENTS, Client, Here, config_file
from membound.mcp.skill import SKILL, skill_text
from tests.command import Command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def membound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    return Command(tmp_path / "store")


@pytest.mark.parametrize("client", CLIENTS)
def test_install_says_what_it_did_and_undo_takes_it_back(
    membound: Command, tmp_path: Path, client: Client
) -> None:
    home = ("--home", str(tmp_path / "home"))
    path = config_file(client, Here(home=tmp_path / "home"))
    said = membound.ok("mcp", "install", "--client", client, *home)
    assert said.startswith(f"added membound to {path}, for ")
    assert sys.executable in path.read_text()
    skills = shlex.split(said)[-1]
    assert skills.startswith(f"{tmp_path}/home/.")
    assert skills.endswith("/skills")
    again = membound.ok("mcp", "install", "--client", client, *home)
    assert "there is nothing to change" in again
    undone = membound.ok("mcp", "install", "--client", client, "--undo", *home)
    assert f"took membound out of {path}" in undone
    assert f"{path}.membound-backup-1" in undone
    assert "membound" not in path.read_text()
    none = membound.ok("mcp", "install", "--client", client, "--undo", *home)
    assert "there is nothing to take out" in none


def test_a_dry_run_prints_a_diff_and_writes_nothing(membound: Command, tmp_path: Path) -> None:
    words = ("mcp", "install", "--client", "cursor", "--home", str(tmp_path / "home"))
    shown = membound.ok(*words, "--dry-run").splitlines()
    assert shown[0] == "--- /dev/null"
    assert shown[1] == f"+++ {tmp_path / 'home' / '.cursor' / 'mcp.json'}"
    assert '+    "membound": {' in shown
    assert list(tmp_path.rglob("*")) == [tmp_path / "home"]
    membound.ok(*words)
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    former = path.read_bytes()
    assert "needs no change" in membound.ok(*words, "--dry-run")
    assert "-    " in membound.ok(*words, "--dry-run", "--undo")
    assert path.read_bytes() == former


def test_a_project_has_an_entry_of_its_own(membound: Command, tmp_path: Path) -> None:
    said = membound.ok("mcp", "install", "--client", "vscode", "--project", ".")
    assert "names this computer's Python" in said
    entry = json.loads((tmp_path / ".vscode" / "mcp.json").read_text())["servers"]["membound"]
    assert "$" not in json.dumps(entry), "VS Code would not start it without a folder"


def test_a_root_and_a_name_are_said_in_the_entry(membound: Command, tmp_path: Path) -> None:
    home = tmp_path / "home"
    words = ("mcp", "install", "--client", "kimi-code", "--home", str(home))
    membound.ok(*words, "--name", "garden", "--root", "memories")
    entry = json.loads((home / ".kimi-code" / "mcp.json").read_text())["mcpServers"]["garden"]
    assert entry["env"] == {"MEMBOUND_WORKSPACE_ROOT": str(tmp_path / "memories")}


def test_the_client_s_own_variable_is_asked_unless_a_home_is_said(
    membound: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIMI_CODE_HOME", str(tmp_path / "kimi"))
    membound.ok("mcp", "install", "--client", "kimi-code")
    assert (tmp_path / "kimi" / "mcp.json").is_file()
    membound.ok("mcp", "install", "--client", "kimi-code", "--home", str(tmp_path / "home"))
    assert (tmp_path / "home" / ".kimi-code" / "mcp.json").is_file()


def test_an_invalid_file_is_a_line_and_is_left(membound: Command, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"mcpServers": {\n  oh }')
    result = membound("mcp", "install", "--client", "cursor", "--home", str(tmp_path / "home"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: {path} is left as it is: JSON: expected JSON, got 'o' in line 2, column 3\n"
    )
    assert path.read_text() == '{"mcpServers": {\n  oh }'


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_python_that_cannot_start_the_server_is_told_to_no_client(
    membound: Command, tmp_path: Path, client: Client, more: tuple[str, ...]
) -> None:
    words = ("install", "--client", client, "--home", str(tmp_path))
    refused = without_the_sdk(*words, *more)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "error: mcp is not installed; run: pip install 'membound[mcp]'\n"
    path = config_file(client, Here(home=tmp_path))
    assert not path.exists()
    if not more:
        membound.ok("mcp", *words)
        assert "took membound out" in without_the_sdk(*words, "--undo").stdout
        assert "membound" not in path.read_text()


def without_the_sdk(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `membound mcp` in a Python that has no package `mcp`."""
    code = "import sys\nsys.modules['mcp'] = None\nfrom membound.cli import main\nmain()"
    said = [sys.executable, "-c", code, "mcp", *words]
    return subprocess.run(said, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("option", ["--home", "--project"])
def test_a_folder_that_is_not_there_gets_no_entry(
    membound: Command, tmp_path: Path, option: str
) -> None:
    words = ("mcp", "install", "--client", "cursor", option, str(tmp_path / "typo"))
    for more in ((), ("--dry-run",), ("--undo",)):
        result = membound(*words, *more)
        assert result.exit_code == 2
        assert "does not exist" in result.stderr
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("more", [(), ("--http", "127.0.0.1:8765", "--token", "t" * 16)])
def test_a_folder_that_is_not_there_is_not_served(
    membound: Command, tmp_path: Path, more: tuple[str, ...]
) -> None:
    result = membound("mcp", "--cwd", str(tmp_path / "typo"), "--root", "stores", *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"there is no folder {tmp_path / 'typo'}" in result.stderr
    assert not (tmp_path / "stores").exists()


def test_an_unknown_client_is_told_which_there_are(membound: Command) -> None:
    result = membound("mcp", "install", "--client", "emacs")
    assert result.exit_code == 2
    assert all(client in result.stderr for client in CLIENTS)


def test_the_skill_is_printed_or_installed(membound: Command, tmp_path: Path) -> None:
    assert membound.ok("mcp", "skill") == skill_text()
    path = tmp_path / "skills" / SKILL / "SKILL.md"
    assert f"wrote {path}" in membound.ok("mcp", "skill", "--install", "skills")
    assert path.read_text(encoding="utf-8") == skill_text()
    assert "nothing to change" in membound.ok("mcp", "skill", "--install", "skills")


@pytest.mark.parametrize(
    "address", ["8765", ":8765", "localhost:", "localhost:0", "h:65536", "h:x"]
)
def test_an_address_has_a_host_and_a_port(membound: Command, address: str) -> None:
    result = membound("mcp", "--http", address, "--token", "t")
    assert result.exit_code == 2
    assert "HOST:PORT" in result.stderr


def test_http_without_a_token_is_refused(
    membound: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMBOUND_MCP_TOKEN", "")
    result = membound("mcp", "--http", "127.0.0.1:8765")
    assert result.exit_code == 2
    assert "MEMBOUND_MCP_TOKEN" in result.stderr


def test_an_option_of_the_server_is_not_lost_on_another_verb(membound: Command) -> None:
    result = membound("mcp", "--root", "x", "skill")
    assert result.exit_code == 2
    assert "behind its name" in result.stderr
