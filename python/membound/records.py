"""The record: one remembered statement, an immutable value, read from and written as JSON."""

from __future__ import annotations

from math import copysign
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypeVar

import msgspec

from membound import _core
from membound.canonical_json import as_read, as_written, compact, indented
from membound.errors import InvalidRecordError
from membound.excerpt import excerpt
from membound.fields import (
    HISTORY_REVISIONS,
    IMPORTANCE,
    LOCATOR_CHARACTERS,
    ORIGIN_CHARACTERS,
    Authority,
    Content,
    Count,
    DateTime,
    Id,
    MemoryType,
    Scope,
    Text,
    Text256,
    Trust,
    Unit,
    list_of,
)
from membound.parts import (
    AgentContext,
    Consolidation,
    Provenance,
    Revision,
    Source,
    Sources,
)
from membound.schema import Open, always, parsed
from membound.times import EPOCH, instant, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

__all__ = ["MemoryRecord", "implied_source", "read_record", "reread"]


class MemoryRecord(Open, frozen=True, kw_only=True):
    """One remembered statement, an immutable value.

    `from_json` and `from_dict` check what they are given; the constructor trusts its caller.
    Times are their JSON text; the five that `createdAt`, `updatedAt`, `disabledAt`, `deletedAt`
    and `supersededAt` hold may be any text, which is kept as it came.
    """

    id: Id
    content: Content
    scope: Scope
    type: MemoryType = always("fact")
    authority: Authority = always("reference")
    tags: tuple[str, ...] = always(())
    confidence: Unit = always(1.0)
    importance: Unit = always(0.5)
    created_at: str
    updated_at: str
    observed_at: DateTime = always(EPOCH)
    valid_from: DateTime | None = None
    valid_to: DateTime | None = None
    expires_at: DateTime | None = None
    disabled_at: str | None = None
    deleted_at: str | None = None
    superseded_at: str | None = None
    supersedes: str | None = None
    corrected_from: str | None = None
    workspace: str | None = None
    project: str | None = None
    project_identity: Text | None = None
    speaker: Text256 | None = None
    subject: Text256 | None = None
    source_thread_id: str | None = None
    source_turn_id: str | None = None
    provenance: Provenance | None = None
    sources: Sources = always(())
    consolidation: Consolidation | None = None
    agent_context: AgentContext | None = None
    revision: Count = always(1)
    history: Annotated[tuple[Revision, ...], list_of(HISTORY_REVISIONS, "revisions")] = always(())
    schema_version: Literal[2] = always(2)

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Reads one record; a legacy one is filled as its writer would have filled it.

        Raises:
            InvalidRecordError: the text is not JSON, or not a record; the field is named.
        """
        return _as_written(data, cls) or cls.from_dict(_tree(data))

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Self:
        """Reads one record from plain JSON values.

        Raises:
            InvalidRecordError: the mapping is not a record; the field is named.
        """
        record = parsed(mapping, cls)
        if not mapping.keys() >= _FILLED:
            record = msgspec.structs.replace(record, **_fillings(record, mapping.keys()))
        _check(record)
        return record

    def to_json(self) -> bytes:
        """Gives the canonical file: indented UTF-8, fields in the order of the schema.

        Raises:
            InvalidRecordError: the constructor was given what JSON cannot carry.
        """
        try:
            return indented(compact(self))
        except (TypeError, ValueError, RecursionError) as fault:
            self.from_dict(self.to_dict())  # knows the field
            raise InvalidRecordError("record", "values that JSON can carry", str(fault)) from None


_Record = TypeVar("_Record", bound=MemoryRecord)


def read_record(data: bytes) -> tuple[MemoryRecord, bytes]:
    """Reads a record as `from_json` does, and gives its canonical JSON too: mostly what was read.

    Raises:
        InvalidRecordError: as `from_json`.
    """
    if (record := _as_written(data, MemoryRecord)) is not None:
        return record, data
    record = MemoryRecord.from_dict(_tree(data))
    return record, record.to_json()


def reread(record: MemoryRecord) -> tuple[MemoryRecord, bytes]:
    """Gives a record as its file will be read, and what that will hold.

    Raises:
        InvalidRecordError: as `from_json`; the constructor checks nothing.
    """
    if (found := as_read(record, MemoryRecord)) is None:
        return read_record(record.to_json())
    _check(found[0])
    return found


def _tree(data: bytes | str) -> dict[str, Any]:
    from membound.strict_json import json_object  # noqa: PLC0415 — what we wrote is read without it

    return json_object(data)


def _as_written(data: bytes | str, struct: type[_Record]) -> _Record | None:
    record = as_written(data, struct) if isinstance(data, bytes) else None
    if record is not None:
        _check(record)
    return record


_TYPE_TAGS: Final[Mapping[MemoryType, frozenset[str]]] = {
    "preference": frozenset({"preference", "preferences", "偏好"}),
    "decision": frozenset({"decision", "决定"}),
    "episode": frozenset({"episode", "经历"}),
    "relationship": frozenset({"relationship", "关系"}),
    "insight": frozenset({"insight", "洞察"}),
}
_TRUST: Final[Mapping[str, Trust]] = {"user": "explicit-user", "inference": "inferred"}
_FILLED: Final = frozenset({"type", "authority", "importance", "observedAt", "sources"})


def _type_from_tags(tags: Iterable[str]) -> MemoryType:
    """Gives the type that a tag names, where none is given; "fact" if no tag does."""
    words = {_core.label(tag) for tag in tags}
    if not words:
        return "fact"
    return next((kind for kind, names in _TYPE_TAGS.items() if words & names), "fact")


def implied_source(
    provenance: Provenance | None,
    *,
    id: str,
    trust: Trust,
    thread_id: str | None,
    turn_id: str | None,
) -> Source:
    """Gives the source that stands for a provenance, where a record lists none.

    Args:
        provenance: what made the record.
        id: the id of the source.
        trust: how far it is trusted, unless the user or an inference made it.
        thread_id: where it was said.
        turn_id: in which turn; left out, the provenance may know.
    """
    if provenance is None:
        return Source(
            id=id,
            kind="legacy",
            trust=trust,
            thread_id=_fitting(thread_id),
            turn_id=_fitting(turn_id),
        )
    # An empty file hides the origin: there is no locator then.
    locator = provenance.origin if provenance.file is None else provenance.file
    return Source(
        id=id,
        kind=provenance.kind,
        trust=_TRUST.get(provenance.kind, trust),
        thread_id=_fitting(thread_id),
        turn_id=_fitting(provenance.turn_id if turn_id is None else turn_id),
        locator=(locator or "")[:LOCATOR_CHARACTERS] or None,
    )


def _fillings(record: MemoryRecord, given: AbstractSet[str]) -> dict[str, Any]:
    """Gives what a record leaves out and its schema's second version always has."""
    kind = record.provenance.kind if record.provenance else ""
    changes: dict[str, Any] = {}
    if "type" not in given:
        changes["type"] = _type_from_tags(record.tags)
    if "importance" not in given:
        changes["importance"] = IMPORTANCE.get(kind, 0.5)
    if "observedAt" not in given:
        moments = map(instant, (record.updated_at, record.created_at))
        changes["observed_at"] = next((timestamp(m) for m in moments if m), EPOCH)
    if "sources" not in given:
        implied = implied_source(
            record.provenance,
            id="source_legacy_1",
            trust="legacy",
            thread_id=record.source_thread_id,
            turn_id=record.source_turn_id,
        )
        changes["sources"] = (implied,)
    return changes


