"""One turn of a session: what was asked, answered and done; and its short forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from membound.workspace.cutting import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "Action",
    "Called",
    "Compaction",
    "DetailedRound",
    "SummaryRound",
    "Turn",
    "detailed",
    "snippet",
    "summary",
]

ELLIPSIS: Final = "..."
USER_CHARACTERS: Final = 2_000
AGENT_CHARACTERS: Final = 4_000
SUMMARY_CHARACTERS: Final = 120
SNIPPET_CHARACTERS: Final = 240
AROUND: Final = 60
"""Characters that a snippet shows on each side of what was found."""


class Called(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A call of a tool, as clients are shown it.

    Attributes:
        name: of the tool.
        args: what it was given, such as ``path=src/queue.rs``.
        result: ``success: …`` or ``error: …``; empty where none came.
    """

    name: str
    args: str
    result: str


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool.

    Attributes:
        name: as in `Called`.
        args: as in `Called`.
        result: as in `Called`.
        files: the files that its arguments name.
    """

    name: str
    args: str = ""
    result: str = ""
    files: tuple[str, ...] = ()


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said, and what the agent said and did until the next such word.

    Attributes:
        session_id: its session.
        turn_id: its number by the host's clock; numbers may be missing.
        timestamp: when it began, as canonical text; None where the host does not say.
        user: what the person said.
        agent: what the agent said.
        actions: what it did.
    """

    session_id: str
    turn_id: int
    timestamp: str | None = None
    user: str = ""
    agent: str = ""
    actions: tuple[Action, ...] = ()


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """A summary by which a host replaced what it had said before."""

    time: str | None
    summary: str


class DetailedRound(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn with its text, cut where it is very long."""

    turn_id: int
    timestamp: str | None
    user: str
    agent: str
    actions: tuple[Called, ...]


class SummaryRound(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn in one line or two."""

    turn_id: int
    timestamp: str | None
    summary: str


def detailed(turn: Turn) -> DetailedRound:
    """Gives a turn with its text."""
    return DetailedRound(
        turn_id=turn.turn_id,
        timestamp=turn.timestamp,
        user=cut(turn.user, USER_CHARACTERS, ELLIPSIS),
        agent=cut(turn.agent, AGENT_CHARACTERS, ELLIPSIS),
        actions=tuple(
            Called(name=action.name, args=action.args, result=action.result)
            for action in turn.actions
        ),
    )


def summary(turn: Turn) -> SummaryRound:
    """Gives a turn in short."""
    parts = [f"User: {cut(turn.user, SUMMARY_CHARACTERS, ELLIPSIS)}"]
    if turn.agent:
        parts.append(f"Agent: {cut(turn.agent, SUMMARY_CHARACTERS, ELLIPSIS)}")
    if names := ", ".join(dict.fromkeys(action.name for action in turn.actions)):
        parts.append(f"Actions: {names}")
    return SummaryRound(turn_id=turn.turn_id, timestamp=turn.timestamp, summary=" | ".join(parts))


def snippet(text: str, terms: Iterable[str], most: int = SNIPPET_CHARACTERS) -> str:
    """Gives what stands around the longest of some terms that a text has, or else its start."""
    found = _found(text, sorted((term for term in terms if term), key=len, reverse=True))
    if found is None:
        return cut(text, most, ELLIPSIS)
    start = _boundary(text, max(found.start() - AROUND, 0))
    end = _boundary(text, min(found.end() + AROUND, len(text)))
    before = ELLIPSIS if start > 0 else ""
    after = ELLIPSIS if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def _found(text: str, terms: Sequence[str]) -> re.Match[str] | None:
    """Finds the first of some terms that a text has, in capitals or not."""
    for term in terms:
        if found := re.search(re.escape(term), text, re.IGNORECASE):
            return found
    return None


def _boundary(text: str, at: int) -> int:
    """Gives the last place up to there that is not inside of one character with its marks."""
    return len(cut(text, at)) if at else 0
