"""Feedback events: what happened to a record after it was recalled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta

from membound.arguments import items
from membound.fields import DateTime

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Confirmed", "Corrected", "FeedbackEvent", "Retrieved", "retrieved_events"]

_ID: Final = r"\A[A-Za-z0-9._:-]{1,256}\Z"

EventId = Annotated[str, Meta(pattern=_ID)]


class _Event(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    tag_field="kind",
    forbid_unknown_fields=True,
):
    schema_version: Literal[1]
    id: EventId
    memory_id: EventId
    occurred_at: DateTime


class Retrieved(_Event, frozen=True, kw_only=True, tag="retrieved"):
    """A record was put into a turn's prompt."""

    thread_id: EventId
    turn_id: EventId


class Confirmed(_Event, frozen=True, kw_only=True, tag="confirmed"):
    """A record turned out to be right."""


class Corrected(_Event, frozen=True, kw_only=True, tag="corrected"):
    """A record turned out to be wrong and was replaced."""

    replacement_memory_id: EventId


FeedbackEvent = Retrieved | Confirmed | Corrected


def retrieved_events(
    thread_id: str,
    turn_id: str,
    memory_ids: Iterable[str],
    occurred_at: str,
) -> tuple[Retrieved, ...]:
    """Gives one event for each record, in order, each once; an id that none can carry is skipped.

    The same turn and record give the same event id, wherever and whenever.

    Raises:
        InvalidInputError: the ids are not an iterable, or are text.
    """
    given = items(memory_ids, "memory_ids", "the id of a record")
    if not (_fits(thread_id) and _fits(turn_id)):
        return ()
    thread_id, turn_id, *ids = map(str.__str__, (thread_id, turn_id, *filter(_fits, given)))
    return tuple(
        Retrieved(
            schema_version=1,
            id=_event_id(thread_id, turn_id, memory_id),
            memory_id=memory_id,
            occurred_at=occurred_at,
            thread_id=thread_id,
            turn_id=turn_id,
        )
        for memory_id in dict.fromkeys(ids)
    )


def _fits(id: object) -> bool:
    return isinstance(id, str) and re.search(_ID, id) is not None


def _event_id(*parts: str) -> str:
    import hashlib  # noqa: PLC0415 — feedback is off by default, and OpenSSL is slow to load
    import json  # noqa: PLC0415 — as above

    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return f"feedback-retrieved-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
