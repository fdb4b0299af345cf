"""One turn's context for a host loop: the standing rules, and what is relevant to the query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import msgspec

from membound.arguments import require
from membound.context import DirectiveSelection
from membound.records import MemoryRecord
from membound.store import MemoryStore
from membound.trace import Trace

if TYPE_CHECKING:
    from datetime import datetime

    from membound.policy import MemoryPolicy
    from membound.request import RetrievalOptions

__all__ = ["TurnContext", "resolve_turn_context"]


class TurnContext(msgspec.Struct, frozen=True, kw_only=True):
    """What one turn's prompt gets from memory.

    Attributes:
        memories: the recalled records, best first.
        selection: the standing rules that hold, and those left out.
        reference_block: the fenced block of the recalled records, "" when nothing is relevant.
        directive_block: the fenced block of the rules, "" when there are none.
        trace: the account of the recall.
    """

    memories: tuple[MemoryRecord, ...]
    selection: DirectiveSelection
    reference_block: str
    directive_block: str
    trace: Trace

    @property
    def directives(self) -> tuple[MemoryRecord, ...]:
        """The standing rules that hold, in block order."""
        return self.selection.records

    @property
    def blocks(self) -> tuple[str, ...]:
        """The blocks that are not empty, the rules first."""
        return tuple(filter(None, (self.directive_block, self.reference_block)))


def resolve_turn_context(
    store: MemoryStore,
    query: str,
    *,
    now: datetime | None = None,
    policy: MemoryPolicy | None = None,
    **options: Unpack[RetrievalOptions],
) -> TurnContext:
    """Recalls for one turn; both blocks are judged at the same moment.

    Args:
        store: the store to ask.
        query: the user's message, or what the host makes of it.
        now: the aware moment of the turn; left out, the store's clock gives it.
        policy: what may be recalled; left out, the store's own.
        options: the options of `retrieve_records`.

    Raises:
        InvalidInputError: naming the argument that is not acceptable.
    """
    require(store, MemoryStore, "store", "a MemoryStore")
    moment = store.now() if now is None else now
    found = store.retrieve(query, now=moment, policy=policy, **options)
    rules = store.list_directives(
        now=moment,
        policy=policy,
        workspace=options.get("workspace"),
        project=options.get("project"),
        project_identity=options.get("project_identity"),
        agent=options.get("agent"),
    )
    return TurnContext(
        memories=found.records,
        selection=rules,
        reference_block=found.context,
        directive_block=rules.block,
        trace=found.trace,
    )
