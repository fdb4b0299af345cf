"""The verbs that forget: a tombstone for what may come back, and nothing for what may not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from membound.changes import check_revision, marked, replaced, unmarked
from membound.errors import ConflictError, NotFoundError
from membound.revising import Revising
from membound.tombstone import TOMBSTONE, tombstone_of

if TYPE_CHECKING:
    from datetime import datetime

    from membound.records import MemoryRecord
    from membound.revision import Noted

__all__ = ["Forgetting"]


class Forgetting(Revising):
    """What takes records out of recall, and brings them back.

    A record that another one has replaced does not come back by itself when that one goes: it is
    marked as replaced, if it was not, and `restore` takes the mark away.
    """

    def delete(
        self,
        id: str,
        *,
        expected_revision: int | None = None,
        now: datetime | None = None,
        **noted: Unpack[Noted],
    ) -> MemoryRecord:
        """Makes a record a tombstone, which says nothing; recalled and imported no more.

        What it said is set aside in ``memory-deleted/`` for `restore`; `purge` erases that too.

        Returns:
            The tombstone.

        Raises:
            NotFoundError: there is no such record.
            RevisionConflictError: it is not at ``expected_revision``.
        """
        session, moment = self._begin(now)
        with session.writer.held():
            record = session.canonical.require(id)
            check_revision(record, expected_revision)
            before = session.former(record) or record
            former = marked(before, mark="deleted_at", now=moment, **noted)
            tombstone = tombstone_of(former)
            retired = self._retired(record, moment, **noted)
            session.commit([tombstone, *retired], aside=[former])
        return tombstone

    def restore(
        self,
        id: str,
        *,
        expected_revision: int | None = None,
        now: datetime | None = None,
        **noted: Unpack[Noted],
    ) -> MemoryRecord:
        """Takes a deletion back; of a record that is not deleted, that it was replaced.

        Raises:
            NotFoundError: there is no such record.
            RevisionConflictError: it is not at ``expected_revision``.
            ConflictError: what it said is gone, or another record has replaced it.
        """
        session, moment = self._begin(now)
        with session.writer.held():
            record = session.canonical.require(id)
            check_revision(record, expected_revision)
            if record.deleted_at:
                changed = self._undeleted(record, moment, **noted)
            else:
                self._refuse_successors(record, "it is replaced by {}; delete that one first")
                changed = [unmarked(record, mark="superseded_at", now=moment, **noted)]
            session.commit(changed, settled=[id])
        return changed[0]

    def purge(self, id: str, *, expected_revision: int | None = None) -> None:
        """Erases a record from its file, from what is set aside and from the index.

        There is no way back: an import, or a copy of its file, does not bring the id back here.
        Where the index cannot be cleaned, a new one takes its place.

        Raises:
            NotFoundError: there is no such record.
            RevisionConflictError: it is not at ``expected_revision``.
            CanonicalFileError: its file cannot be removed, or has no revision to be expected.
            IndexUnavailableError: the record is erased, but for what an index that membound must
                not touch may hold of it.
        """
        session, moment = self._begin(None)
        with session.writer.held():
            if expected_revision is not None:
                check_revision(session.canonical.require(id), expected_revision)
            elif not session.holds(id):
                raise NotFoundError(id)
            record = session.canonical.find(id)
            session.purge(id, [] if record is None else self._retired(record, moment))

    def _undeleted(
        self, tombstone: MemoryRecord, now: datetime, **noted: Unpack[Noted]
    ) -> list[MemoryRecord]:
        """Gives the record that was deleted; what it had replaced is replaced again."""
        former = self._session.former(tombstone)
        if former is None and tombstone.content == TOMBSTONE:
            raise ConflictError(tombstone.id, "what it said is gone; remember it anew")
        record = unmarked(former or tombstone, mark="deleted_at", now=now, **noted)
        before = self._predecessor(record)
        if before is None:
            return [record]
        advice = f"{before.id}, which it replaced, is replaced by {{}}; delete that one first"
        self._refuse_successors(before, advice, besides=record)
        return [record, *self._retired(record, now, **noted)]

    def _retired(
        self, record: MemoryRecord, now: datetime, **noted: Unpack[Noted]
    ) -> list[MemoryRecord]:
        """Gives the mark to what a record replaced, where it has none."""
        before = self._predecessor(record)
        if before is None or before.superseded_at:
            return []
        return [replaced(before, now, **noted)]

    def _predecessor(self, record: MemoryRecord) -> MemoryRecord | None:
        if record.supersedes in {None, "", record.id}:
            return None
        before = self._session.canonical.find(str(record.supersedes))
        return None if before is None or before.deleted_at else before

    def _refuse_successors(
        self, record: MemoryRecord, advice: str, *, besides: MemoryRecord | None = None
    ) -> None:
        for successor in self._session.successors(record.id):
            if besides is None or successor.id != besides.id:
                raise ConflictError((besides or record).id, advice.format(successor.id))
