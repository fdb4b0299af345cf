"""The identity of a project: one text for all the paths that lead to the same repository."""

from __future__ import annotations

from pathlib import Path

from membound.text import PathText, any_path

__all__ = ["project_identity"]


def project_identity(path: PathText) -> str | None:
    """Gives what all worktrees of a repository share, or the real path outside of one.

    A host calls this once for a project and passes the result with each request. Symbolic links are
    resolved, then the nearest ``.git`` is read; no process is started.

    Args:
        path: a folder or file of the project.

    Returns:
        The real path of the repository's main folder, of its common directory where that is bare,
        or of ``path`` itself outside a repository; None where nothing is at ``path``.

    Raises:
        InvalidInputError: ``path`` is no path.
    """
    given = any_path(path, "path")
    try:
        real = Path(given).resolve(strict=True)
        for folder in (real, *real.parents):
            if (git := folder / ".git").exists():
                return str(_main_folder(_common_directory(git)))
    except (OSError, ValueError):
        return None
    return str(real)


def _common_directory(git: Path) -> Path:
    """Follows a worktree's ``.git`` file and its ``commondir`` to the directory all share."""
    if git.is_dir():
        return git
    pointed = git.read_text("utf-8").removeprefix("gitdir:").strip()
    directory = (git.parent / pointed).resolve()
    common = directory / "commondir"
    if common.is_file():
        return (directory / common.read_text("utf-8").strip()).resolve()
    return directory


def _main_folder(common: Path) -> Path:
    return common.parent if common.name == ".git" else common
