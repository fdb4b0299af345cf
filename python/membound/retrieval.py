"""Recall over records at hand: the pure function, and what every path answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, final

import msgspec

from membound import _core
from membound.arguments import record_list
from membound.policy import AgentAccess, MemoryPolicy
from membound.records import MemoryRecord
from membound.request import (
    CHARACTER_BUDGET,
    MOST_RECORDS,
    Purpose,
    RelevanceMode,
    Request,
    retrieval_request,
)
from membound.trace import IndexState, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from membound.fields import Authority, MemoryType, Scope
    from membound.text import PathText
    from membound.tokens import Tokenizer

__all__ = ["RetrievalResult", "retrieve_among", "retrieve_records"]


@final
class RetrievalResult:
    """What one retrieval found; records and trace are made when they are first read."""

    __slots__ = ("_context", "_found", "_from_memory", "_records", "_state", "_trace")

    _found: _core.Recalled
    _from_memory: bool
    _state: IndexState
    _records: tuple[MemoryRecord, ...] | None
    _context: str | None
    _trace: Trace | None

    def __init__(self, *, records: tuple[MemoryRecord, ...], context: str, trace: Trace) -> None:
        self._records = records
        self._context = context
        self._trace = trace
        self._from_memory = False

    @classmethod
    def found(cls, found: _core.Recalled, state: IndexState) -> Self:
        """Makes the result of what the core found."""
        self = cls.__new__(cls)
        self._found, self._state = found, state
        self._from_memory = found.is_from_memory()
        self._records = self._context = self._trace = None
        return self

    @property
    def records(self) -> tuple[MemoryRecord, ...]:
        """The selected records, best first, with their content as the budget cut it."""
        if self._records is None:
            self._records = tuple(_as_shown(json, cut) for json, cut in self._found.records())
        return self._records

    @property
    def context(self) -> str:
        """The fenced reference block, "" when nothing is relevant."""
        if self._context is None:
            self._context = self._found.context()
        return self._context

    @property
    def trace(self) -> Trace:
        """Why, for every step."""
        if self._trace is None:
            trace = msgspec.json.decode(self._found.trace(), type=Trace)
            self._trace = msgspec.structs.replace(trace, index_state=self._state)
        return self._trace

    @property
    def from_memory(self) -> bool:
        """Whether postings in memory answered: no part of the value, it depends on the moment."""
        return self._from_memory

    def _parts(self) -> tuple[tuple[MemoryRecord, ...], str, Trace]:
        return self.records, self.context, self.trace

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RetrievalResult):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.context, self.trace.selected_ids))

    def __repr__(self) -> str:
        records, context, trace = self._parts()
        return f"RetrievalResult(records={records!r}, context={context!r}, trace={trace!r})"

    def __reduce__(self) -> tuple[Callable[..., RetrievalResult], tuple[object, ...]]:
        return _restored, self._parts()


def _restored(records: tuple[MemoryRecord, ...], context: str, trace: Trace) -> RetrievalResult:
    return RetrievalResult(records=records, context=context, trace=trace)


def retrieve_records(
    records: Iterable[MemoryRecord],
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
    policy: MemoryPolicy | None = None,
    relevance_mode: RelevanceMode = "foundation-v1",
    tokenizer: Tokenizer | None = None,
) -> RetrievalResult:
    """Recalls the relevant few of ``records``: a pure function of its arguments.

    Args:
        records: what may be recalled; every one is judged.
        query: the words asked for.
        now: the aware instant at which lifecycles and freshness are judged.
        workspace: where it is asked from; without it no workspace's records are seen.
        project: the project asked from; absent, the workspace stands in for it.
        project_identity: what `membound.project_identity` gave for the project.
        agent: for whom; an agent sees its own records only, and nobody else sees those.
        limit: most records, besides the policy's and 64. Fractions are cut, negative counts 0.
        purpose: ``injection`` leaves directives to their own block, ``tool`` keeps them.
        scope: only this scope or these.
        type: only this type or these.
        authority: only this authority or these.
        tags: only records that carry every one, compared in NFKC, trimmed and lowercased.
        min_confidence: least confidence of an eligible record, from 0 to 1.
        character_budget: most characters of the whole block, fence included.
        policy: what the host allows; by default everything, 8 records.
        relevance_mode: the named rule of relevance.
        tokenizer: the version of the rules that make search tokens; by default ``v2`` for
            ``foundation-v2``, which needs it, else ``v1``.

    Raises:
        InvalidInputError: naming the argument that is not acceptable.
    """
    request = retrieval_request(
        query,
        now=now,
        workspace=workspace,
        project=project,
        project_identity=project_identity,
        agent=agent,
        limit=limit,
        purpose=purpose,
        scope=scope,
        type=type,
        authority=authority,
        tags=tags,
        min_confidence=min_confidence,
        character_budget=character_budget,
        policy=MemoryPolicy() if policy is None else policy,
        relevance_mode=relevance_mode,
        tokenizer=tokenizer,
    )
    return retrieve_among(
        request, [record.to_json() for record in record_list(records)], "disabled"
    )


def retrieve_among(request: Request, records: list[bytes], state: IndexState) -> RetrievalResult:
    """Judges every one of some records, given as canonical JSON."""
    return RetrievalResult.found(_core.retrieve_records(request.to_json(), records), state)


def _as_shown(json: bytes, content: str | None) -> MemoryRecord:
    record = MemoryRecord.from_json(json)
    return record if content is None else msgspec.structs.replace(record, content=content)
