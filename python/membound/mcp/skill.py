"""The text that teaches a model how to use the memory, as a skill of an agent's client."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from membound.mcp import backup

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SKILL", "install_skill", "skill_text"]

SKILL: Final = "workspace-memory"
"""The skill's name, and that of its folder."""


def skill_text() -> str:
    """Gives the skill: front matter that says when to use it, and what to do."""
    return files("membound.mcp").joinpath("skill.md").read_text(encoding="utf-8")


def install_skill(folder: Path) -> tuple[Path, Path | None, bool]:
    """Writes the skill where a client looks for skills.

    Args:
        folder: the client's folder of skills, such as ``~/.claude/skills``.

    Returns:
        The skill's file, where the former one is kept, and whether anything was written. One that
        says the same already is left alone.

    Raises:
        CanonicalFileError: it cannot be written.
    """
    path = folder / SKILL / "SKILL.md"
    text = skill_text().encode()
    former = backup.read(path)
    if former == text:
        return path, None, False
    return path, backup.replace(path, former, text), True
