"""What the verbs of sessions give back; in JSON the names are in camel case."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from membound.workspace.refined import Refined
from membound.workspace.results.place import Place
from membound.workspace.search import Searched
from membound.workspace.sessions.rounds import RecentRounds
from membound.workspace.sessions.turn import DetailedRound

__all__ = [
    "FoundTurn",
    "FoundTurns",
    "LoadedContext",
    "LoadedTurn",
    "LoadedTurns",
    "MissingTurn",
    "RecentContext",
    "RefinedTurns",
]


class RecentContext(RecentRounds, frozen=True, kw_only=True, rename="camel"):
    """The last turns of a session.

    Attributes:
        loaded_from_previous: whether it is the session before the current one.
    """

    loaded_from_previous: bool | UnsetType = UNSET


class LoadedContext(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The last turns of the current session; None without sessions."""

    workspace: Place
    recent_context: RecentContext | None


class FoundTurn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn that a search found.

    Attributes:
        score: its final score, from 0 to 1.
        user: what was said, cut at 1,000 characters.
        agent: what was answered, cut at 2,000.
        snippet: what stands around the first word that was found.
        actions: the tools that were called.
    """

    session_id: str
    turn_id: int
    timestamp: str | None
    score: float
    user: str
    agent: str
    snippet: str
    actions: tuple[str, ...]


class FoundTurns(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The turns that are relevant to a query, best first, and what was searched.

    Attributes:
        total_matches: how many are relevant; of very many, the pieces of their text.
    """

    query: str
    total_matches: int
    matches: tuple[FoundTurn, ...]
    searched: Searched
    next_cursor: str | None = msgspec.field(default=None, name="next_cursor")


class MissingTurn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn that is not there."""

    session_id: str
    turn_id: int


class LoadedTurn(DetailedRound, frozen=True, kw_only=True, rename="camel"):
    """A turn in full, of some session."""

    session_id: str


class LoadedTurns(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Turns in the order in which they were asked for, and those that are not there."""

    rounds: tuple[LoadedTurn, ...]
    not_found: tuple[MissingTurn, ...]


class RefinedTurns(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was drawn out of turns, and where it is kept.

    Attributes:
        sample: the first two.
    """

    session_id: str
    refined_count: int
    output_path: str
    sample: tuple[Refined, ...]
