"""What the server takes from the words and the environment that a client starts it with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from membound.mcp.clients import CLIENTS, Client, Server, entry
from membound.mcp.starting import settings_of

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_said_is_nothing_set() -> None:
    assert settings_of([], {}) == {}


def test_what_is_said_is_set() -> None:
    words = ["--cwd", "/srv/app", "--root", "/r", "--sessions-root=/s"]
    assert settings_of(words, {}) == {"cwd": "/srv/app", "root": "/r", "sessions_root": "/s"}


def test_a_folder_is_spelled_as_the_system_spells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a workspace is of its path: one folder has one, however a client writes it."""
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "link").symlink_to(project)
    monkeypatch.chdir(project)
    for spelled in (".", "../project", f"{project}/", str(tmp_path / "link")):
        assert settings_of(["--cwd", spelled], {}) == {"cwd": str(project)}
    assert settings_of([], {"CLAUDE_PROJECT_DIR": f"{tmp_path}/link/"}) == {"cwd": str(project)}


def test_a_variable_that_the_client_did_not_fill_in_is_none() -> None:
    assert settings_of(["--cwd", "${workspaceFolder}"], {}) == {}
    assert settings_of(["--cwd", ""], {}) == {}


def test_a_client_may_name_the_project_in_the_environment(tmp_path: Path) -> None:
    environment = {"CLAUDE_PROJECT_DIR": str(tmp_path)}
    assert settings_of([], environment) == {"cwd": str(tmp_path)}
    assert settings_of(["--cwd", "/srv/app"], environment) == {"cwd": "/srv/app"}
    for strange in ("", ".", str(tmp_path / "gone")):
        assert settings_of([], {"CLAUDE_PROJECT_DIR": strange}) == {}


@pytest.mark.parametrize("words", [["--nonsense"], ["app"], ["--cwd"]])
def test_wrong_words_are_told_and_end_it(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        settings_of(words, {})
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == "", "standard output is the protocol's"
    assert "usage:" in shown.err


@pytest.mark.parametrize("client", CLIENTS)
def test_what_an_entry_says_is_understood(client: Client) -> None:
    args = entry(client, Server(python="/py"))["args"]
    assert isinstance(args, list)
    assert args[:3] == ["-P", "-m", "membound.mcp"]
    filled = [word.replace("${workspaceFolder}", "/srv/app") for word in args[3:]]
    assert settings_of(filled, {}) in ({}, {"cwd": "/srv/app"})
