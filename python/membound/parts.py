"""The parts of a record: where it comes from, whose it is, and its earlier states."""

from __future__ import annotations

from typing import Annotated, Literal

from membound.fields import (
    Authority,
    Count,
    DateTime,
    EvidenceStatus,
    Ids,
    MemoryType,
    Operation,
    Outcome,
    ProvenanceKind,
    Sha,
    SourceKind,
    Text,
    Text128,
    Text256,
    Text512,
    Text1000,
    Text1024,
    Text4096,
    Trust,
    Unit,
    Upto128,
    list_of,
)
from membound.schema import Open, always

__all__ = [
    "AgentContext",
    "Consolidation",
    "Provenance",
    "Revision",
    "Snapshot",
    "Source",
    "Sources",
]


class Source(Open, frozen=True, kw_only=True):
    """Where a statement comes from and how far it is trusted."""

    id: Text128
    kind: SourceKind
    trust: Trust
    thread_id: Text256 | None = None
    turn_id: Text256 | None = None
    item_id: Text256 | None = None
    receipt_id: Text256 | None = None
    locator: Text1024 | None = None
    excerpt: Text512 | None = None
    content_hash: Text128 | None = None
    repository_sha: Sha | None = None
    artifact_ids: Ids | None = None
    outcome: Outcome | None = None


Sources = Annotated[tuple[Source, ...], list_of(8, "sources")]


class Provenance(Open, frozen=True, kw_only=True):
    """What kind of act made the record."""

    kind: ProvenanceKind
    turn_id: str | None = None
    file: str | None = None
    origin: str | None = None


class Consolidation(Open, frozen=True, kw_only=True):
    """What a record that sums up others was made from."""

    source_memory_ids: Ids
    source_session_ids: Ids
    reason: Text1000
    evidence_status: EvidenceStatus


class AgentContext(Open, frozen=True, kw_only=True):
    """The agent a record belongs to, and with which conversations and projects it is shared."""

    schema_version: Literal[1]
    agent_id: Text128
    source_conversation_id: Text128
    source_root_request_id: Text128 | None = None
    source_handoff_id: Text128 | None = None
    source_task_id: Text128 | None = None
    shared: bool = always(False)
    shared_conversation_ids: Annotated[tuple[Text128, ...], list_of(100, "ids")] = always(())
    shared_project_roots: Annotated[tuple[Text4096, ...], list_of(100, "paths")] = always(())
    locked: bool = always(False)
    origin_fingerprint: Upto128 | None = None
    last_operation_id: Upto128 | None = None


class Snapshot(Open, frozen=True, kw_only=True):
    """The state a revision replaced."""

    content: Text
    tags: tuple[str, ...]
    type: MemoryType
    authority: Authority
    confidence: Unit
    importance: Unit
    sources: Sources
    observed_at: DateTime
    valid_from: DateTime | None = None
    valid_to: DateTime | None = None
    expires_at: DateTime | None = None
    disabled_at: str | None = None
    corrected_from: str | None = None
    speaker: Text256 | None = None
    subject: Text256 | None = None
    provenance: Provenance | None = None
    agent_context: AgentContext | None = None
    consolidation: Consolidation | None = None


class Revision(Open, frozen=True, kw_only=True):
    """One earlier state of a record: when it was replaced, by which operation, by whom and why."""

    revision: Count
    changed_at: str
    operation: Operation
    changed_by: Text256 | None = None
    reason: Text1000 | None = None
    snapshot: Snapshot
