"""The group `mcp`: the server of the workspace's tools, and what brings it to a client."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from membound.cli.options import given
from membound.cli.outcome import Failure
from membound.cli.text import echo, examples, note, printable, printable_lines
from membound.mcp.clients import CLIENTS, Client, Here, Server
from membound.mcp.install import carried_out, difference, installed, removed
from membound.mcp.server import require_extra, serve_http, serve_stdio
from membound.mcp.skill import install_skill, skill_text
from membound.mcp.starting import workspace_folder

if TYPE_CHECKING:
    from membound.mcp.install import Change

__all__ = ["mcp_command"]

_FOLDER = click.Path(path_type=Path, file_okay=False)
_THERE = click.Path(path_type=Path, file_okay=False, exists=True)
_CACHED = {"archive-v0", "builds-v0"}  # where uv keeps what it runs once
_PORTS = range(1, 1 << 16)
_TITLES: dict[Client, str] = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "kimi-code": "Kimi Code",
}
_SKILLS: dict[Client, str] = {
    "claude-code": "~/.claude/skills",
    "codex": "~/.agents/skills",
    "cursor": "~/.cursor/skills",
    "vscode": "~/.copilot/skills",
    "kimi-code": "~/.kimi-code/skills",
}


def _address(
    ctx: click.Context,  # noqa: ARG001 — click's signature
    param: click.Parameter,  # noqa: ARG001 — click's signature
    value: str | None,
) -> tuple[str, int] | None:
    """Read HOST:PORT; click calls this on the option's value."""
    if value is None:
        return None
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or int(port) not in _PORTS:
        message = "expected HOST:PORT, such as 127.0.0.1:8765"
        raise click.BadParameter(message)
    return host, int(port)


@click.group(
    "mcp",
    invoke_without_command=True,
    epilog=examples(
        "membound mcp install --client claude-code",
        "MEMBOUND_MCP_TOKEN=... membound mcp --http 127.0.0.1:8765",
        "membound mcp skill --install ~/.claude/skills",
    ),
)
@click.option("--cwd", type=_FOLDER, help="The workspace's folder.  [default: this folder]")
@click.option("--root", type=_FOLDER, help="Where workspaces are kept.")
@click.option("--sessions-root", type=_FOLDER, help="Where the host keeps its sessions.")
@click.option(
    "--http", "address", metavar="HOST:PORT", callback=_address, help="Serve over HTTP instead."
)
@click.option(
    "--token",
    envvar="MEMBOUND_MCP_TOKEN",
    show_envvar=True,
    help="What a client of --http has to send as its bearer token.",
)
@click.option(
    "--log-level",
    envvar="MEMBOUND_LOG",
    show_envvar=True,
    default="WARNING",
    show_default=True,
    help="The least level of what is told on standard error.",
)
@click.pass_context
def mcp_command(
    ctx: click.Context,
    *,
    cwd: Path | None,
    root: Path | None,
    sessions_root: Path | None,
    address: tuple[str, int] | None,
    token: str | None,
    log_level: str,
) -> None:
    """Serve the workspace's memory to an agent's client, over standard input and output.

    A client starts this by itself: `membound mcp install` tells it how. There is no network unless
    --http asks for it, and then a token is required.
    """
    if ctx.invoked_subcommand is not None:
        if given(cwd=cwd, root=root, sessions_root=sessions_root, http=address):
            message = f"{ctx.invoked_subcommand} takes its options behind its name"
            raise Failure(message)
        return
    meant = workspace_folder(None if cwd is None else str(cwd), os.environ)
    if meant is not None and not Path(meant).is_dir():
        message = f"--cwd: there is no folder {meant}; it is to be the folder of a project"
        raise Failure(message)
    settings = given(
        cwd=meant,
        root=root and root.resolve(),
        sessions_root=sessions_root and sessions_root.resolve(),
    )
    if address is not None and not token:
        message = "--http needs a token: set MEMBOUND_MCP_TOKEN, or give --token"
        raise Failure(message)
    if address is None or token is None:
        serve_stdio(settings, log_level=log_level)
        return
    host, port = address
    serve_http(settings, host, port, token, log_level=log_level, ready=_serving)


