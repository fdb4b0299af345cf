"""What a store says of itself: diagnostics, and the reports of verification and import."""

from __future__ import annotations

import msgspec

from membound.canonical import Quarantined
from membound.feedback import FeedbackStatus
from membound.trace import IndexState, Trace
from membound.warming import PostingsStatus

__all__ = ["BackfillProgress", "Diagnostics", "ImportReport", "VerifyReport"]


class BackfillProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far the present backfill is, in files; both 0 where none runs."""

    scanned: int
    remaining: int


class Diagnostics(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a store.

    Attributes:
        enabled: whether the policy recalls anything at all.
        path: the data folder.
        index_state: ``disabled``, ``ready``, ``backfilling`` or ``degraded``.
        reason: why the index is degraded.
        canonical_count: files that may be records.
        active_count: records without a mark that ended their life; None without a ready index.
        tombstone_count: deleted records; None without a ready index.
        directive_count: directives without such a mark; None without a ready index.
        indexed_count: rows of the index.
        index_bytes: what the index takes on disk, its log included.
        stale_count: files without a row, rows without a file, and changes that were not finished.
        backfill: how far the present backfill is.
        postings: the postings in memory.
        quarantined: files that cannot be used, by name, as of the last full look at the folder.
        index_schema_version: what this version writes.
        tokenizer_version: what makes the store's search tokens.
        last_injected_ids: what was last recalled for injection.
        last_trace: the account of that recall.
        feedback: the state of the feedback log.
    """

    enabled: bool
    path: str
    index_state: IndexState
    reason: str | None
    canonical_count: int
    active_count: int | None
    tombstone_count: int | None
    directive_count: int | None
    indexed_count: int
    index_bytes: int
    stale_count: int
    backfill: BackfillProgress
    postings: PostingsStatus
    quarantined: tuple[Quarantined, ...]
    index_schema_version: int
    tokenizer_version: str
    last_injected_ids: tuple[str, ...]
    last_trace: Trace | None
    feedback: FeedbackStatus


class VerifyReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison of every file with the index found; the differences are being mended.

    Attributes:
        checked: records compared.
        missing: ids of files that the index lacks.
        stale: ids whose row differs from the file.
        orphaned: ids of rows that have no file.
        quarantined: files that cannot be used.
        reason: why the index could not be compared at all.
    """

    checked: int
    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    orphaned: tuple[str, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    reason: str | None = None

    @property
    def ok(self) -> bool:
        """Whether index and files agree and every file can be used."""
        found = self.missing or self.stale or self.orphaned or self.quarantined or self.reason
        return not found


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did.

    Attributes:
        imported: ids that are new.
        replaced: ids that held another record before.
        skipped: ids left as they were: equal, kept on purpose, or deleted or purged here.
    """

    imported: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
