"""The draft: what a caller asks to remember, before it has an id and its defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Self, TypedDict

import msgspec

from membound.arguments import items, open_tree, path_text, require, source_list, tag_list
from membound.errors import InvalidInputError, InvalidRecordError
from membound.excerpt import excerpt
from membound.fields import (
    CONTENT_CHARACTERS,
    IMPORTANCE,
    ORIGIN_CHARACTERS,
    Authority,
    MemoryType,
    Scope,
    text_of,
)
from membound.parts import AgentContext, Provenance, Source
from membound.records import MemoryRecord, implied_source
from membound.revision import input_error, refuse_unfit_directive
from membound.schema import parsed
from membound.text import PathText
from membound.times import timestamp

__all__ = ["DraftFields", "MemoryDraft"]

_CONFIDENCE: Final[Mapping[str, float]] = {
    "user": 1.0,
    "file": 0.8,
    "tool": 0.7,
    "web": 0.5,
    "inference": 0.4,
}
_MILLISECOND: Final = timedelta(milliseconds=1)
_CONTENT: Final = text_of(1, CONTENT_CHARACTERS)


class DraftFields(TypedDict, total=False):
    """The fields of a draft besides its content; what they mean stands at `MemoryDraft`."""

    scope: Scope
    workspace: PathText | None
    project: PathText | None
    project_identity: PathText | None
    speaker: str | None
    subject: str | None
    type: MemoryType | None
    authority: Authority
    tags: Iterable[str]
    confidence: float | None
    importance: float | None
    observed_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    ttl: timedelta | None
    sources: Iterable[Source | Mapping[str, Any]]
    provenance: Provenance | Mapping[str, Any] | None
    supersedes: str | None
    agent_context: AgentContext | Mapping[str, Any] | None
    source_thread_id: str | None
    source_turn_id: str | None
    disabled: bool


class _Statement(msgspec.Struct, frozen=True, gc=False):
    """The one argument of a draft that may be given by position."""

    content: str


class MemoryDraft(_Statement, frozen=True, kw_only=True):
    """What `remember` takes. `to_record` checks it; the constructor only makes lists immutable.

    Attributes:
        content: the statement, 1 to 16,384 characters.
        scope: where it belongs; a workspace or project must then be given.
        workspace: an absolute path; kept unless the scope is "user".
        project: an absolute path; kept for the scope "project", where it defaults to the workspace.
        project_identity: what all worktrees of the project share; kept for the scope "project".
        speaker: who said it, 1 to 256 characters; what it is found by, with ``v2``.
        subject: whom or what it is about, likewise.
        type: left out, the tags decide.
        authority: "directive" for a standing rule the user approved.
        tags: at most 32 of 1 to 64 characters.
        confidence: 0 to 1; left out, the kind of provenance decides.
        importance: 0 to 1; left out, the kind of provenance decides.
        observed_at: left out, the moment of remembering.
        valid_from: not recalled before.
        valid_to: not recalled from then on; not before `valid_from`.
        expires_at: not recalled from then on; not together with `ttl`.
        ttl: how long until it expires.
        sources: at most 8; mappings take the names of `Source`, and their ids may be left out.
        provenance: left out, the user said it.
        supersedes: the id of the record that this one replaces.
        agent_context: makes it one agent's record.
        source_thread_id: where it was said.
        source_turn_id: in which turn.
        disabled: kept but not recalled.
        id: left out, the store makes one.
    """

    scope: Scope = "workspace"
    workspace: PathText | None = None
    project: PathText | None = None
    project_identity: PathText | None = None
    speaker: str | None = None
    subject: str | None = None
    type: MemoryType | None = None
    authority: Authority = "reference"
    tags: Iterable[str] = ()
    confidence: float | None = None
    importance: float | None = None
    observed_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    ttl: timedelta | None = None
    sources: Iterable[Source | Mapping[str, Any]] = ()
    provenance: Provenance | Mapping[str, Any] | None = None
    supersedes: str | None = None
    agent_context: AgentContext | Mapping[str, Any] | None = None
    source_thread_id: str | None = None
    source_turn_id: str | None = None
    disabled: bool = False
    id: str | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "tags", tag_list(self.tags))
        msgspec.structs.force_setattr(
            self, "sources", items(self.sources, "sources", "a Source or a mapping")
        )

    @classmethod
    def from_keywords(cls, keywords: Mapping[str, Any]) -> Self:
        """Makes a draft of `remember`'s keywords.

        Raises:
            InvalidInputError: a keyword is unknown, or the content is missing.
        """
        if not isinstance(keywords, Mapping):
            raise InvalidInputError("draft", "a MemoryDraft or a mapping", excerpt(keywords))
        for name in keywords:
            if name not in cls.__struct_fields__:
                raise InvalidInputError("draft", "keywords of remember", excerpt(name))
        if "content" not in keywords:
            raise InvalidInputError("content", _CONTENT, "nothing")
        return cls(**keywords)

    def to_record(self, *, id: str, now: datetime) -> MemoryRecord:
        """Gives the record this draft stands for, with every default filled in.

        Raises:
            InvalidInputError: naming the argument that is not acceptable.
        """
        self._refuse_unfit()
        moment = timestamp(now)
        provenance = self._provenance()
        kind = provenance.kind
        tree = {
            "id": id,
            "content": self.content,
            "scope": self.scope,
            "type": self.type,
            "authority": self.authority,
            "tags": self.tags,
            "confidence": _CONFIDENCE[kind] if self.confidence is None else self.confidence,
            "importance": IMPORTANCE[kind] if self.importance is None else self.importance,
            "createdAt": moment,
            "updatedAt": moment,
            **self._times(now, moment),
            **self._places(),
            "speaker": self.speaker,
            "subject": self.subject,
            "supersedes": self.supersedes,
            "sourceThreadId": self.source_thread_id,
            "sourceTurnId": self.source_turn_id,
            "provenance": provenance.to_dict(),
            "sources": source_list(self.sources) or [self._source(provenance).to_dict()],
            "agentContext": open_tree(self.agent_context, AgentContext, "agent_context"),
        }
        try:
            record = MemoryRecord.from_dict({k: v for k, v in tree.items() if v is not None})
        except InvalidRecordError as fault:
            raise input_error(fault) from None
        refuse_unfit_directive(record)
        return record

    def _refuse_unfit(self) -> None:
        require(self.content, str, "content", _CONTENT)
        for field in ("speaker", "subject", "source_thread_id", "source_turn_id"):
            text = getattr(self, field)
            if text is not None and not (
                isinstance(text, str) and 1 <= len(text) <= ORIGIN_CHARACTERS
            ):
                expected = text_of(1, ORIGIN_CHARACTERS)
                raise InvalidInputError(field, expected, excerpt(text))
        if self.supersedes == "":
            raise InvalidInputError("supersedes", "the id of a record", "''")
        require(self.disabled, bool, "disabled", "True or False")
        if self.ttl is not None:
            require(self.ttl, timedelta, "ttl", "a timedelta")
            if self.ttl < _MILLISECOND:
                raise InvalidInputError("ttl", "at least a millisecond", f"{self.ttl}")
            if self.expires_at is not None:
                raise InvalidInputError("ttl", "either ttl or expires_at", "both")

    def _provenance(self) -> Provenance:
        tree = open_tree(self.provenance, Provenance, "provenance")
        if tree is None:
            return Provenance(kind="user", turn_id=self.source_turn_id)
        try:
            return parsed(tree, Provenance)
        except InvalidRecordError as fault:
            field = f"provenance.{fault.field}"
            raise InvalidInputError(field, fault.expected, fault.got) from None

    def _source(self, provenance: Provenance) -> Source:
        return implied_source(
            provenance,
            id="source_1",
            trust="observed",
            thread_id=self.source_thread_id,
            turn_id=self.source_turn_id,
        )

    def _times(self, now: datetime, now_text: str) -> dict[str, str | None]:
        given = {
            "observedAt": ("observed_at", self.observed_at),
            "validFrom": ("valid_from", self.valid_from),
            "validTo": ("valid_to", self.valid_to),
            "expiresAt": ("expires_at", self._expiry(now)),
        }
        times = {
            name: timestamp(moment, field)
            for name, (field, moment) in given.items()
            if moment is not None
        }
        return {
            "observedAt": now_text,
            **times,
            "disabledAt": now_text if self.disabled else None,
        }

    def _expiry(self, now: datetime) -> datetime | None:
        if self.ttl is None:
            return self.expires_at
        try:
            return now + self.ttl
        except OverflowError:
            expected = "a timedelta that ends before the year 10000"
            raise InvalidInputError("ttl", expected, f"{self.ttl}") from None

    def _places(self) -> dict[str, str | None]:
        workspace = path_text(self.workspace, "workspace")
        project = path_text(self.project, "project")
        identity = path_text(self.project_identity, "project_identity")
        if self.scope == "workspace":
            if workspace is None:
                raise InvalidInputError("workspace", "a path, for the scope workspace", "nothing")
            return {"workspace": workspace}
        if self.scope != "project":
            return {}
        if workspace is project is identity is None:
            expected = "project, workspace or project_identity, for the scope project"
            raise InvalidInputError("project", expected, "nothing")
        return {
            "workspace": workspace,
            "project": workspace if project is None else project,
            "projectIdentity": identity,
        }
