"""The turns of all sessions in the search index; of a wire file only what came is read."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from membound.workspace.follower import Follower, decoded
from membound.workspace.records import part_ids, turn_locator, turn_records
from membound.workspace.sessions.places import sessions_of
from membound.workspace.sessions.reader import Mark, read_more

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from membound.workspace.search_index import SearchIndex
    from membound.workspace.sessions.places import Session
    from membound.workspace.sessions.reader import More
    from membound.writer import Writer

__all__ = ["SessionIndex"]

MOST_SESSIONS: Final = 16
"""Sessions that are held as they were read."""

_NOTE: Final = "wire:"


class Read(msgspec.Struct, frozen=True, array_like=True):
    """What was read of a wire file.

    Attributes:
        stamp: its size then, and when it was last changed.
        mark: from where to read on.
        parts: how many records each turn has.
        skipped: how many lines are no records.
    """

    stamp: tuple[int, int]
    mark: Mark
    parts: dict[int, int]
    skipped: int


_DECODER: Final = msgspec.json.Decoder(Read)


class SessionIndex(Follower):
    """What is known of the sessions of a workspace.

    Args:
        root: the host's folder of sessions; it need not be there.
        workspace_hash: by which the host names the folders of the workspace.
        index: where the records of turns go.
        writer: the right to write.
        workspace: the id of the workspace.
    """

    def __init__(
        self,
        root: Path,
        workspace_hash: str,
        index: SearchIndex,
        writer: Writer,
        *,
        workspace: str,
    ) -> None:
        super().__init__(index, writer, workspace=workspace)
        self._root = root
        self._hash = workspace_hash
        self._notes: dict[str, str] = {}
        self._whole = lru_cache(MOST_SESSIONS)(_whole)
        self._read: dict[str, Read] = {}

    def read(self, session: Session) -> More:
        """Reads a whole session, or gives it as it was when its file looked the same."""
        return self._whole(session)

    def all(self) -> tuple[Session, ...]:
        """Gives the sessions, the one that was written last first."""
        return sessions_of(self._root, self._hash)

    def _look(self, progress: Callable[[int, int], None] | None) -> None:
        self._take_noted()
        there = {session.id: session for session in self.all()}
        gone = [id for id in self._read if id not in there]
        changed = [one for one in there.values() if self._is_changed(one)]
        if not gone and not changed:
            return
        with self._taking():
            self._take_noted()
            for id in gone:
                self._forget(id)
            for number, session in enumerate(changed, start=1):
                self._take(session)
                if progress is not None:
                    progress(number, len(changed))

    def _take_noted(self) -> None:
        """Takes what the index holds of each wire file; another process may have read it too."""
        notes = self._index.notes(_NOTE)
        if notes != self._notes:
            self._read = {id: decoded(_DECODER, value) for id, value in notes.items()}
            self._notes = notes

    def _is_changed(self, session: Session) -> bool:
        known = self._read.get(session.id)
        return known is None or known.stamp != (session.size, session.modified)

    def _take(self, session: Session) -> None:
        """Reads on in one wire file; another process may have done so in the meantime."""
        former = self._read.get(session.id)
        more = read_more(session.wire, session.id, None if former is None else former.mark)
        before = {} if former is None else former.parts
        made = {turn.turn_id: turn_records(turn, workspace=self._workspace) for turn in more.turns}
        counts = {turn_id: len(records) for turn_id, records in made.items()}
        parts = {id: counts.get(id, before.get(id, 0)) for id in more.live}
        removed = [
            id
            for turn_id, count in before.items()
            for id in _ids(session.id, turn_id, parts.get(turn_id, 0), count)
        ]
        now = Read((session.size, session.modified), more.mark, parts, more.skipped)
        self._index.apply(
            records=[record for records in made.values() for record in records],
            removed=removed,
            notes={_NOTE + session.id: msgspec.json.encode(now).decode()},
        )
        self._read[session.id] = now

    def _forget(self, id: str) -> None:
        if (former := self._read.pop(id, None)) is None:
            return
        removed = [one for turn, count in former.parts.items() for one in _ids(id, turn, 0, count)]
        self._index.apply(records=[], removed=removed, notes={_NOTE + id: None})


def _whole(session: Session) -> More:
    return read_more(session.wire, session.id)


def _ids(session_id: str, turn_id: int, least: int, most: int) -> list[str]:
    return part_ids("turn", turn_locator(session_id, turn_id), range(least, most))
