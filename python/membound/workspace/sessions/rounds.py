"""The last turns of a session, and those before them, as clients are shown them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from membound.workspace.sessions.turn import (
    Compaction,
    DetailedRound,
    SummaryRound,
    Turn,
    detailed,
    summary,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EarlierRounds", "RecentRounds", "earlier_rounds", "recent_rounds"]


class RecentRounds(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The end of a session: the last turns with their text, some before them in short."""

    session_id: str
    total_turns: int
    detailed_rounds: tuple[DetailedRound, ...]
    summary_rounds: tuple[SummaryRound, ...]
    compaction_summaries: tuple[Compaction, ...]


class EarlierRounds(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Turns of a session that came before one, in short."""

    session_id: str | None = None
    total_turns: int | None = None
    before_turn_id: int
    rounds: tuple[SummaryRound, ...]
    has_more: bool


def recent_rounds(
    session_id: str,
    turns: Sequence[Turn],
    compactions: Sequence[Compaction],
    *,
    detailed_rounds: int,
    summary_rounds: int,
) -> RecentRounds:
    """Gives the end of a session.

    Args:
        session_id: the session.
        turns: all of its turns, in order.
        compactions: its last compactions.
        detailed_rounds: how many turns with their text; less than none is none.
        summary_rounds: how many before them.
    """
    middle = max(len(turns) - max(detailed_rounds, 0), 0)
    first = max(middle - max(summary_rounds, 0), 0)
    return RecentRounds(
        session_id=session_id,
        total_turns=len(turns),
        detailed_rounds=tuple(map(detailed, turns[middle:])),
        summary_rounds=tuple(map(summary, turns[first:middle])),
        compaction_summaries=tuple(compactions),
    )


def earlier_rounds(
    session_id: str, turns: Sequence[Turn], *, before_turn_id: int, limit: int
) -> EarlierRounds:
    """Gives the turns of a session before one.

    Args:
        session_id: the session.
        turns: all of its turns, in order.
        before_turn_id: the number of a turn, which need not be there.
        limit: how many turns, at least one.
    """
    before = [turn for turn in turns if turn.turn_id < before_turn_id]
    shown = before[-max(limit, 1) :]
    return EarlierRounds(
        session_id=session_id,
        total_turns=len(turns),
        before_turn_id=before_turn_id,
        rounds=tuple(map(summary, shown)),
        has_more=len(shown) < len(before),
    )
