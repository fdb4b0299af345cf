"""The verbs of sessions: their last turns, earlier ones, search, single turns, refining."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

import msgspec

from membound.errors import SessionNotFoundError, TurnNotFoundError
from membound.numbers import count
from membound.request import MOST_RECORDS
from membound.workspace.asked import Asked, asked_words, units
from membound.workspace.records import SESSIONS
from membound.workspace.refine import is_current, refined
from membound.workspace.refined import read_rows, refined_path, write_rows
from membound.workspace.results.sessions import (
    FoundTurn,
    FoundTurns,
    LoadedContext,
    LoadedTurn,
    LoadedTurns,
    MissingTurn,
    RecentContext,
    RefinedTurns,
)
from membound.workspace.sessions.days import day
from membound.workspace.sessions.places import session_of
from membound.workspace.sessions.rounds import EarlierRounds, earlier_rounds, recent_rounds
from membound.workspace.sessions.turn import detailed, snippet
from membound.workspace.verbs.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from membound.workspace.refined import Refined
    from membound.workspace.search import Hit
    from membound.workspace.sessions.places import Session
    from membound.workspace.sessions.turn import Turn

__all__ = ["SessionVerbs"]


class SessionVerbs(Opened):
    """What is done to sessions, which are the host's and only read."""

    def load_context(
        self, detailed_rounds: int | None = None, summary_rounds: int | None = None
    ) -> LoadedContext:
        """Gives the last turns of the session that was written last.

        Args:
            detailed_rounds: how many turns in full; as is configured if left out.
            summary_rounds: how many before them in short; the same.

        Raises:
            InvalidInputError: a number is none.
        """
        sessions = self._sessions.all()
        recent = self._rounds(sessions[0], detailed_rounds, summary_rounds) if sessions else None
        return LoadedContext(workspace=self.place, recent_context=recent)

    def _recent_context(
        self, detailed_rounds: int | None, summary_rounds: int | None, *, force: bool
    ) -> RecentContext | None:
        """Gives the end of the session before, where the current one has hardly begun."""
        sessions = self._sessions.all()
        if not sessions:
            return None
        if force:
            return self._rounds(sessions[0], detailed_rounds, summary_rounds)
        if len(sessions) == 1 or len(self._sessions.read(sessions[0]).live) > 1:
            return None
        previous = self._rounds(sessions[1], detailed_rounds, summary_rounds)
        return msgspec.structs.replace(previous, loaded_from_previous=True)

    def _rounds(
        self, session: Session, detailed_rounds: int | None, summary_rounds: int | None
    ) -> RecentContext:
        usual = self._config
        more = self._sessions.read(session)
        found = recent_rounds(
            session.id,
            more.turns,
            more.compactions,
            detailed_rounds=_rounds_of(detailed_rounds, "detailed_rounds", usual.detailed_rounds),
            summary_rounds=_rounds_of(summary_rounds, "summary_rounds", usual.summary_rounds),
        )
        return RecentContext(**msgspec.structs.asdict(found))

    def load_more(
        self, before_turn_id: int, limit: int | None = None, *, session_id: str | None = None
    ) -> EarlierRounds:
        """Gives turns of a session before one, in short.

        Args:
            before_turn_id: only turns before this one, which need not be there.
            limit: how many; as is configured if left out.
            session_id: the session; the one that was written last if left out.

        Raises:
            InvalidInputError: a number is none.
            SessionNotFoundError: there is no session of that id.
        """
        before = count(before_turn_id, "before_turn_id", 1)
        most = self._config.more_rounds if limit is None else count(limit, "limit", 1)
        session = session_of(self._sessions.all(), session_id)
        if session is None:
            if session_id is not None:
                raise SessionNotFoundError(session_id)
            return EarlierRounds(before_turn_id=before, rounds=(), has_more=False)
        turns = self._sessions.read(session).turns
        return earlier_rounds(session.id, turns, before_turn_id=before, limit=most)

    def search_context(
        self,
        query: str,
        *,
        date_from: str | None = None,
        date_to: str | None = None,
        limit: int = 10,
        cursor: str | None = None,
    ) -> FoundTurns:
        """Finds the turns of all sessions that are relevant to a query; none where none is.

        Args:
            query: the words; their order does not matter.
            date_from: only turns of this day of UTC, as 2026-02-28, and later.
            date_to: only turns of this day and earlier.
            limit: most turns, up to 64.
            cursor: the `next_cursor` of the page before.

        Raises:
            InvalidInputError: an argument is not acceptable.
            StoreBusyError: another process held the workspace for too long.
        """
        asked = Asked(
            query=asked_words(query),
            now=self._now(),
            within=SESSIONS,
            since=None if date_from is None else _midnight(date_from, "date_from", 0),
            until=None if date_to is None else _midnight(date_to, "date_to", 1),
        )
        most = count(limit, "limit", 1, MOST_RECORDS)
        page = self._asking(
            [self._sessions], lambda: self._search.page(asked, limit=most, cursor=cursor)
        )
        words = units(query)
        return FoundTurns(
            query=query,
            total_matches=page.places,
            matches=tuple(
                found for hit in page.hits if (found := self._found_turn(hit, words)) is not None
            ),
            searched=page.searched,
            next_cursor=page.next_cursor,
        )

    def _found_turn(self, hit: Hit, words: Sequence[str]) -> FoundTurn | None:
        _, session_id, turn_id = hit.locator.split("/")
        told = self._search.told(hit)
        if told is None:
            return None
        return FoundTurn(
            session_id=session_id,
            turn_id=int(turn_id),
            timestamp=told.timestamp,
            score=hit.score,
            user=told.user,
            agent=told.agent,
            snippet=_snippet(f"{told.user}\n{told.agent}", hit.text, words),
            actions=told.actions,
        )

    def load_turns(self, references: Iterable[tuple[str, int]]) -> LoadedTurns:
        """Gives turns in full, each once and in the order in which they are asked for."""
        found: list[LoadedTurn] = []
        missing: list[MissingTurn] = []
        sessions = self._sessions.all()
        for session_id, turn_id in dict.fromkeys(references):
            try:
                turn = self._turn(session_id, turn_id, sessions)
            except (SessionNotFoundError, TurnNotFoundError):
                missing.append(MissingTurn(session_id=session_id, turn_id=turn_id))
            else:
                fields = msgspec.structs.asdict(detailed(turn))
                found.append(LoadedTurn(session_id=session_id, **fields))
        return LoadedTurns(rounds=tuple(found), not_found=tuple(missing))

    def refine(
        self,
        session_id: str | None = None,
        *,
        turn_ids: Sequence[int] | None = None,
        limit: int | None = None,
    ) -> RefinedTurns:
        """Draws facts, notes, files, tools and errors out of turns by fixed rules, and keeps them.

        Args:
            session_id: the session; the one that was written last if left out.
            turn_ids: only these turns; those that are not there are left out.
            limit: only so many of the last.

        Raises:
            SessionNotFoundError: there is no such session, or none at all.
            InvalidInputError: a number is none.
        """
        session = session_of(self._sessions.all(), session_id)
        if session is None:
            raise SessionNotFoundError(session_id or "")
        most = None if limit is None else count(limit, "limit", 0)
        turns = [
            turn
            for turn in self._sessions.read(session).turns
            if turn_ids is None or turn.turn_id in turn_ids
        ]
        chosen = turns if most is None else turns[len(turns) - min(most, len(turns)) :]
        with self._changing():
            rows = self._refine(session.id, chosen)
        return RefinedTurns(
            session_id=session.id,
            refined_count=len(rows),
            output_path=str(self._root.real(refined_path(session.id))),
            sample=tuple(rows[:2]),
        )

    def _refine(self, session_id: str, turns: Iterable[Turn]) -> list[Refined]:
        """Draws out of turns what was not drawn out of them yet, and keeps it."""
        known = read_rows(self._root, session_id).by_turn
        rows = [_row_of(turn, known.get(turn.turn_id)) for turn in turns]
        write_rows(self._root, session_id, rows)
        return rows

    def _refined(self, session_id: str, turn_id: int) -> Refined | None:
        """Gives what was drawn out of a turn, if it was."""
        return read_rows(self._root, session_id).by_turn.get(turn_id)

    def _turn(self, session_id: str, turn_id: int, among: Sequence[Session] | None = None) -> Turn:
        """Reads one turn.

        Args:
            session_id: its session.
            turn_id: its number there.
            among: the sessions, where they are known.

        Raises:
            SessionNotFoundError, TurnNotFoundError: it is not there.
        """
        session = session_of(self._sessions.all() if among is None else among, session_id)
        if session is None:
            raise SessionNotFoundError(session_id)
        for turn in self._sessions.read(session).turns:
            if turn.turn_id == turn_id:
                return turn
        raise TurnNotFoundError(session_id, turn_id)


def _snippet(said: str, text: str, words: Sequence[str]) -> str:
    """Shows where a word was found: in what is told of a turn, else in the piece that was found."""
    folded = said.casefold()
    return snippet(said if any(word in folded for word in words) else text, words)


def _row_of(turn: Turn, known: Refined | None) -> Refined:
    """Gives what is known of a turn that has not grown since, else what is drawn out of it now."""
    return known if known is not None and is_current(known, turn) else refined(turn)


def _rounds_of(value: int | None, field: str, usual: int) -> int:
    return usual if value is None else count(value, field, 0)


def _midnight(text: str, field: str, days: int) -> datetime:
    """Gives the beginning of a day of UTC, or of one after it."""
    start = datetime.combine(day(text, field), time(tzinfo=UTC))
    try:
        return start + timedelta(days=days)
    except OverflowError:  # no day comes after it
        return datetime.max.replace(tzinfo=UTC)
