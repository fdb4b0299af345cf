"""The tool of the essence: what it is made from, and storing what was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from membound.workspace.tools.arguments import BUDGET, Arguments, Cursor
from membound.workspace.tools.fitting import Fields, Run, fields_of, fit
from membound.workspace.tools.tool import Tool

if TYPE_CHECKING:
    from membound.workspace.workspace import Workspace

__all__ = ["TOOLS"]

Essence = Annotated[
    str, Meta(description="The new essence in Markdown; leave out to get what it is made of.")
]
Sources = Annotated[
    tuple[str, ...], Meta(description="Memories that the new essence was made of, echoed only.")
]

LargeBudget = Annotated[
    int, Meta(ge=4_000, le=100_000, description="Most characters of JSON in the reply.")
]
LEAST_ROOM: Final = 100
"""Characters of texts below which no smaller part of a memory is asked for."""


class OrganizeArguments(Arguments, frozen=True, kw_only=True):
    """What `organize_memories` takes."""

    content: Essence | None = None
    sources: Sources = ()
    cursor: Cursor | None = None
    max_output_chars: LargeBudget = BUDGET


def _organize(workspace: Workspace, asked: OrganizeArguments) -> Fields:
    if asked.content is not None:
        stored = workspace.organize(asked.content, sources=asked.sources)
        return fit(fields_of(stored), asked.max_output_chars, [Run("sources")])[0]
    room = asked.max_output_chars
    while True:
        fields = fields_of(workspace.organize(cursor=asked.cursor, budget=room))
        if asked.cursor is not None:
            del fields["rules"]
        fitted, _ = fit(fields, asked.max_output_chars)
        if fitted is fields or room < LEAST_ROOM:
            return fitted
        room = room * 3 // 4


TOOLS: Final = (
    Tool(
        name="organize_memories",
        title="Organize memories",
        description=(
            "Distil all memories into one essence, in two calls: without content it gives the "
            "rules and the memories page by page, with content it stores the new essence."
        ),
        arguments=OrganizeArguments,
        run=_organize,
        read_only=False,
        long=True,
    ),
)
