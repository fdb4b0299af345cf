"""The verbs of themes: tag, trace, list, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from membound.errors import (
    InvalidInputError,
    NoteNotFoundError,
    SessionNotFoundError,
    ThemeNotFoundError,
    TurnNotFoundError,
)
from membound.excerpt import excerpt
from membound.numbers import count
from membound.request import MOST_RECORDS
from membound.times import timestamp
from membound.workspace.asked import Asked, asked_words
from membound.workspace.detector import Candidate, grouped
from membound.workspace.paths import address
from membound.workspace.records import THEMES
from membound.workspace.results.themes import (
    Tagged,
    TaggedRef,
    Traced,
    TracedMemory,
    TracedTurn,
    TurnContent,
)
from membound.workspace.sessions.turn import Called
from membound.workspace.theme import TurnReference
from membound.workspace.theme_name import checked_name
from membound.workspace.verbs.opened import reference_to
from membound.workspace.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from membound.workspace.detector import Group
    from membound.workspace.note import Note
    from membound.workspace.sessions.turn import Turn

__all__ = ["ThemeVerbs"]

MOST_SEEDS: Final = 3


class ThemeVerbs(SessionVerbs):
    """What is done to themes."""

    def tag_theme(
        self,
        theme: str,
        *,
        session_id: str | None = None,
        turn_id: int | None = None,
        memory_key: str | None = None,
        memory_folder: str | None = None,
        memory_title: str | None = None,
    ) -> Tagged:
        """Puts a turn, a note, or one of each, in a theme, which is made where there is none.

        Raises:
            InvalidInputError: neither is given, or a name is none.
            SessionNotFoundError, TurnNotFoundError, NoteNotFoundError: it is not there.
            CanonicalFileError: the theme's file cannot be used or written.
        """
        name = checked_name(theme)
        if (session_id is None) != (turn_id is None):
            raise InvalidInputError("reference", "sessionId and turnId together", "one of them")
        turn = self._turn_reference(session_id, turn_id)
        note = self._note_to_tag(memory_folder, memory_key)
        if turn is None and note is None:
            expected = "sessionId and turnId, or memoryKey"
            raise InvalidInputError("reference", expected, "neither")
        now = self._now()
        with self._changing():
            if turn is not None:
                found = self._themes.tag_turn(name, turn, now)
            if note is not None:
                found = self._themes.tag_memory(
                    name, reference_to(note, now), now, title=memory_title
                )
        return Tagged(
            theme=found.theme,
            display_name=found.display_name,
            ref=_tagged(turn, note, memory_title),
        )

    def _turn_reference(self, session_id: str | None, turn_id: int | None) -> TurnReference | None:
        """Refers to a turn, at its own time, which is now where its host says none."""
        if session_id is None or turn_id is None:
            return None
        moment = self._turn(session_id, turn_id).timestamp or timestamp(self._now())
        return TurnReference(session_id=session_id, turn_id=turn_id, timestamp=moment)

    def _note_to_tag(self, folder: str | None, key: str | None) -> Note | None:
        if key is None:
            return None
        place = address(folder, key)
        if (note := self._garden.read(place)) is None:
            raise NoteNotFoundError(place.path)
        return note

    def trace_theme(self, theme: str, *, include_turn_content: bool = False) -> Traced:
        """Gives what belongs to a theme, in the order of its time.

        A note that is not there is told as deleted, whoever took it away.

        Args:
            theme: its name, or that of its file.
            include_turn_content: whether each turn is told in full, with what was refined of it.

        Raises:
            InvalidNameError: it is no name.
            ThemeNotFoundError: there is none.
            CanonicalFileError: its file cannot be used.
        """
        found = self._themes.read(theme)
        if found is None:
            raise ThemeNotFoundError(checked_name(theme))
        found = found.in_time()
        self._catalogue.look()
        there = self._catalogue.known
        return Traced(
            theme=found.theme,
            display_name=found.display_name,
            created_at=found.created_at,
            updated_at=found.updated_at,
            turn_count=len(found.turns),
            memory_count=len(found.memories),
            turns=tuple(
                self._traced(turn) if include_turn_content else _plain(turn) for turn in found.turns
            ),
            memories=tuple(
                TracedMemory(
                    key=one.key,
                    folder=one.folder,
                    title=one.title,
                    timestamp=one.timestamp,
                    deleted=True if one.deleted or one.address.path not in there else UNSET,
                )
                for one in found.memories
            ),
        )

    def _traced(self, turn: TurnReference) -> TracedTurn:
        """Tells a turn in full, as far as it is there."""
        plain = _plain(turn)
        try:
            content = self._turn(turn.session_id, turn.turn_id)
        except (SessionNotFoundError, TurnNotFoundError) as fault:
            return msgspec.structs.replace(plain, content=None, error=str(fault))
        return msgspec.structs.replace(
            plain, content=_whole(content), refined=self._refined(turn.session_id, turn.turn_id)
        )

    def detect_theme(
        self,
        seeds: Iterable[str],
        *,
        date_from: str | None = None,
        date_to: str | None = None,
    ) -> tuple[Group, ...]:
        """Finds turns that may belong to one theme, of which nothing is known yet, in groups.

        All sessions are searched for each seed; what is found is refined, once for all themes, and
        grouped by closeness in time and shared terms. Nothing is tagged: `tag_theme` does that
        once somebody has read the turns.

        Args:
            seeds: one to three words or phrases.
            date_from: only turns of this day of UTC, as 2026-02-28, and later.
            date_to: only turns of this day and earlier.

        Raises:
            InvalidInputError: an argument is not acceptable.
            StoreBusyError: another process held the workspace for too long.
        """
        words = tuple(seeds)
        if isinstance(seeds, str) or not 1 <= len(words) <= MOST_SEEDS:
            expected = f"one to {MOST_SEEDS} words"
            raise InvalidInputError("seeds", expected, excerpt(seeds))
        scores: dict[tuple[str, int], float] = {}
        for seed in words:
            found = self.search_context(
                seed, date_from=date_from, date_to=date_to, limit=MOST_RECORDS
            )
            for match in found.matches:
                place = (match.session_id, match.turn_id)
                scores[place] = max(match.score, scores.get(place, 0.0))
        return grouped(self._candidates(scores), words)

    def _candidates(self, scores: Mapping[tuple[str, int], float]) -> list[Candidate]:
        """Reads the turns that were found, and refines them."""
        sessions = self._sessions.all()
        turns: dict[str, list[Turn]] = {}
        for session_id, turn_id in scores:
            turns.setdefault(session_id, []).append(self._turn(session_id, turn_id, sessions))
        with self._changing():
            return [
                Candidate(turn=turn, refined=row, score=scores[session_id, turn.turn_id])
                for session_id, some in turns.items()
                for turn, row in zip(some, self._refine(session_id, some), strict=True)
            ]

    def search_themes(self, query: str, *, limit: int = 10) -> tuple[str, ...]:
        """Finds the themes that are relevant to a query, best first; none where none is.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        asked = Asked(query=asked_words(query), now=self._now(), within=THEMES)
        most = count(limit, "limit", 1, MOST_RECORDS)
        page = self._asking([self._theme_index], lambda: self._search.page(asked, limit=most))
        return tuple(
            hit.locator.removeprefix(f"{THEMES}/").removesuffix(".json") for hit in page.hits
        )

    def list_themes(self) -> tuple[str, ...]:
        """Lists the names of the files of all themes."""
        return self._themes.names()

    def delete_theme(self, theme: str) -> None:
        """Deletes a theme; what belongs to it stays.

        Raises:
            InvalidNameError: it is no name.
            ThemeNotFoundError: there is none.
        """
        with self._changing():
            self._themes.remove(theme)


def _tagged(turn: TurnReference | None, note: Note | None, title: str | None) -> TaggedRef:
    ref = TaggedRef()
    if turn is not None:
        ref = TaggedRef(session_id=turn.session_id, turn_id=turn.turn_id)
    if note is not None:
        place = note.address
        ref = msgspec.structs.replace(
            ref, memory_key=place.key, folder=place.folder, title=title or note.title
        )
    return ref


def _plain(turn: TurnReference) -> TracedTurn:
    return TracedTurn(session_id=turn.session_id, turn_id=turn.turn_id, timestamp=turn.timestamp)


def _whole(turn: Turn) -> TurnContent:
    return TurnContent(
        user=turn.user,
        agent=turn.agent,
        timestamp=turn.timestamp,
        actions=tuple(
            Called(name=one.name, args=one.args, result=one.result) for one in turn.actions
        ),
    )
