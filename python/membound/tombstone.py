"""The tombstone: what stays of a deleted record, without anything that it said."""

from __future__ import annotations

from typing import Final

import msgspec

from membound.parts import Revision, Snapshot
from membound.records import MemoryRecord

__all__ = ["TOMBSTONE", "tombstone_of"]

TOMBSTONE: Final = "[deleted]"
"""The content of a tombstone: a record's schema wants one."""


def tombstone_of(record: MemoryRecord) -> MemoryRecord:
    """Gives what stays of a record when it is deleted.

    That is: its id, its place and owner, its times, what it replaced, and when, how, by whom and
    why it changed. What it said, and where that came from, is gone, from its history too.

    Args:
        record: the record with its mark ``deleted_at``.
    """
    owner = record.agent_context
    return MemoryRecord(
        id=record.id,
        content=TOMBSTONE,
        scope=record.scope,
        type=record.type,
        authority=record.authority,
        created_at=record.created_at,
        updated_at=record.updated_at,
        observed_at=record.observed_at,
        disabled_at=record.disabled_at,
        deleted_at=record.deleted_at,
        superseded_at=record.superseded_at,
        supersedes=record.supersedes,
        workspace=record.workspace,
        project=record.project,
        project_identity=record.project_identity,
        agent_context=None if owner is None else msgspec.structs.replace(owner, loose={}),
        revision=record.revision,
        history=tuple(map(_emptied, record.history)),
    )


def _emptied(revision: Revision) -> Revision:
    before = revision.snapshot
    snapshot = Snapshot(
        content=TOMBSTONE,
        tags=(),
        type=before.type,
        authority=before.authority,
        confidence=before.confidence,
        importance=before.importance,
        sources=(),
        observed_at=before.observed_at,
    )
    return msgspec.structs.replace(revision, snapshot=snapshot, loose={})