def _serving(address: str) -> None:
    """Tell where the server listens."""
    note(f"serving on {address}; Ctrl-C ends it")


@mcp_command.command(
    "install",
    epilog=examples(
        "membound mcp install --client codex --dry-run",
        "membound mcp install --client vscode --project .",
        "membound mcp install --client cursor --undo",
    ),
)
@click.option("--client", type=click.Choice(CLIENTS), required=True, help="Which client.")
@click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")
@click.option("--undo", is_flag=True, help="Take the server out again.")
@click.option("--project", type=_THERE, help="For this project alone, in its own file.")
@click.option("--home", type=_THERE, help="Another home folder than yours.")
@click.option("--name", default="membound", show_default=True, help="The entry's name.")
@click.option("--root", type=_FOLDER, help="Where workspaces are kept, said in the entry.")
def install_command(
    *,
    client: Client,
    dry_run: bool,
    undo: bool,
    project: Path | None,
    home: Path | None,
    name: str,
    root: Path | None,
) -> None:
    """Make the server known to a client: one entry in its file, and nothing else there.

    What the file was is kept beside it. A file that the client could not read is left as it is, and
    so is every file where this Python could not start the server.
    """
    here = Here(
        home=(home or Path.home()).absolute(),
        environment=os.environ if home is None else {},
        platform=sys.platform,
        project=None if project is None else project.absolute(),
    )
    if undo:
        change = removed(client, here, name)
    else:
        require_extra()
        change = installed(client, here, Server(python=_interpreter(), root=root), name)
    if dry_run:
        _show(change)
        return
    kept = carried_out(change)
    _tell(change, client, name, undo=undo)
    if kept is not None:
        echo(printable(f"  the former file is {kept}"))
    if change.kind in ("added", "replaced"):
        if project is not None:
            echo("  it names this computer's Python: others who share the file install it anew")
        if _CACHED & {*Path(sys.executable).parts}:
            note("this Python lies in a cache that is emptied at times: install membound for good")
        echo(f"  start {_TITLES[client]} anew, and ask it what it remembers of this project")
        folder = _skills(client, home and here.home)
        echo(printable(f"  to teach it when to remember: membound mcp skill --install {folder}"))


@mcp_command.command("skill", epilog=examples("membound mcp skill --install ~/.claude/skills"))
@click.option(
    "--install", "folder", type=_FOLDER, metavar="PATH", help="A client's folder of skills."
)
def skill_command(*, folder: Path | None) -> None:
    """Print the skill that teaches a model how to use the memory, or install it."""
    if folder is None:
        echo(skill_text(), end=False)
        return
    path, kept, written = install_skill(folder.expanduser().absolute())
    echo(printable(f"{'wrote' if written else 'there is nothing to change in'} {path}"))
    if kept is not None:
        echo(printable(f"  the former file is {kept}"))


def _interpreter() -> str:
    """Return the absolute path of the Python that runs this."""
    if not sys.executable:
        message = "this Python does not know where it lies; run membound from an installed one"
        raise Failure(message)
    return str(Path(sys.executable).absolute())


def _show(change: Change) -> None:
    """Print what would be changed."""
    if change.kind == "none":
        echo(printable(f"{change.path} needs no change"))
        return
    echo(printable_lines(difference(change)), end=False)


def _skills(client: Client, home: Path | None) -> str:
    """Return the client's folder of skills as a shell takes it: yours, or below a home."""
    folder = _SKILLS[client]
    return folder if home is None else quote(str(home / folder.removeprefix("~/")))


def _tell(change: Change, client: Client, name: str, *, undo: bool) -> None:
    """Print what was done."""
    path = printable(str(change.path))
    match change.kind:
        case "none" if undo:
            echo(f"{path} has no {name}: there is nothing to take out")
        case "none":
            echo(f"{path} has {name} as it is to be: there is nothing to change")
        case "removed":
            echo(f"took {name} out of {path}; all else in it is as it was")
        case "added":
            echo(f"added {name} to {path}, for {_TITLES[client]}")
        case "replaced":
            echo(f"brought {name} up to date in {path}, for {_TITLES[client]}")
