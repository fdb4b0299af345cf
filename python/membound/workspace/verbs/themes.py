"""The verbs of themes: tag, trace, list, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from membound.errors import (
    InvalidInputError,
    NoteNotFoundError,
    SessionNotFoundError,
    ThemeNotFoundError,
    TurnNotFoundError,
)
from membound.times import EPOCH
from membound.workspace.paths import address
from membound.workspace.results import (
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
from membound.workspace.verbs.digest import DigestVerbs
from membound.workspace.verbs.opened import reference_to

if TYPE_CHECKING:
    from membound.workspace.note import Note
    from membound.workspace.sessions.turn import Turn

__all__ = ["ThemeVerbs"]


class ThemeVerbs(DigestVerbs):
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
        if session_id is None or turn_id is None:
            return None
        turn = self._turn(session_id, turn_id)
        return TurnReference(
            session_id=session_id, turn_id=turn_id, timestamp=turn.timestamp or EPOCH
        )

    def _note_to_tag(self, folder: str | None, key: str | None) -> Note | None:
        if key is None:
            return None
        place = address(folder, key)
        if (note := self._garden.read(place)) is None:
            raise NoteNotFoundError(place.path)
        return note

    def trace_theme(self, theme: str, *, include_turn_content: bool = False) -> Traced:
        """Gives what belongs to a theme, in the order of its time.

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
                    deleted=True if one.deleted else UNSET,
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
        ref = TaggedRef(session_id=turn.session_id, turn_id=turn.turn_id, timestamp=turn.timestamp)
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
