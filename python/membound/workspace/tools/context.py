"""The tools of past sessions: their last turns, earlier ones, searching, and reading some whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta

from membound.workspace.tools.arguments import (
    BUDGET,
    Arguments,
    Budget,
    Cursor,
    Limit,
    Most,
)
from membound.workspace.tools.cursor import Place
from membound.workspace.tools.fitting import Fields, Run, fields_of, fit, paged, size
from membound.workspace.tools.places import RECENT, Rounds
from membound.workspace.tools.tool import Tool

if TYPE_CHECKING:
    from membound.workspace.workspace import Workspace

__all__ = ["TOOLS", "Reference", "SessionId", "TurnId"]

SessionId = Annotated[str, Meta(min_length=1, description="Id of the session.")]
TurnId = Annotated[int, Meta(ge=0, description="Number of the turn in its session.")]
Before = Annotated[int, Meta(ge=1, description="Only turns before this one.")]
Day = Annotated[str, Meta(min_length=1, description="Day in UTC, as 2026-02-28, itself included.")]
Query = Annotated[str, Meta(description="Words to find, in any language.")]
Detail = Annotated[
    Literal["compact", "normal", "full"],
    Meta(description="Of each match: only where it is, its text cut, or its text."),
]

COMPACT: Final = ("sessionId", "turnId", "timestamp", "score")
MOST_TURNS: Final = 100
"""Most turns that are read for one reply."""
ROOM: Final = 200
"""Characters for what a reply says beside its turns."""


class Reference(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    rename={"session_id": "sessionId", "turn_id": "turnId"},
):
    """One turn of one session."""

    session_id: SessionId
    turn_id: TurnId


References = Annotated[tuple[Reference, ...], Meta(max_length=1_000, description="Which turns.")]


class LoadArguments(Arguments, frozen=True, kw_only=True):
    """What `load_workspace_context` takes."""

    detailed_rounds: Rounds | None = None
    summary_rounds: Rounds | None = None
    max_output_chars: Budget = BUDGET


class MoreArguments(Arguments, frozen=True, kw_only=True, rename={"session_id": "sessionId"}):
    """What `load_more_context` takes."""

    before_turn_id: Before
    limit: Limit | None = None
    session_id: SessionId | None = None
    max_output_chars: Budget = BUDGET


class SearchContextArguments(Arguments, frozen=True, kw_only=True):
    """What `search_context` takes."""

    query: Query = ""
    date_from: Day | None = None
    date_to: Day | None = None
    limit: Most = 10
    detail: Detail = "normal"
    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


class TurnsArguments(Arguments, frozen=True, kw_only=True):
    """What `load_turn_context` takes."""

    references: References
    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


def _load(workspace: Workspace, asked: LoadArguments) -> Fields:
    found = fields_of(workspace.load_context(asked.detailed_rounds, asked.summary_rounds))
    return fit(found, asked.max_output_chars, RECENT)[0]


def _load_more(workspace: Workspace, asked: MoreArguments) -> Fields:
    found = workspace.load_more(asked.before_turn_id, asked.limit, session_id=asked.session_id)
    run = Run("rounds", oldest_first=True, least=1)
    fields, dropped = fit(fields_of(found), asked.max_output_chars, [run])
    if dropped["rounds"]:
        fields["hasMore"] = True
    return fields


def _search(workspace: Workspace, asked: SearchContextArguments) -> Fields:
    if not asked.query.strip():
        return {"query": "", "totalMatches": 0, "matches": []}

    def page(limit: int | None) -> object:
        found = workspace.search_context(
            asked.query,
            date_from=asked.date_from,
            date_to=asked.date_to,
            limit=limit or asked.limit,
            cursor=asked.cursor,
        )
        return _with_detail(workspace, fields_of(found), asked.detail)

    return paged(page, "matches", asked.limit, asked.max_output_chars)


def _with_detail(workspace: Workspace, found: Fields, detail: str) -> Fields:
    if detail == "compact":
        found["matches"] = [{name: match[name] for name in COMPACT} for match in found["matches"]]
    elif detail == "full":
        found["matches"] = _in_full(workspace, found["matches"])
    return found


def _in_full(workspace: Workspace, matches: list[Fields]) -> list[Fields]:
    """Gives found turns with their texts as `load_turn_context` gives them."""
    places = [(match["sessionId"], match["turnId"]) for match in matches]
    turns = fields_of(workspace.load_turns(places))["rounds"]
    texts = {(turn["sessionId"], turn["turnId"]): turn for turn in turns}
    whole = [texts.get(place, match) for place, match in zip(places, matches, strict=True)]
    return [
        match | {"user": turn["user"], "agent": turn["agent"]}
        for match, turn in zip(matches, whole, strict=True)
    ]


def _load_turns(workspace: Workspace, asked: TurnsArguments) -> Fields:
    place = Place.of(asked.cursor)
    references = list(dict.fromkeys((one.session_id, one.turn_id) for one in asked.references))
    wanted = references[place.skip : place.skip + MOST_TURNS]
    found = fields_of(workspace.load_turns(wanted))
    rounds = {(turn["sessionId"], turn["turnId"]): turn for turn in found["rounds"]}
    fields: Fields = {"rounds": [], "notFound": []}
    room = asked.max_output_chars - ROOM
    served = 0
    for session_id, turn_id in wanted:
        turn = rounds.get((session_id, turn_id))
        item = turn or {"sessionId": session_id, "turnId": turn_id}
        room -= size(item) + 1
        if room < 0 and served:
            break
        fields["rounds" if turn else "notFound"].append(item)
        served += 1
    fields, _ = fit(fields, asked.max_output_chars - ROOM)
    if left := len(references) - place.skip - served:
        fields |= {"left": left, "next_cursor": place.later(served).text}
    return fields


TOOLS: Final = (
    Tool(
        name="load_workspace_context",
        title="Load recent turns",
        description="Load the last turns of the current session, the latest ones in detail.",
        arguments=LoadArguments,
        run=_load,
        long=True,
    ),
    Tool(
        name="load_more_context",
        title="Load earlier turns",
        description=(
            "Load summaries of turns before a turn. To go on, call it with the first turnId of "
            "the reply while hasMore is true."
        ),
        arguments=MoreArguments,
        run=_load_more,
        missed={"rounds": []},
    ),
    Tool(
        name="search_context",
        title="Search sessions",
        description=(
            "Find turns of all past sessions by words, best first. Use it for what was said or "
            "done and never written down as a memory."
        ),
        arguments=SearchContextArguments,
        run=_search,
        missed={"matches": []},
        long=True,
    ),
    Tool(
        name="load_turn_context",
        title="Load turns",
        description="Load given turns in detail, as search_context and trace_theme name them.",
        arguments=TurnsArguments,
        run=_load_turns,
        missed={"rounds": [], "notFound": []},
    ),
)
