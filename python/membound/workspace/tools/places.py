"""The tools of the workspace as a whole: where it is, its index, and what to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from membound.workspace.tools.arguments import BUDGET, Arguments, Budget, Nothing
from membound.workspace.tools.fitting import Fields, Run, fields_of, fit
from membound.workspace.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from membound.workspace.workspace import Workspace

__all__ = ["RECENT", "TOOLS", "Rounds"]

Rounds = Annotated[int, Meta(ge=0, le=100, description="How many turns.")]
Comments = Annotated[
    dict[str, str], Meta(description="What folders are for, by folder, as in memory/decisions.")
]

RECENT: Final = (
    Run("recentContext.summaryRounds", oldest_first=True),
    Run("recentContext.compactionSummaries", oldest_first=True),
    Run("recentContext.detailedRounds", oldest_first=True),
)
"""What is left out first where recent turns take too much: the oldest."""


class SyncArguments(
    Arguments, frozen=True, kw_only=True, rename={"folder_comments": "folderComments"}
):
    """What `sync_workspace_index` takes."""

    folder_comments: Comments | None = None
    max_output_chars: Budget = BUDGET


class BootstrapArguments(Arguments, frozen=True, kw_only=True):
    """What `bootstrap_workspace` takes."""

    detailed_rounds: Rounds | None = None
    summary_rounds: Rounds | None = None
    force: Annotated[bool, Meta(description="Give turns of this session too.")] = False
    max_output_chars: Budget = BUDGET


def _current(workspace: Workspace, _: Nothing) -> Fields:
    return {
        "cwd": str(workspace.cwd),
        "workspaceId": workspace.id,
        "storePath": str(workspace.path),
    }


def _sync(
    workspace: Workspace, asked: SyncArguments, tell: Callable[[int, int], None] | None
) -> Fields:
    fields = fields_of(workspace.sync(asked.folder_comments, progress=tell))
    return fit(fields, asked.max_output_chars, [Run("foldersNeedingComment")])[0]


def _bootstrap(workspace: Workspace, asked: BootstrapArguments) -> Fields:
    found = workspace.bootstrap(
        detailed_rounds=asked.detailed_rounds,
        summary_rounds=asked.summary_rounds,
        force=asked.force,
    )
    return fit(fields_of(found), asked.max_output_chars, [Run("notesRefs"), *RECENT])[0]


TOOLS: Final = (
    Tool(
        name="get_current_workspace",
        title="Current workspace",
        description="Tell which workspace this is and where its memories are stored.",
        arguments=Nothing,
        run=_current,
        recalls=False,
    ),
    Tool(
        name="sync_workspace_index",
        title="Sync index",
        description=(
            "Compare the index with the files and mend it, and say what folders are for. "
            "Seldom needed: every read sees changed files by itself."
        ),
        arguments=SyncArguments,
        run=_sync,
        read_only=False,
        counts=True,
    ),
    Tool(
        name="bootstrap_workspace",
        title="Bootstrap",
        description=(
            "Load what a session begins with: the essence, the tree of memories with the newest "
            "marked, notes, and the last turns. Call it once, before answering."
        ),
        arguments=BootstrapArguments,
        run=_bootstrap,
        long=True,
    ),
)
