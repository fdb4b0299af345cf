"""Where a record belongs and where a question is asked: this folder, if nothing is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from membound.project import project_identity
from membound.text import system_path

__all__ = ["asking_place", "folder", "place"]


def place(scope: str, workspace: str | None, project: str | None) -> dict[str, Any]:
    """Return the keywords that say where a record belongs."""
    if scope == "user":
        return {"scope": scope}
    here = folder(workspace)
    if scope != "project":
        return {"scope": scope, "workspace": here}
    root = folder(project or workspace)
    shared = project_identity(root)
    return {
        "scope": scope,
        "workspace": here,
        "project": root,
        **({} if shared is None else {"project_identity": shared}),
    }


def asking_place(workspace: str | None, project: str | None) -> dict[str, Any]:
    """Return the keywords that say where a question is asked."""
    root = folder(project or workspace)
    return {
        "workspace": folder(workspace),
        "project": root,
        "project_identity": project_identity(root),
    }


def folder(path: str | None) -> str:
    """Return the absolute folder.

    Raises:
        InvalidInputError: it is no path, or another system's.
    """
    if path is None:
        return str(Path.cwd())
    return str(Path(system_path(path, "path")).absolute())
