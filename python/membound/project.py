"""The identity of a project: one text for all the paths that lead to the same repository."""

from __future__ import annotations

from pathlib import Path

from membound.text import PathText, any_path

__all__ = ["project_identity"]

# Python before 3.13 reports a loop of symbolic links as a RuntimeError.
_UNREADABLE = (OSError, ValueError, RuntimeError)


def project_identity(path: PathText) -> str | None:
    """Gives what all worktrees of a repository share, or the real path outside of one.

    A host calls this once for a project and passes the result with each request. Symbolic links are
    resolved, then the nearest ``.git`` is read; no process is started. A ``.git`` file alone proves
    nothing, as it may come with a download: a folder is a worktree of a repository if the
    repository names it too. Any other folder with a ``.git`` is its own project, as are a submodule
    and a repository whose directory lies elsewhere.

    Args:
        path: a folder or file of the project.

    Returns:
        The real path of the repository's main folder, of its common directory where that is bare,
        or of ``path`` itself outside a repository; None where nothing is at ``path``, or nothing
        that can be read.

    Raises:
        InvalidInputError: ``path`` is no path.
    """
    given = any_path(path, "path")
    try:
        real = Path(given).resolve(strict=True)
        for folder in (real, *real.parents):
            if (git := folder / ".git").exists():
                return str(_main_folder(git) or folder)
    except _UNREADABLE:
        return None
    return str(real)


def _main_folder(git: Path) -> Path | None:
    """Gives the main folder of the repository that a ``.git`` file names and that names it back.

    ``git worktree add`` makes both: the file holds ``gitdir: <common>/worktrees/<name>``, and there
    ``gitdir`` holds the path of the file. A directory elsewhere may name any common directory, and
    a link may stand for another worktree's file, so neither is believed.
    """
    if not git.is_file():
        return None
    try:
        pointed = git.read_text("utf-8")
        directory = (git.parent / pointed.removeprefix("gitdir:").strip()).resolve(strict=True)
        back = directory / (directory / "gitdir").read_text("utf-8").strip()
        common = (directory / (directory / "commondir").read_text("utf-8").strip()).resolve()
        named = back.parent.resolve() / back.name
        agreed = named == git and directory.parent == common / "worktrees"
        if not (agreed and (common / "objects").is_dir()):
            return None
    except _UNREADABLE:
        return None
    return common.parent if common.name == ".git" else common
