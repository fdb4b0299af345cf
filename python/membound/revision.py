"""A record's next state: what changes, and the earlier state kept in its history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

import msgspec

from membound import _core
from membound.errors import (
    ConflictError,
    InvalidInputError,
    InvalidRecordError,
    RevisionNotFoundError,
)
from membound.excerpt import excerpt
from membound.fields import (
    HISTORY_CHARACTERS,
    HISTORY_REVISIONS,
    ORIGIN_CHARACTERS,
    REASON_CHARACTERS,
    Operation,
    text_of,
)
from membound.numbers import count
from membound.parts import Revision, Snapshot
from membound.records import MemoryRecord
from membound.schema import json_names, leaf, may_be_absent
from membound.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = [
    "EditOptions",
    "Noted",
    "input_error",
    "refuse_unfit_directive",
    "revised",
    "rolled_back",
]

_NAMES: Final = json_names(MemoryRecord)
_ATTRIBUTES: Final = {name: attribute for attribute, name in _NAMES.items()}
_KEPT: Final = frozenset(
    {"id", "scope", "created_at", "updated_at", "revision", "history", "schema_version"}
)
_DIRECTIVE: Final = frozenset({"authority", "content", "agent_context"})


class Noted(TypedDict, total=False):
    """What a history notes of a change: whose it is, and why.

    ``by`` is text of 1 to 256 characters, ``reason`` of 1 to 1,000; None notes nothing.
    """

    by: str | None
    reason: str | None


class EditOptions(Noted, total=False):
    """What every verb that changes one record takes.

    ``expected_revision`` is the revision that the caller read: at another one nothing is changed.
    ``now`` is the aware moment of the change, by default what the store's clock says.
    """

    expected_revision: int | None
    now: datetime | None


def revised(
    record: MemoryRecord,
    *,
    operation: Operation,
    now_text: str,
    changes: Mapping[str, object],
    **noted: Unpack[Noted],
) -> MemoryRecord:
    """Gives the record after a change, with the state before it in its history.

    The history keeps the last 20 revisions, fewer where their JSON would pass 64,000 characters.

    Args:
        record: the state before.
        operation: what the history calls the change.
        now_text: the moment of the change, as canonical JSON text.
        changes: new values by attribute name; None takes an optional away.
        noted: who makes the change, and why.

    Raises:
        InvalidInputError: a change names no such attribute, or its value is not acceptable.
    """
    tree = record.to_dict()
    before = _former(record, operation, now_text, **noted)
    tree["revision"] = record.revision + 1
    tree["updatedAt"] = now_text
    tree["history"] = _bounded([*tree["history"], before.to_dict()])
    for attribute, value in changes.items():
        _apply(tree, attribute, value)
    try:
        after = type(record).from_dict(tree)
    except InvalidRecordError as fault:
        raise input_error(fault) from None
    if changes.keys() & _DIRECTIVE:
        refuse_unfit_directive(after)
    return after


def rolled_back(
    record: MemoryRecord, revision: int, now_text: str, **noted: Unpack[Noted]
) -> MemoryRecord:
    """Gives the record with the state of an earlier revision, as a new one.

    What the earlier state lacked is absent again. What no state holds stays: id, scope, place,
    marks of deletion and replacement, unknown fields.

    Raises:
        RevisionNotFoundError: the history keeps no such revision.
        ConflictError: the record is deleted, or was another agent's.
        InvalidInputError: the earlier state is a standing rule that may not be.
    """
    number = count(revision, "revision", 1)
    if record.deleted_at:
        raise ConflictError(record.id, "it is deleted; restore it before going back")
    states = {entry.revision: entry.snapshot for entry in record.history}
    if number not in states:
        raise RevisionNotFoundError(record.id, number, tuple(states))
    state = states[number]
    if _agent(state) != _agent(record):
        raise ConflictError(record.id, f"revision {number} was another agent's, and stays so")
    changes = {name: getattr(state, name) for name in json_names(Snapshot)}
    return revised(record, operation="rollback", now_text=now_text, changes=changes, **noted)


def _agent(state: MemoryRecord | Snapshot) -> str | None:
    return state.agent_context.agent_id if state.agent_context else None


def refuse_unfit_directive(record: MemoryRecord) -> None:
    """Refuses a standing rule that is an agent's, a project's, or too long to be shown whole.

    Raises:
        InvalidInputError: naming the field to change.
    """
    if record.authority != "directive":
        return
    if record.agent_context is not None:
        raise InvalidInputError("agent_context", "none for a directive", "an agent's context")
    if record.scope == "project":
        raise InvalidInputError("scope", "user or workspace for a directive", "'project'")
    if len(record.content) > _core.directive_characters:
        expected = f"at most {_core.directive_characters:,} characters for a directive"
        raise InvalidInputError("content", expected, f"{len(record.content):,}")


def input_error(fault: InvalidRecordError) -> InvalidInputError:
    """Words a refused field as the argument that gave it: ``validTo`` is ``valid_to``."""
    field, dot, rest = fault.field.partition(".")
    name = _ATTRIBUTES.get(field, field)
    return InvalidInputError(f"{name}{dot}{rest}", fault.expected, fault.got)


def _apply(tree: dict[str, Any], attribute: str, value: object) -> None:
    name = _NAMES.get(attribute)
    if name is None or attribute in _KEPT:
        raise InvalidInputError("changes", "attributes of a record to change", excerpt(attribute))
    if value is None and may_be_absent(MemoryRecord, name):
        tree.pop(name, None)
    else:
        tree[name] = leaf(value)


def _former(
    record: MemoryRecord,
    operation: Operation,
    now_text: str,
    *,
    by: str | None = None,
    reason: str | None = None,
) -> Revision:
    """Gives the entry of the history for a state that is about to be replaced."""
    return Revision(
        revision=record.revision,
        changed_at=now_text,
        operation=operation,
        changed_by=_remark(by, "by", ORIGIN_CHARACTERS),
        reason=_remark(reason, "reason", REASON_CHARACTERS),
        snapshot=Snapshot(**{name: getattr(record, name) for name in json_names(Snapshot)}),
    )


def _remark(value: object, field: str, most: int) -> str | None:
    """Reads what a caller wants the history to note; None notes nothing."""
    if value is None:
        return None
    if (
        not isinstance(value, str)
        or not 1 <= len(value) <= most
        or "\0" in value
        or value != well_formed(value)
    ):
        expected = f"{text_of(1, most)} without NUL and lone surrogates"
        raise InvalidInputError(field, expected, excerpt(value))
    return str.__str__(value)


def _bounded(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drops the oldest revisions until the compact JSON of the list is short enough."""
    history = history[-HISTORY_REVISIONS:]
    lengths = [len(str(msgspec.json.encode(entry), "utf-8")) + 1 for entry in history]
    total = sum(lengths) + 1
    first = 0
    while total > HISTORY_CHARACTERS:
        total -= lengths[first]
        first += 1
    return history[first:]
