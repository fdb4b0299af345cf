"""The clients in which the server is installed: where each keeps its servers, and in what form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.text import system_path

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLIENTS", "Client", "Here", "Server", "config_file", "entry", "section", "server_name"]

Client = Literal["claude-code", "codex", "cursor", "vscode", "kimi-code"]
"""A program for coding with an agent that starts MCP servers."""

CLIENTS: Final[tuple[Client, ...]] = get_args(Client)

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORKSPACE: Final = "${workspaceFolder}"
_SECTIONS: Final[dict[Client, str]] = {
    "claude-code": "mcpServers",
    "codex": "mcp_servers",
    "cursor": "mcpServers",
    "vscode": "servers",
    "kimi-code": "mcpServers",
}


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """Whose clients they are.

    Attributes:
        home: the user's home folder.
        environment: the variables by which clients are told of other folders.
        platform: the system, as `sys.platform` names it.
        project: the folder of one project, where the server is to be known in it alone.
    """

    home: Path
    environment: Mapping[str, str] = {}
    platform: str = "linux"
    project: Path | None = None


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """How the server is started.

    Attributes:
        python: the interpreter that has membound, as an absolute path.
        root: where workspaces are kept; None where the default is well.
    """

    python: str
    root: Path | None = None


def server_name(name: object) -> str:
    """Reads the name of an entry, as every client takes it.

    Raises:
        InvalidInputError: it is none.
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise InvalidInputError("name", "1 to 64 letters, digits, _ and -", excerpt(name))
    return name


def section(client: Client) -> str:
    """Gives the name under which a client's file has its servers."""
    return _SECTIONS[client]


def config_file(client: Client, here: Here) -> Path:
    """Gives the file in which a client keeps its servers, of the project if one is said."""
    if here.project is not None:
        return here.project / _IN_PROJECT[client]
    return _OF_USER[client](here)


def entry(client: Client, server: Server) -> dict[str, object]:
    """Gives what a client's file says of the server.

    Raises:
        InvalidInputError: a path cannot be written there.
    """
    # -P: Python would else look for modules in the project first, and run what it finds there.
    args = ["-P", "-m", "membound.mcp"]
    made: dict[str, object] = {"command": system_path(server.python, "python"), "args": args}
    if client not in ("codex", "kimi-code"):
        made = {"type": "stdio", **made}
    if client == "cursor":
        # Cursor starts a server in the home folder. VS Code fails where it has nothing to fill in
        # here, and tells a server its folders by itself.
        args += ["--cwd", _WORKSPACE]
    if client == "kimi-code":
        made |= {"enabled": True, "startupTimeoutMs": 120_000}
    if server.root is not None:
        root = system_path(server.root.absolute(), "root")
        made["env"] = {"MEMBOUND_WORKSPACE_ROOT": root}
    return made


def _claude_code(here: Here) -> Path:
    return _folder(here, "CLAUDE_CONFIG_DIR", here.home) / ".claude.json"


def _codex(here: Here) -> Path:
    return _folder(here, "CODEX_HOME", here.home / ".codex") / "config.toml"


def _cursor(here: Here) -> Path:
    return here.home / ".cursor" / "mcp.json"


def _vscode(here: Here) -> Path:
    if here.platform == "darwin":
        settings = here.home / "Library" / "Application Support"
    elif here.platform == "win32":
        settings = _folder(here, "APPDATA", here.home / "AppData" / "Roaming")
    else:
        settings = _folder(here, "XDG_CONFIG_HOME", here.home / ".config")
    return settings / "Code" / "User" / "mcp.json"


def _kimi_code(here: Here) -> Path:
    return _folder(here, "KIMI_CODE_HOME", here.home / ".kimi-code") / "mcp.json"


def _folder(here: Here, variable: str, default: Path) -> Path:
    """Gives the folder that a variable names, if it is set and absolute."""
    named = Path(here.environment.get(variable, "").strip())
    return named if named.is_absolute() else default


_OF_USER: Final[dict[Client, Callable[[Here], Path]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "cursor": _cursor,
    "vscode": _vscode,
    "kimi-code": _kimi_code,
}
_IN_PROJECT: Final[dict[Client, str]] = {
    "claude-code": ".mcp.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "kimi-code": ".kimi-code/mcp.json",
}
