"""Changing one record: read it, check that it is the one that was meant, write its next state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound.changes import check_revision
from membound.times import utc

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from membound.records import MemoryRecord
    from membound.session import Session

__all__ = ["Revising"]


class Revising:
    """What the verbs that change records have in common."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def now(self) -> datetime:
        """What the store's clock says.

        Raises:
            InvalidInputError: that is no aware datetime.
        """
        return utc(self._session.clock(), "clock")

    def _begin(self, now: datetime | None) -> tuple[Session, datetime]:
        self._session.check()
        return self._session, self.now() if now is None else utc(now)

    def _revise(
        self,
        id: str,
        change: Callable[..., MemoryRecord],
        *,
        expected_revision: int | None = None,
        now: datetime | None = None,
        by: str | None = None,
        reason: str | None = None,
    ) -> MemoryRecord:
        session, moment = self._begin(now)
        with session.writer.held():
            record = session.canonical.require(id)
            check_revision(record, expected_revision)
            after = change(record, now=moment, by=by, reason=reason)
            session.commit([after])
        return after
