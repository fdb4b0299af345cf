"""What a client says when it starts the server: which folder it is about, and where notes lie."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["settings_of", "workspace_folder"]

_PROJECT = "CLAUDE_PROJECT_DIR"
_UNFILLED = "${"


def settings_of(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Reads the words behind ``python -m membound.mcp``; what is not said is left out.

    Wrong words end the process with code 2, and are told on standard error.

    Returns:
        What `Workspace.open` is called with.
    """
    parser = ArgumentParser("membound.mcp", description="Serve a workspace's memory over stdio.")
    parser.add_argument("--cwd", help="the workspace's folder, else the current one")
    parser.add_argument("--root", help="where workspaces are kept")
    parser.add_argument("--sessions-root", help="where the host keeps its sessions")
    said = vars(parser.parse_args(arguments))
    said["cwd"] = workspace_folder(said["cwd"], environment)
    return {name: value for name, value in said.items() if value is not None}


def workspace_folder(said: str | None, environment: Mapping[str, str]) -> str | None:
    """Gives the folder that a client means; None where that is the one it starts the server in.

    It is spelled as the system would if the server were started there: the name of a workspace
    depends on it.

    Args:
        said: what the command line says. A client that has no folder open leaves its
            ``${workspaceFolder}`` as it is.
        environment: a client may name the project there.
    """
    if said and _UNFILLED not in said:
        return os.path.realpath(said)
    project = environment.get(_PROJECT, "")
    known = Path(project).is_absolute() and Path(project).is_dir()
    return os.path.realpath(project) if known else None
