"""What a workspace holds, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from membound.workspace.essence import ADDRESS, RECOMMENDED_BYTES, content_size

if TYPE_CHECKING:
    from membound.workspace.workspace import Workspace

__all__ = ["Latest", "Status", "status"]

_LATEST: Final = 3


class Latest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One of the notes that were changed last."""

    path: str
    updated_at: str


class Status(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Where a workspace is, and what there is.

    Attributes:
        notes: how many there are under ``memory/``.
        scratch: how many there are under ``notes/``.
        essence_bytes: the size of the essence's text in UTF-8.
        essence_recommended: what that is best kept to.
        latest: the notes that were changed last, the last one first.
    """

    cwd: str
    workspace_id: str
    store_path: str
    notes: int
    scratch: int
    tags: int
    themes: int
    essence_bytes: int
    essence_recommended: int = RECOMMENDED_BYTES
    latest: tuple[Latest, ...]


def status(workspace: Workspace) -> Status:
    """Looks at the notes and counts them.

    Raises:
        StoreBusyError: another process held the workspace for too long.
    """
    essence = workspace.recall(ADDRESS.key, folder=ADDRESS.folder)
    return Status(
        cwd=workspace.cwd,
        workspace_id=workspace.id,
        store_path=str(workspace.path),
        notes=workspace.list(folder="memory", limit=1).total,
        scratch=workspace.list(folder="notes", limit=1).total,
        tags=len(workspace.list_tags()),
        themes=len(workspace.list_themes()),
        essence_bytes=0 if essence is None else content_size(essence.content),
        latest=tuple(
            Latest(path=f"{one.folder}/{one.key}", updated_at=one.updated_at)
            for one in workspace.recent(_LATEST).items
        ),
    )
