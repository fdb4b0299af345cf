"""Markdown files of a workspace, written as other programs write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benches.corpus import texts
from membound.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["folder_of", "opened", "written"]

FOLDERS = 100
HEAD = """---
key: 'note-{number}'
title: 'Note {number}'
tags:
  - 'tag-{tag}'
createdAt: '2026-03-01T09:00:00.000Z'
updatedAt: '2026-03-01T09:{minute:02}:00.000Z'
---

"""


def opened(place: Path) -> Workspace:
    """Open the workspace of a project, with its store and sessions beside it."""
    sessions = place / "sessions"
    return Workspace.open(place / "project", root=place / "store", sessions_root=sessions)


def folder_of(number: int) -> str:
    """Give the folder of a note."""
    return f"memory/area-{number % FOLDERS}"


def written(place: Path, files: int) -> Path:
    """Make a project, and a store with so many notes in a hundred folders."""
    (place / "project").mkdir()
    with opened(place) as workspace:
        store = workspace.path
    for number, text in enumerate(texts(files)):
        folder = store / folder_of(number)
        folder.mkdir(parents=True, exist_ok=True)
        head = HEAD.format(number=number, tag=number % 37, minute=number % 60)
        (folder / f"note-{number}.md").write_text(f"{head}{text}\n", encoding="utf-8")
    return place
