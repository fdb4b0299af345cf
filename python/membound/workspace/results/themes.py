"""What the verbs of themes give back; in JSON the names are in camel case."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from membound.workspace.refined import Refined
from membound.workspace.sessions.turn import Called

__all__ = [
    "Tagged",
    "TaggedRef",
    "Traced",
    "TracedMemory",
    "TracedTurn",
    "TurnContent",
]


class TaggedRef(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What was put in a theme: a turn, a note, or one of each."""

    session_id: str | None = None
    turn_id: int | None = None
    memory_key: str | None = None
    folder: str | None = None
    title: str | None = None


class Tagged(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A theme that something was put in."""

    theme: str
    display_name: str
    ref: TaggedRef


class TurnContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn, uncut."""

    user: str
    agent: str
    timestamp: str | None
    actions: tuple[Called, ...]


class TracedTurn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn of a theme; with its text where that was asked for.

    Attributes:
        refined: what was drawn out of it, None where it was not refined.
        content: the turn; None where it is not there.
        error: why not.
    """

    session_id: str
    turn_id: int
    timestamp: str | None
    refined: Refined | UnsetType | None = UNSET
    content: TurnContent | UnsetType | None = UNSET
    error: str | UnsetType = UNSET


class TracedMemory(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note of a theme.

    Attributes:
        deleted: whether it was deleted since.
    """

    key: str
    folder: str
    title: str | None
    timestamp: str | None
    deleted: bool | UnsetType = UNSET


class Traced(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A theme in the order of its time."""

    theme: str
    display_name: str
    created_at: str | None
    updated_at: str | None
    turn_count: int
    memory_count: int
    turns: tuple[TracedTurn, ...]
    memories: tuple[TracedMemory, ...]
