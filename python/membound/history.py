"""The verbs of a record's past: reading it, and going back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from membound.mutations import Mutations
from membound.revision import rolled_back
from membound.times import timestamp

if TYPE_CHECKING:
    from datetime import datetime

    from membound.parts import Revision
    from membound.records import MemoryRecord
    from membound.revision import EditOptions, Noted

__all__ = ["History"]


class History(Mutations):
    """What `MemoryStore` keeps of every record's former states."""

    def history(self, id: str) -> tuple[Revision, ...]:
        """Gives the former states that a record keeps, oldest first.

        Each says when it was replaced, by which operation, by whom and why where that was noted.

        Raises:
            NotFoundError: there is no such record.
            CanonicalFileError: its file cannot be used.
        """
        self._session.check()
        return self._session.canonical.require(id).history

    def rollback(self, id: str, revision: int, **edit: Unpack[EditOptions]) -> MemoryRecord:
        """Gives a record the state of a former revision again, as a new revision.

        What that state lacked is absent again: a later expiry, validity or disabling goes. Id,
        scope, place and a successor's mark stay.

        Raises:
            NotFoundError: there is no such record.
            RevisionNotFoundError: it keeps no such revision; those that it keeps are named.
            ConflictError: it is deleted, or the revision was another agent's.
            RevisionConflictError: it is not at ``expected_revision``.
            InvalidInputError: that state is a standing rule that may not be.
        """

        def back(record: MemoryRecord, now: datetime, **noted: Unpack[Noted]) -> MemoryRecord:
            return rolled_back(record, revision, timestamp(now), **noted)

        return self._revise(id, back, **edit)
