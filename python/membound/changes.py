"""The next states of records that change: pure functions from records to records."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from membound import _core
from membound.arguments import source_list, tag_list
from membound.errors import ConflictError, RevisionConflictError
from membound.numbers import count
from membound.parts import Provenance
from membound.revision import revised
from membound.times import milliseconds, timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from membound.fields import Operation
    from membound.records import MemoryRecord
    from membound.revision import Noted

__all__ = [
    "check_revision",
    "corrected",
    "marked",
    "new_id",
    "replaced",
    "superseded",
    "unmarked",
]

_TIMES = ("observed_at", "valid_from", "valid_to", "expires_at")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]


def new_id(now: datetime) -> str:
    """Makes an id that sorts by time and is not met twice: ``mem_`` time ``_`` chance."""
    chance = int.from_bytes(os.urandom(8))
    return f"mem_{_base36(max(milliseconds(now), 0)):0>8}_{_base36(chance):0>13}"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, pair = divmod(number, len(_PAIRS))
        digits = _PAIRS[pair] + digits
    return digits.lstrip("0")


def check_revision(record: MemoryRecord, expected: object) -> None:
    """Makes sure that the record is as the caller read it.

    Raises:
        RevisionConflictError: it has moved on.
        InvalidInputError: what was expected is no revision.
    """
    if expected is None:
        return
    revision = count(expected, "expected_revision", 1)
    if record.revision != revision:
        raise RevisionConflictError(record.id, revision, record.revision)


def corrected(
    record: MemoryRecord, changes: Mapping[str, Any], now: datetime, **noted: Unpack[Noted]
) -> MemoryRecord:
    """Applies an update. New content counts as the user's own word unless a confidence is given.

    Raises:
        ConflictError: the record is deleted.
        InvalidInputError: naming the change that is not acceptable.
    """
    _refuse_deleted(record, "changing")
    wanted: dict[str, Any] = {
        name: timestamp(value, name) if name in _TIMES and value is not None else value
        for name, value in changes.items()
    }
    if "tags" in wanted:
        wanted["tags"] = tag_list(wanted["tags"])
    if "sources" in wanted:
        wanted["sources"] = source_list(wanted["sources"])
    if "content" in wanted and wanted["content"] != record.content:
        wanted.setdefault("confidence", 1.0)
        wanted["corrected_from"] = record.corrected_from or record.content
        before = record.provenance or Provenance(kind="user")
        wanted["provenance"] = msgspec.structs.replace(before, kind="user")
    return revised(record, operation="update", now_text=timestamp(now), changes=wanted, **noted)


def marked(record: MemoryRecord, mark: str, now: datetime, **noted: Unpack[Noted]) -> MemoryRecord:
    """Sets the mark ``disabled_at`` or ``deleted_at``; an earlier one stays.

    Raises:
        ConflictError: the record is deleted, and is to be disabled.
    """
    if mark == "disabled_at":
        _refuse_deleted(record, "disabling")
    operation: Operation = "forget" if mark == "deleted_at" else "disable"
    moment = timestamp(now)
    changes = {mark: getattr(record, mark) or moment}
    return revised(record, operation=operation, now_text=moment, changes=changes, **noted)


def unmarked(
    record: MemoryRecord, mark: str, now: datetime, **noted: Unpack[Noted]
) -> MemoryRecord:
    """Takes a mark away.

    Raises:
        ConflictError: the record is deleted, and it is another mark.
    """
    if mark != "deleted_at":
        _refuse_deleted(record, "changing")
    moment = timestamp(now)
    return revised(record, operation="restore", now_text=moment, changes={mark: None}, **noted)


def superseded(
    record: MemoryRecord, successor: MemoryRecord, now: datetime, **noted: Unpack[Noted]
) -> MemoryRecord:
    """Marks the record that its successor replaces.

    Raises:
        ConflictError: it is deleted or replaced already, or belongs elsewhere.
    """
    _refuse_deleted(record, "replacing")
    if record.superseded_at:
        raise ConflictError(record.id, "it is replaced already; replace its successor instead")
    if _whereabouts(record) != _whereabouts(successor):
        raise ConflictError(record.id, "its successor must have the same scope, place and agent")
    return replaced(record, now, **noted)


def replaced(record: MemoryRecord, now: datetime, **noted: Unpack[Noted]) -> MemoryRecord:
    """Sets the mark ``superseded_at``."""
    moment = timestamp(now)
    changes = {"superseded_at": moment}
    return revised(record, operation="supersede", now_text=moment, changes=changes, **noted)


def _refuse_deleted(record: MemoryRecord, doing: str) -> None:
    if record.deleted_at:
        raise ConflictError(record.id, f"it is deleted; restore it before {doing} it")


def _whereabouts(record: MemoryRecord) -> tuple[str, str | None]:
    """Tells whose record it is, in the form in which recall compares places."""
    agent = record.agent_context.agent_id if record.agent_context else None
    return _core.place(record.to_json()), agent
