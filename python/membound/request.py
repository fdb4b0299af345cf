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
from membound.times import milliseconds, timestamp, utc
from membound.tokens import TOKENIZERS, Tokenizer

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
    "tokenizer_of",
]

Purpose = Literal["injection", "tool"]
RelevanceMode = Literal["foundation-v1", "foundation-v2", "historical-v1"]

_PURPOSES: Final = get_args(Purpose)
_MODES: Final = get_args(RelevanceMode)
_SCOPES: Final = get_args(Scope)
_TYPES: Final = get_args(MemoryType)
_AUTHORITIES: Final = get_args(Authority)

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
    offset: int = 0
    character_budget: int = 0
    min_confidence: float = 0.0
    relevance_mode: RelevanceMode = "foundation-v1"
    tokenizer: Tokenizer = "v1"
    scopes: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    authorities: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    within: str | None = None
    since: int | None = None
    until: int | None = None

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
    relevance_mode: RelevanceMode | None = None,
    tokenizer: Tokenizer | None = None,
) -> Request:
    """Validates what a caller asks for; the words are those of `retrieve_records`.

    Of relevance mode and tokenizer, one that is not said follows from the other.

    Raises:
        InvalidInputError: naming the argument that is not acceptable.
    """
    mode, version = _words_by(relevance_mode, tokenizer)
    return Request(
        **_asked_from(
            now=now,
            workspace=workspace,
            project=project,
            project_identity=project_identity,
            agent=agent,
            policy=policy,
        ),
        query=any_text(query, "query"),
        purpose=word(purpose, "purpose", _PURPOSES),
        limit=whole(limit, "limit"),
        character_budget=whole(character_budget, "character_budget"),
        min_confidence=unit(min_confidence, "min_confidence"),
        relevance_mode=mode,
        tokenizer=version,
        scopes=_some(scope, "scope", _SCOPES),
        types=_some(type, "type", _TYPES),
        authorities=_some(authority, "authority", _AUTHORITIES),
        tags=() if tags is None else _tags(tags),
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
    return Request(
        **_asked_from(
            now=now,
            workspace=workspace,
            project=project,
            project_identity=project_identity,
            agent=agent,
            policy=policy,
        )
    )


class _AskedFrom(TypedDict):
    now: int
    timestamp: str
    policy: MemoryPolicy
    workspace: str | None
    project: str | None
    project_identity: str | None
    agent: AgentAccess | None


def _asked_from(
    *,
    now: datetime,
    workspace: PathText | None,
    project: PathText | None,
    project_identity: PathText | None,
    agent: AgentAccess | None,
    policy: MemoryPolicy,
) -> _AskedFrom:
    if not isinstance(policy, MemoryPolicy):
        raise InvalidInputError("policy", "a MemoryPolicy", excerpt(policy))
    if agent is not None and not isinstance(agent, AgentAccess):
        raise InvalidInputError("agent", "an AgentAccess or None", excerpt(agent))
    moment = utc(now)
    return {
        "now": milliseconds(moment),
        "timestamp": timestamp(moment),
        "policy": policy,
        "workspace": _path(workspace, "workspace"),
        "project": _path(project, "project"),
        "project_identity": _path(project_identity, "project_identity"),
        "agent": agent,
    }


def tokenizer_of(mode: RelevanceMode) -> Tokenizer:
    """Gives what makes the search tokens of a mode where nothing else is said."""
    return "v2" if mode == "foundation-v2" else "v1"


def _words_by(mode: object, tokenizer: object) -> tuple[RelevanceMode, Tokenizer]:
    """Gives how words are compared and what makes tokens of them, which have to fit."""
    version = None if tokenizer is None else word(tokenizer, "tokenizer", TOKENIZERS)
    if mode is None:
        return ("foundation-v2" if version == "v2" else "foundation-v1"), version or "v1"
    known = word(mode, "relevance_mode", _MODES)
    if known == "foundation-v2" and version == "v1":
        others = " or ".join(one for one in _MODES if one != known)
        expected = f"{others}, as the search tokens are those of v1"
        raise InvalidInputError("relevance_mode", expected, known)
    return known, version or tokenizer_of(known)


def _path(value: object, field: str) -> str | None:
    return None if value is None else any_path(value, field)


def _some(value: object, field: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    if value is None:
        return None
    one = f"one of {', '.join(words)}"
    chosen = (value,) if isinstance(value, str) else items(value, field, one)
    return tuple(word(item, field, words) for item in chosen)


def _tags(tags: Iterable[str]) -> tuple[str, ...]:
    chosen = items(tags, "tags", "text")
    return tuple(any_text(tag, f"tags.{at}") for at, tag in enumerate(chosen))
