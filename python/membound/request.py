"""A request for recall, validated once and handed to the core as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypedDict, get_args

import msgspec

from membound.arguments import items
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.fields import Authority, MemoryType, Scope
from membound.numbers import unit, whole
from membound.policy import AgentAccess, MemoryPolicy
from membound.text import PathText, any_path, any_text, word
from membound.times import milliseconds, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

__all__ = [
    "CHARACTER_BUDGET",
    "MOST_RECORDS",
    "Purpose",
    "RelevanceMode",
    "Request",
    "RetrievalOptions",
    "retrieval_request",
    "scope_request",
]

Purpose = Literal["injection", "tool"]
RelevanceMode = Literal["foundation-v1", "historical-v1"]

MOST_RECORDS: Final = 64
"""Most records of one recall, whatever is asked for."""
CHARACTER_BUDGET: Final = 6_000
"""Most characters of a reference block, where nothing else is asked for."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the core reads; field for field `rust/core/src/request.rs`."""

    now: int
    timestamp: str
    policy: MemoryPolicy
    workspace: str | None = None
    project: str | None = None
    project_identity: str | None = None
    agent: AgentAccess | None = None
    query: str = ""
    purpose: Purpose = "injection"
    limit: int = 0
    character_budget: int = 0
    min_confidence: float = 0.0
    relevance_mode: RelevanceMode = "foundation-v1"
    scopes: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    authorities: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()

    def to_json(self) -> bytes:
        """The bytes that cross to the core."""
        return msgspec.json.encode(self)


class RetrievalOptions(TypedDict, total=False):
    """The options of every recall; what they mean stands at `retrieve_records`."""

    workspace: PathText | None
    project: PathText | None
    project_identity: PathText | None
    agent: AgentAccess | None
    limit: float
    purpose: Purpose
    scope: Scope | Iterable[Scope] | None
    type: MemoryType | Iterable[MemoryType] | None
    authority: Authority | Iterable[Authority] | None
    tags: Iterable[str] | None
    min_confidence: float
    character_budget: float
    relevance_mode: RelevanceMode


def retrieval_request(
    query: str,
    *,
    now: datetime,
    workspace: PathText | None = None,
    project: PathText | None = None,
    project_identity: PathText | None = None,
    agent: AgentAccess | None = None,
    limit: float = MOST_RECORDS,
    purpose: Purpose = "injection",
    scope: Scope | Iterable[Scope] | None = None,
    type: MemoryType | Iterable[MemoryType] | None = None,
    authority: Authority | Iterable[Authority] | None = None,
    tags: Iterable[str] | None = None,
    min_confidence: float = 0.0,
    character_budget: float = CHARACTER_BUDGET,
    policy: MemoryPolicy,
    relevance_mode: RelevanceMode = "foundation-v1",
) -> Request:
    """Validates what a caller asks for; the words are those of `retrieve_records`.

    Raises:
        InvalidInputError: naming the argument that is not acceptable.
    """
    words = any_text(query, "query")
    place = scope_request(
        now=now,
        workspace=workspace,
        project=project,
        project_identity=project_identity,
        agent=agent,
        policy=policy,
    )
    return msgspec.structs.replace(
        place,
        query=words,
        purpose=word(purpose, "purpose", get_args(Purpose)),
        limit=whole(limit, "limit"),
        character_budget=whole(character_budget, "character_budget"),
        min_confidence=unit(min_confidence, "min_confidence"),
        relevance_mode=word(relevance_mode, "relevance_mode", get_args(RelevanceMode)),
        scopes=_some(scope, "scope", get_args(Scope)),
        types=_some(type, "type", get_args(MemoryType)),
        authorities=_some(authority, "authority", get_args(Authority)),
        tags=_tags(tags),
    )


def scope_request(
    *,
    now: datetime,
    workspace: PathText | None,
    project: PathText | None,
    project_identity: PathText | None,
    agent: AgentAccess | None,
    policy: MemoryPolicy,
) -> Request:
    """Validates the part of a request that says from where, for whom and when it is asked.

    Raises:
        InvalidInputError: naming the argument that is not acceptable.
    """
    if not isinstance(policy, MemoryPolicy):
        raise InvalidInputError("policy", "a MemoryPolicy", excerpt(policy))
    if agent is not None and not isinstance(agent, AgentAccess):
        raise InvalidInputError("agent", "an AgentAccess or None", excerpt(agent))
    return Request(
        now=milliseconds(now),
        timestamp=timestamp(now),
        policy=policy,
        workspace=_path(workspace, "workspace"),
        project=_path(project, "project"),
        project_identity=_path(project_identity, "project_identity"),
        agent=agent,
    )


def _path(value: object, field: str) -> str | None:
    return None if value is None else any_path(value, field)


def _some(value: object, field: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    if value is None:
        return None
    one = f"one of {', '.join(words)}"
    chosen = (value,) if isinstance(value, str) else items(value, field, one)
    return tuple(word(item, field, words) for item in chosen)


def _tags(tags: Iterable[str] | None) -> tuple[str, ...]:
    chosen: tuple[object, ...] = () if tags is None else items(tags, "tags", "text")
    return tuple(any_text(tag, f"tags.{at}") for at, tag in enumerate(chosen))