def _fitting(text: str | None) -> str | None:
    """Gives an id that a source can carry; a cut one would name something else."""
    return text if text and len(text) <= ORIGIN_CHARACTERS else None


def _check(record: MemoryRecord) -> None:
    """Refuses what no single field's declaration can say."""
    if "\0" in record.content:
        at = record.content.index("\0")
        raise InvalidRecordError("content", "text without NUL", f"NUL at position {at}")
    if copysign(1, record.confidence) < 0:
        raise InvalidRecordError("confidence", "a number from 0 to 1", excerpt(record.confidence))
    if copysign(1, record.importance) < 0:
        raise InvalidRecordError("importance", "a number from 0 to 1", excerpt(record.importance))
    if record.valid_from is not None and record.valid_to is not None:
        start, end = _core.instant(record.valid_from), _core.instant(record.valid_to)
        if start is not None and end is not None and start > end:
            expected = f"a time not before validFrom, {excerpt(record.valid_from)}"
            raise InvalidRecordError("validTo", expected, excerpt(record.valid_to))
    if len(record.sources) > 1:
        _check_ids(record.sources)


def _check_ids(sources: Sources) -> None:
    taken: set[str] = set()
    for at, source in enumerate(sources):
        if source.id in taken:
            expected = "an id that no other source has"
            raise InvalidRecordError(f"sources.{at}.id", expected, excerpt(source.id))
        taken.add(source.id)
