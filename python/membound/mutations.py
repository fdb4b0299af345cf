"""The verbs that change a store: each is durable, and visible to recall, when it returns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from msgspec import UNSET, UnsetType

from membound.arguments import items, require_callback
from membound.changes import check_revision, corrected, marked, new_id, superseded, unmarked
from membound.draft import DraftFields, MemoryDraft
from membound.errors import ConflictError, DuplicateIdError, InvalidInputError
from membound.forgetting import Forgetting
from membound.importing import Conflict, import_records
from membound.threads import in_turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from membound.fields import Authority, MemoryType
    from membound.parts import Source
    from membound.projection import Progress
    from membound.records import MemoryRecord
    from membound.reports import ImportReport
    from membound.revision import EditOptions, Noted

__all__ = ["Mutations"]

_INHERITED = (
    "scope",
    "workspace",
    "project",
    "project_identity",
    "subject",
    "type",
    "authority",
    "tags",
    "agent_context",
)


class Mutations(Forgetting):
    """What `MemoryStore` can change."""

    def remember(
        self,
        content: str,
        *,
        id: str | None = None,
        now: datetime | None = None,
        **fields: Unpack[DraftFields],
    ) -> MemoryRecord:
        """Remembers one statement, durably.

        Args:
            content: the statement, 1 to 16,384 characters.
            id: an id of the caller's own; left out, the store makes one.
            now: the aware moment it is remembered at.
            fields: any other field of `MemoryDraft`: scope, workspace, project, type, tags, …

        Raises:
            InvalidInputError: naming the argument that is not acceptable.
            DuplicateIdError: the id given is taken.
            ConflictError: the id was purged, or the record to supersede cannot be superseded.
            StoreBusyError: another writer would not yield.
            CanonicalFileError: the file cannot be written.
        """
        return self.remember_many([{**fields, "content": content, "id": id}], now=now)[0]

    def remember_many(
        self,
        drafts: Iterable[MemoryDraft | Mapping[str, Any]],
        *,
        now: datetime | None = None,
        progress: Progress | None = None,
    ) -> tuple[MemoryRecord, ...]:
        """Remembers many statements; all are checked before the first is written.

        Args:
            drafts: drafts, or mappings of `remember`'s keywords.
            now: the aware moment they are remembered at.
            progress: called with how many are written, and how many there are.

        Raises:
            As `remember`; of a bad draft, the field begins with its position.
        """
        require_callback(progress, "progress")
        session, moment = self._begin(now)
        new = _checked(items(drafts, "drafts", "a MemoryDraft or a mapping"), moment)
        with session.writer.held():
            written: dict[str, MemoryRecord] = {}
            self._refuse_taken(new)
            remembered = [self._place(record, written, moment) for record in new]
            session.commit(list(written.values()), progress=progress)
        # A later draft may have superseded an earlier one.
        return tuple(written[record.id] for record in remembered)

    def _refuse_taken(self, new: Sequence[MemoryRecord]) -> None:
        canonical = self._session.canonical
        purged = canonical.purged()
        taken = canonical.taken(record.id for record in new)
        for record in new:
            if record.id in purged:
                reason = "it was purged and does not come back; take another id"
                raise ConflictError(record.id, reason)
            if record.id in taken:
                raise DuplicateIdError(record.id)
            taken.add(record.id)

    def _place(
        self,
        record: MemoryRecord,
        written: dict[str, MemoryRecord],
        now: datetime,
        **noted: Unpack[Noted],
    ) -> MemoryRecord:
        """Takes a new record in, and marks the one that it supersedes."""
        if record.supersedes is not None:
            before = written.get(record.supersedes)
            before = before or self._session.canonical.require(record.supersedes)
            self._refuse_cycle(record, before)
            self._refuse_successors(before, "it is replaced already; replace {} instead")
            if before.supersedes not in written:
                written.update((one.id, one) for one in self._retired(before, now, **noted))
            written[before.id] = superseded(before, record, now, **noted)
        written[record.id] = record
        return record

    def _refuse_cycle(self, record: MemoryRecord, before: MemoryRecord) -> None:
        """Refuses a record that would replace, over others, itself: an imported one may name it."""
        seen: set[str] = set()
        earlier: MemoryRecord | None = before
        while earlier is not None and earlier.supersedes and earlier.id not in seen:
            seen.add(earlier.id)
            if earlier.supersedes == record.id:
                raise ConflictError(record.id, f"{earlier.id} says that it replaces it")
            earlier = self._session.canonical.find(earlier.supersedes)

    def supersede(
        self,
        id: str,
        content: str,
        *,
        expected_revision: int | None = None,
        by: str | None = None,
        reason: str | None = None,
        now: datetime | None = None,
        **fields: Unpack[DraftFields],
    ) -> MemoryRecord:
        """Replaces a record by a new one in the same place; the old one is recalled no more.

        Args:
            id: the record to replace.
            content: the new statement.
            expected_revision: the revision of the old one that the caller read.
            by: who replaces it, for the old one's history.
            reason: why.
            now: the aware moment of the change.
            fields: fields of `MemoryDraft` that differ; subject, type, authority and tags are
                inherited.

        Returns:
            The new record.

        Raises:
            NotFoundError: there is no such record.
            ConflictError: it is deleted or replaced already.
            RevisionConflictError: it is not at ``expected_revision``.
        """
        session, moment = self._begin(now)
        with session.writer.held():
            before = session.canonical.require(id)
            check_revision(before, expected_revision)
            inherited = {name: getattr(before, name) for name in _INHERITED}
            draft = {**inherited, **fields, "content": content, "supersedes": id}
            written: dict[str, MemoryRecord] = {}
            (new,) = _checked((draft,), moment)
            self._refuse_taken([new])
            self._place(new, written, moment, by=by, reason=reason)
            session.commit(list(written.values()))
        return new

    def update(
        self,
        id: str,
        *,
        content: str | UnsetType = UNSET,
        tags: Iterable[str] | UnsetType = UNSET,
        type: MemoryType | UnsetType = UNSET,
        authority: Authority | UnsetType = UNSET,
        confidence: float | UnsetType = UNSET,
        importance: float | UnsetType = UNSET,
        observed_at: datetime | UnsetType = UNSET,
        valid_from: datetime | UnsetType | None = UNSET,
        valid_to: datetime | UnsetType | None = UNSET,
        expires_at: datetime | UnsetType | None = UNSET,
        sources: Iterable[Source | Mapping[str, Any]] | UnsetType = UNSET,
        speaker: str | UnsetType | None = UNSET,
        subject: str | UnsetType | None = UNSET,
        **edit: Unpack[EditOptions],
    ) -> MemoryRecord:
        """Changes a record in place; its former state goes into its history.

        What is left out stays; None takes a date, the speaker or the subject away. New content has
        confidence 1 unless one is given. Every call adds a revision.

        Raises:
            NotFoundError: there is no such record.
            RevisionConflictError: it is not at ``expected_revision``.
            InvalidInputError: naming the argument that is not acceptable.
        """
        given = {
            "content": content, "tags": tags, "type": type, "authority": authority,
            "confidence": confidence, "importance": importance, "observed_at": observed_at,
            "valid_from": valid_from, "valid_to": valid_to, "expires_at": expires_at,
            "sources": sources, "speaker": speaker, "subject": subject,
        }  # fmt: skip
        changes = {name: value for name, value in given.items() if value is not UNSET}
        return self._revise(id, partial(corrected, changes=changes), **edit)

    def disable(self, id: str, **edit: Unpack[EditOptions]) -> MemoryRecord:
        """Keeps a record but recalls it no more, until it is enabled."""
        return self._revise(id, partial(marked, mark="disabled_at"), **edit)

    def enable(self, id: str, **edit: Unpack[EditOptions]) -> MemoryRecord:
        """Recalls a disabled record again."""
        return self._revise(id, partial(unmarked, mark="disabled_at"), **edit)

    def import_records(
        self,
        records: Iterable[MemoryRecord],
        *,
        on_conflict: Conflict = "error",
        progress: Progress | None = None,
    ) -> ImportReport:
        """Takes records in as they are, ids, times and marks kept.

        A record equal to the stored one is skipped, and so is one that was deleted or purged here:
        an import does not bring it back.

        Args:
            records: the records.
            on_conflict: what to do where another record has the id: refuse the whole import, skip
                that record, or replace the stored one.
            progress: called with how many are written, and how many there are.

        Raises:
            DuplicateIdError: an id is taken; nothing was written.
            InvalidInputError: an id comes twice, or one is no record; nothing was written.
            CanonicalFileError: the file with that id cannot be used and is not replaced.
        """
        require_callback(progress, "progress")
        self._session.check()
        return import_records(self._session, records, on_conflict, progress)


def _checked(drafts: tuple[Any, ...], now: datetime) -> list[MemoryRecord]:
    """Makes records of drafts, or of mappings of their fields, before any of them is written."""
    records = []
    for at, given in enumerate(in_turns(drafts)):
        try:
            draft = given if isinstance(given, MemoryDraft) else MemoryDraft.from_keywords(given)
            id = new_id(now) if draft.id is None else draft.id
            records.append(draft.to_record(id=id, now=now))
        except InvalidInputError as error:
            if len(drafts) == 1:
                raise
            field = f"drafts.{at}.{error.field}"
            raise InvalidInputError(field, error.expected, error.got) from None
    return records
