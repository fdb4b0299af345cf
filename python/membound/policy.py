"""What a host allows: which scopes, how many records and rules, and on whose behalf it asks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Self, get_args

import msgspec

from membound.errors import InvalidInputError, InvalidRecordError
from membound.excerpt import excerpt
from membound.fields import ID_CHARACTERS, Scope, text_of
from membound.numbers import count
from membound.ranking import RankingPolicy
from membound.text import well_formed, word

__all__ = ["AgentAccess", "DirectivePolicy", "FeedbackPolicy", "MemoryPolicy"]

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
_SEGMENT_BYTES: Final = (64 * _KIB, 64 * _MIB)
_TOTAL_BYTES: Final = (64 * _KIB, 512 * _MIB)
_SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
_LONG_NAME: Final = re.compile(r"(?<=`)([^`]{40})[^`]+(?=`)")


class DirectivePolicy(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """How many standing rules a prompt may carry, and how long they may be together."""

    enabled: bool = True
    max_records: int = 20
    max_characters: int = 4_000

    def __post_init__(self) -> None:
        _require_flag("directives.enabled", self.enabled)
        _keep(
            self,
            max_records=count(self.max_records, "directives.max_records", 1, 50),
            max_characters=count(self.max_characters, "directives.max_characters", 1, 16_000),
        )


class FeedbackPolicy(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """Whether what was really injected is logged, and how large the log may grow."""

    enabled: bool = False
    max_segment_bytes: int = 4 * _MIB
    max_total_bytes: int = 32 * _MIB

    def __post_init__(self) -> None:
        _require_flag("feedback.enabled", self.enabled)
        segment = count(self.max_segment_bytes, "feedback.max_segment_bytes", *_SEGMENT_BYTES)
        total = count(self.max_total_bytes, "feedback.max_total_bytes", *_TOTAL_BYTES)
        if total < segment:
            expected = f"at least max_segment_bytes, {segment:,}"
            raise InvalidInputError("feedback.max_total_bytes", expected, f"{total:,}")
        _keep(self, max_segment_bytes=segment, max_total_bytes=total)


class MemoryPolicy(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """What recall may do at all; a disabled policy recalls nothing.

    ``ranking`` is for relevance mode ``foundation-v2``; the others have numbers of their own.
    """

    enabled: bool = True
    scopes: tuple[Scope, ...] = _SCOPES
    max_injected_records: int = 8
    directives: DirectivePolicy = msgspec.field(default_factory=DirectivePolicy)
    feedback: FeedbackPolicy = msgspec.field(default_factory=FeedbackPolicy)
    ranking: RankingPolicy | None = None

    def __post_init__(self) -> None:
        _require_flag("enabled", self.enabled)
        _keep(
            self,
            scopes=_scopes(self.scopes),
            max_injected_records=count(self.max_injected_records, "max_injected_records", 1),
        )
        if not isinstance(self.directives, DirectivePolicy):
            raise InvalidInputError("directives", "a DirectivePolicy", excerpt(self.directives))
        if not isinstance(self.feedback, FeedbackPolicy):
            raise InvalidInputError("feedback", "a FeedbackPolicy", excerpt(self.feedback))
        if self.ranking is not None and not isinstance(self.ranking, RankingPolicy):
            expected = "a RankingPolicy or None"
            raise InvalidInputError("ranking", expected, excerpt(self.ranking))

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Reads a policy of strict JSON; what it does not say is the default.

        Raises:
            InvalidInputError: it is not the JSON of a policy; the field is named.
        """
        from membound.strict_json import json_object  # noqa: PLC0415 — a recall needs none of it

        try:
            return msgspec.convert(json_object(data), cls)
        except InvalidRecordError as fault:
            raise InvalidInputError("policy", fault.expected, fault.got) from None
        except msgspec.ValidationError as fault:
            if isinstance(fault.__cause__, InvalidInputError):
                raise fault.__cause__ from None
            got = _LONG_NAME.sub(r"\1...", str(fault))
            raise InvalidInputError("policy", "the JSON of a policy", got) from None

    def to_json(self) -> bytes:
        """Gives the JSON that `from_json` reads: indented, every field told."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"


class AgentAccess(msgspec.Struct, frozen=True, kw_only=True):
    """On whose behalf memory is read: an agent sees its own records only."""

    agent_id: str
    conversation_id: str | None = None
    handoff_id: str | None = None
    task_id: str | None = None
    manage: bool = False

    def __post_init__(self) -> None:
        _keep(self, agent_id=_id("agent_id", self.agent_id))
        for field in ("conversation_id", "handoff_id", "task_id"):
            if (value := getattr(self, field)) is not None:
                _keep(self, **{field: _id(field, value)})
        _require_flag("manage", self.manage)


def _keep(struct: msgspec.Struct, **fields: object) -> None:
    """Puts checked values in the place of those that were given."""
    for name, value in fields.items():
        msgspec.structs.force_setattr(struct, name, value)


def _scopes(scopes: object) -> tuple[Scope, ...]:
    """Gives the allowed scopes in the order of the glossary, each once."""
    expected = f"an iterable of {', '.join(_SCOPES)}"
    if not isinstance(scopes, Iterable) or isinstance(scopes, str | bytes):
        raise InvalidInputError("scopes", expected, excerpt(scopes))
    given = {word(scope, "scopes", _SCOPES) for scope in scopes}
    return tuple(scope for scope in _SCOPES if scope in given)


def _require_flag(field: str, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidInputError(field, "True or False", excerpt(value))


def _id(field: str, value: object) -> str:
    text = well_formed(value) if isinstance(value, str) else ""
    if not 1 <= len(text) <= ID_CHARACTERS or text != value:
        expected = f"{text_of(1, ID_CHARACTERS)} without lone surrogates"
        raise InvalidInputError(field, expected, excerpt(value))
    return text
