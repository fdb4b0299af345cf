"""The server's entry in clients' files: what is put in, what is kept, and what is refused."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from membound.errors import CanonicalFileError, InvalidInputError
from membound.mcp import json_text
from membound.mcp.clients import CLIENTS, Client, Here, Server, config_file, section
from membound.mcp.install import Change, carried_out, difference, installed, removed

PYTHON = Server(python="/opt/membound/bin/python")
ENTRY = {"type": "stdio", "command": "/opt/py", "args": ["-P", "-m", "membound.mcp"]}

FORMER: dict[Client, str] = {
    "claude-code": """{
  "numStartups": 41,
  "mcpServers": {
    "other": {"command": "x"}
  }
}""",
    "codex": """model = "o"  # mine

[mcp_servers.other]
command = "x"

[projects."/a"]
q = 1
""",
    "cursor": '{"mcpServers":{}}\n',
    "vscode": """{
\t// servers of mine
\t"inputs": [],
\t"servers": {
\t\t"other": {"url": "x"}, // y
\t},
}
""",
    "kimi-code": "{}\n",
}


def put_in(client: Client, here: Here, server: Server = PYTHON, name: str = "membound") -> Change:
    change = installed(client, here, server, name)
    carried_out(change)
    return change


def taken_out(client: Client, here: Here) -> Change:
    change = removed(client, here)
    carried_out(change)
    return change


def entries(client: Client, path: Path) -> Any:  # noqa: ANN401 — JSON is anything
    text = path.read_text()
    if client == "codex":
        return tomllib.loads(text)[section(client)]
    return {"membound": json_text.entry_of(text, section(client), "membound")}


def written(client: Client, here: Here) -> Path:
    path = config_file(client, here)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FORMER[client])
    return path


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_starts_the_interpreter_that_has_the_package(
    client: Client, tmp_path: Path
) -> None:
    here = Here(home=tmp_path)
    path = written(client, here)
    assert put_in(client, here).kind == "added"
    own = entries(client, path)["membound"]
    assert own["command"] == "/opt/membound/bin/python"
    # -P keeps the folder in which the client starts it from being searched for modules.
    assert own["args"][:3] == ["-P", "-m", "membound.mcp"]
    assert "env" not in own


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_taken_out_again_leaves_the_bytes_from_before(
    client: Client, tmp_path: Path
) -> None:
    here = Here(home=tmp_path)
    path = written(client, here)
    put_in(client, here)
    assert path.read_text() != FORMER[client]
    assert taken_out(client, here).kind == "removed"
    assert path.read_text() == FORMER[client]


@pytest.mark.parametrize("client", CLIENTS)
def test_nothing_but_lines_of_ours_is_added(client: Client, tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    written(client, here)
    shown = difference(put_in(client, here)).splitlines()[2:]
    lost = "".join(line[1:] for line in shown if line.startswith("-"))
    added = "".join(line[1:] for line in shown if line.startswith("+"))
    assert shown
    rest = iter(added)
    assert all(char in rest for char in lost), "what a changed line said it says still"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_missing_file_is_made_for_its_owner(client: Client, tmp_path: Path) -> None:
    here = Here(home=tmp_path / "home")
    change = put_in(client, here)
    assert change.before is None
    assert stat.S_IMODE(change.path.stat().st_mode) == 0o600
    assert list(change.path.parent.iterdir()) == [change.path], "there is nothing to keep"
    assert entries(client, change.path)["membound"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_second_time_changes_nothing(client: Client, tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = written(client, here)
    put_in(client, here)
    first, files = path.read_bytes(), sorted(path.parent.iterdir())
    again = put_in(client, here)
    assert (again.kind, difference(again)) == ("none", "")
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == (first, files)


@pytest.mark.parametrize("client", CLIENTS)
def test_another_interpreter_replaces_the_command_and_keeps_what_else_was_said(
    client: Client, tmp_path: Path
) -> None:
    here = Here(home=tmp_path)
    path = written(client, here)
    put_in(client, here, Server(python="/old/python", root=tmp_path / "memory"))
    assert put_in(client, here).kind == "replaced"
    own = entries(client, path)["membound"]
    assert own["command"] == "/opt/membound/bin/python"
    assert own["env"] == {"MEMBOUND_WORKSPACE_ROOT": str(tmp_path / "memory")}
    taken_out(client, here)
    assert path.read_text() == FORMER[client]


def test_an_entry_that_starts_no_program_is_replaced_whole(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = config_file("cursor", here)
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"membound": {"url": "http://127.0.0.1:1"}, "b": {}}}')
    put_in("cursor", here)
    own = json.loads(path.read_text())["mcpServers"]["membound"]
    assert own.keys() == {"type", "command", "args"}


def test_tables_under_the_entry_go_with_it_and_come_back(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = written("codex", here)
    put_in("codex", here)
    with path.open("a") as file:
        file.write('\n[mcp_servers.membound.tools.search]\napproval_mode = "approve"\n')
    put_in("codex", here, Server(python="/new/python"))
    own = tomllib.loads(path.read_text())["mcp_servers"]["membound"]
    assert own["tools"] == {"search": {"approval_mode": "approve"}}
    taken_out("codex", here)
    assert path.read_text() == FORMER["codex"]


WRONG = {
    "claude-code": ['{"a": 1', "[]", '{"mcpServers": []}', '{"mcpServers": {}, "mcpServers": {}}',
        "{'a': 1}", '{"a" 1}', "nul", '{"a": 01}', '{"a": "\t"}', "[" * 100_000, '{"a": /* }'],
    "vscode": ['{"servers": null}', "{,}", '{"a": 1,,}', "{} {}"],
    "codex": ["a = ", "mcp_servers = 3\n", "mcp_servers = {}\n", 'x = "a\n', "[a]\n[a]\n"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("client", "text"), [(client, text) for client, texts in WRONG.items() for text in texts]
)
def test_a_file_that_cannot_be_read_is_refused_and_untouched(
    client: Client, text: str, tmp_path: Path
) -> None:
    here = Here(home=tmp_path)
    path = written(client, here)
    path.write_text(text)
    with pytest.raises(InvalidInputError, match="is left as it is") as refused:
        put_in(client, here)
    assert str(path) in str(refused.value)
    assert path.read_text() == text
    assert list(path.parent.iterdir()) == [path]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = written("cursor", here)
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InvalidInputError, match="UTF-8"):
        put_in("cursor", here)
    with pytest.raises(InvalidInputError, match="UTF-8"):
        taken_out("cursor", here)
    assert path.read_bytes() == b'{"a": "\xff"}'


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    config_file("cursor", here).mkdir(parents=True)
    with pytest.raises(CanonicalFileError, match="read"):
        put_in("cursor", here)


def test_backups_have_the_first_free_numbers_and_overwrite_none(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = written("cursor", here)
    path.chmod(0o644)
    taken = path.with_name("mcp.json.membound-backup-1")
    taken.symlink_to("/nowhere")
    for number in (2, 3, 4):
        former = path.read_bytes()
        (taken_out if number == 3 else put_in)("cursor", here)
        backup = path.with_name(f"mcp.json.membound-backup-{number}")
        assert backup.read_bytes() == former
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert taken.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_link_stays_one_and_what_it_leads_to_is_changed(tmp_path: Path) -> None:
    here = Here(home=tmp_path / "home")
    path = config_file("kimi-code", here)
    path.parent.mkdir(parents=True)
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles" / "kimi.json"
    real.write_text("{}\n")
    path.symlink_to(real)
    put_in("kimi-code", here)
    assert path.is_symlink()
    assert "membound" in real.read_text()
    assert [one.name for one in real.parent.iterdir()] == ["kimi.json"]
    assert path.with_name("mcp.json.membound-backup-1").read_text() == "{}\n"


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = written("claude-code", here)
    change = installed("claude-code", here, PYTHON)
    path.write_text('{"numStartups": 42}')
    with pytest.raises(CanonicalFileError, match="meanwhile"):
        carried_out(change)
    assert path.read_text() == '{"numStartups": 42}'


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    for client in CLIENTS:
        shown = difference(installed(client, here, PYTHON))
        assert shown.startswith("--- /dev/null\n+++ ")
        assert "membound.mcp" in shown
    assert list(tmp_path.iterdir()) == []


def test_where_there_is_no_entry_nothing_is_taken_out(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    for client in CLIENTS:
        assert taken_out(client, here).kind == "none"
        path = written(client, here)
        assert taken_out(client, here).kind == "none"
        assert path.read_text() == FORMER[client]


def test_a_byte_order_mark_is_kept(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = written("vscode", here)
    path.write_bytes(b'\xef\xbb\xbf{\r\n    "servers": {"a": {}}\r\n}\r\n')
    former = path.read_bytes()
    put_in("vscode", here)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{\r\n")
    taken_out("vscode", here)
    assert path.read_bytes() == former


@pytest.mark.parametrize("name", ["", "a b", "a.b", 'a"', "é", "x" * 65])
def test_a_name_that_some_client_does_not_take_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="name"):
        put_in("codex", Here(home=tmp_path), name=name)


def test_each_client_has_its_file() -> None:
    home = Path("/home/ada")
    places = {client: str(config_file(client, Here(home=home))) for client in CLIENTS}
    assert places == {
        "claude-code": "/home/ada/.claude.json",
        "codex": "/home/ada/.codex/config.toml",
        "cursor": "/home/ada/.cursor/mcp.json",
        "vscode": "/home/ada/.config/Code/User/mcp.json",
        "kimi-code": "/home/ada/.kimi-code/mcp.json",
    }
    project = Here(home=home, project=Path("/srv/app"))
    places = {client: str(config_file(client, project)) for client in CLIENTS}
    assert places == {
        "claude-code": "/srv/app/.mcp.json",
        "codex": "/srv/app/.codex/config.toml",
        "cursor": "/srv/app/.cursor/mcp.json",
        "vscode": "/srv/app/.vscode/mcp.json",
        "kimi-code": "/srv/app/.kimi-code/mcp.json",
    }
    mac = Here(home=home, platform="darwin")
    there = home / "Library/Application Support/Code/User/mcp.json"
    assert config_file("vscode", mac) == there
    assert config_file("vscode", Here(home=home, platform="win32")).parts[-5:] == (
        "AppData", "Roaming", "Code", "User", "mcp.json",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("client", "variable", "place"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("kimi-code", "KIMI_CODE_HOME", "mcp.json"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
    ],
)
def test_a_client_s_own_variable_says_where_its_file_is(
    client: Client, variable: str, place: str
) -> None:
    there = Here(home=Path("/home/ada"), environment={variable: "/else/where"})
    assert config_file(client, there) == Path("/else/where") / place
    blank = Here(home=Path("/home/ada"), environment={variable: " "})
    assert config_file(client, blank) == config_file(client, Here(home=Path("/home/ada")))


def test_a_big_file_is_changed_in_a_moment(tmp_path: Path) -> None:
    here = Here(home=tmp_path)
    path = config_file("claude-code", here)
    history = [{"display": f"question {number}", "n": number} for number in range(20_000)]
    path.write_text(json.dumps({"history": history, "mcpServers": {}}, indent=2))
    former, began = path.read_bytes(), os.times().user
    put_in("claude-code", here)
    assert os.times().user - began < 5
    taken_out("claude-code", here)
    assert path.read_bytes() == former
