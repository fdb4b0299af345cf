"""The tools of themes: what turns and memories belong to, traced through time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from membound.errors import ThemeNotFoundError
from membound.workspace.tools.arguments import (
    BUDGET,
    Arguments,
    Budget,
    Cursor,
    Folder,
    Key,
    PageArguments,
    Theme,
)
from membound.workspace.tools.context import SessionId, TurnId
from membound.workspace.tools.cursor import Place
from membound.workspace.tools.fitting import Fields, Run, counted, fields_of, fit
from membound.workspace.tools.tool import Tool

if TYPE_CHECKING:
    from membound.workspace.workspace import Workspace

__all__ = ["TOOLS"]

Content = Annotated[bool, Meta(description="Give each turn's text and refined form too.")]
Title = Annotated[str, Meta(description="Title to show; the memory's own where none is given.")]
LastTurns = Annotated[int, Meta(ge=0, description="Only so many of the last turns.")]
TurnIds = Annotated[tuple[TurnId, ...], Meta(description="Only these turns.")]


class TagArguments(
    Arguments,
    frozen=True,
    kw_only=True,
    rename={
        "session_id": "sessionId",
        "turn_id": "turnId",
        "memory_key": "memoryKey",
        "memory_folder": "memoryFolder",
        "memory_title": "memoryTitle",
    },
):
    """What `tag_theme` takes."""

    theme: Theme
    session_id: SessionId | None = None
    turn_id: TurnId | None = None
    memory_key: Key | None = None
    memory_folder: Folder = "memory"
    memory_title: Title | None = None


class TraceArguments(
    Arguments,
    frozen=True,
    kw_only=True,
    rename={"include_turn_content": "includeTurnContent"},
):
    """What `trace_theme` takes."""

    theme: Theme
    include_turn_content: Content = False
    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


class DeleteThemeArguments(Arguments, frozen=True, kw_only=True):
    """What `delete_theme` takes."""

    theme: Theme


class RefineArguments(
    Arguments,
    frozen=True,
    kw_only=True,
    rename={"camel_session_id": "sessionId", "turn_ids": "turnIds"},
):
    """What `refine_session_turns` takes."""

    camel_session_id: SessionId | None = None
    session_id: SessionId | None = None
    turn_ids: TurnIds | None = None
    limit: LastTurns | None = None
    max_output_chars: Budget = BUDGET


def _tag(workspace: Workspace, asked: TagArguments) -> Fields:
    tagged = workspace.tag_theme(
        asked.theme,
        session_id=asked.session_id,
        turn_id=asked.turn_id,
        memory_key=asked.memory_key,
        memory_folder=asked.memory_folder,
        memory_title=asked.memory_title,
    )
    return fit({"success": True, **fields_of(tagged)}, BUDGET)[0]


def _trace(workspace: Workspace, asked: TraceArguments) -> Fields:
    try:
        found = workspace.trace_theme(asked.theme, include_turn_content=asked.include_turn_content)
    except ThemeNotFoundError:
        return {"found": False, "theme": asked.theme}
    return _traced({"found": True, **fields_of(found)}, asked)


def _traced(fields: Fields, asked: TraceArguments) -> Fields:
    """Pages the turns, and behind the last of them the memories."""
    place = Place.of(asked.cursor)
    turns = len(fields["turns"])
    memories = fields["memories"][max(0, place.skip - turns) :]
    first = {**fields, "turns": fields["turns"][place.skip :], "memories": memories}
    runs = [Run("memories"), Run("turns")]
    fitted, dropped = fit(first, asked.max_output_chars, runs)
    if any(dropped.values()):
        served = len(fitted.get("turns", ())) + len(fitted.get("memories", ()))
        fitted["next_cursor"] = place.later(max(served, 1)).text
    return fitted


def _list(workspace: Workspace, asked: PageArguments) -> Fields:
    fields: Fields = {"themes": list(workspace.list_themes())}
    return counted(fields, "themes", Place.of(asked.cursor), asked.max_output_chars)


def _delete(workspace: Workspace, asked: DeleteThemeArguments) -> Fields:
    workspace.delete_theme(asked.theme)
    return {"success": True, "theme": asked.theme}


def _refine(workspace: Workspace, asked: RefineArguments) -> Fields:
    refined = workspace.refine(
        asked.camel_session_id or asked.session_id, turn_ids=asked.turn_ids, limit=asked.limit
    )
    fields = {"success": True, **fields_of(refined)}
    return fit(fields, asked.max_output_chars, [Run("sample")])[0]


TOOLS: Final = (
    Tool(
        name="tag_theme",
        title="Tag theme",
        description=(
            "Say that a turn, or a memory, belongs to a theme. Read it first: a word in common "
            "is not enough. Give sessionId and turnId, or memoryKey and memoryFolder."
        ),
        arguments=TagArguments,
        run=_tag,
        read_only=False,
    ),
    Tool(
        name="trace_theme",
        title="Trace theme",
        description="Show how a theme went on: its turns and memories in order of their time.",
        arguments=TraceArguments,
        run=_trace,
        missed={"found": False},
        echoed=("theme",),
        long=True,
    ),
    Tool(
        name="list_themes",
        title="List themes",
        description="List every theme. Use it before tag_theme, to take one that exists.",
        arguments=PageArguments,
        run=_list,
        missed={"themes": []},
    ),
    Tool(
        name="refine_session_turns",
        title="Refine turns",
        description=(
            "Draw facts, notes, files, tools and errors out of turns by fixed rules and keep "
            "them. Use it for the turns that a theme may have, never for everything."
        ),
        arguments=RefineArguments,
        run=_refine,
        read_only=False,
        long=True,
    ),
    Tool(
        name="delete_theme",
        title="Delete theme",
        description="Delete a theme. The turns and memories that it names stay as they are.",
        arguments=DeleteThemeArguments,
        run=_delete,
        read_only=False,
        destructive=True,
        recalls=False,
    ),
)
