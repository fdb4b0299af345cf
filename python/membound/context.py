"""The fenced text for a prompt: the reference block and the directive block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from membound import _core
from membound.arguments import record_list
from membound.policy import AgentAccess, MemoryPolicy
from membound.records import MemoryRecord
from membound.request import Request, scope_request
from membound.times import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from membound.text import PathText

__all__ = [
    "DirectiveSelection",
    "directive_block",
    "reference_block",
    "select_directives",
    "selected_directives",
]


class DirectiveSelection(msgspec.Struct, frozen=True, kw_only=True):
    """The standing rules that hold for a request, in block order.

    Attributes:
        records: the selected directives.
        excluded_ids: left out by the budget; at most 64.
        truncated_ids: left out because a rule of over 1,000 characters is never cut; at most 64.
        hidden_text_ids: selected with hidden characters in their content or a source; at most 64.
        characters: characters of the rule lines, each with its line feed.
    """

    records: tuple[MemoryRecord, ...] = ()
    excluded_ids: tuple[str, ...] = ()
    truncated_ids: tuple[str, ...] = ()
    hidden_text_ids: tuple[str, ...] = ()
    characters: int = 0

    @property
    def block(self) -> str:
        """The directive block of the selected records; empty where there are none."""
        return directive_block(self.records)


class _Positions(msgspec.Struct, frozen=True, rename="camel"):
    selected: list[int]
    excluded_ids: tuple[str, ...]
    truncated_ids: tuple[str, ...]
    hidden_text_ids: tuple[str, ...]
    characters: int


def reference_block(records: Iterable[MemoryRecord], *, now: datetime) -> str:
    """Gives the fenced reference block of records, all of them and in this order.

    Nothing is selected or cut here: `retrieve_records` does that. No records give "".

    Raises:
        InvalidInputError: an item is no MemoryRecord, or ``now`` is not aware.
    """
    records = record_list(records)
    return _core.reference_block([record.to_json() for record in records], milliseconds(now))


def directive_block(records: Iterable[MemoryRecord]) -> str:
    """Gives the fenced directive block of records, all of them and in this order.

    Raises:
        InvalidInputError: an item is no MemoryRecord.
    """
    return _core.directive_block([record.to_json() for record in record_list(records)])


def select_directives(
    records: Iterable[MemoryRecord],
    *,
    now: datetime,
    workspace: PathText | None = None,
    project: PathText | None = None,
    project_identity: PathText | None = None,
    agent: AgentAccess | None = None,
    policy: MemoryPolicy | None = None,
) -> DirectiveSelection:
    """Selects the standing rules that hold: active, in scope, in the directive budget.

    Order: rules of the user before those of a workspace, then importance, then the oldest, then
    the id. ``policy.scopes`` governs what is recalled, not which approved rules hold.

    Raises:
        InvalidInputError: naming the argument that is not acceptable.
    """
    request = scope_request(
        now=now,
        workspace=workspace,
        project=project,
        project_identity=project_identity,
        agent=agent,
        policy=MemoryPolicy() if policy is None else policy,
    )
    return selected_directives(request, record_list(records))


def selected_directives(request: Request, records: list[MemoryRecord]) -> DirectiveSelection:
    """Selects among records at hand."""
    found = _core.select_directives(request.to_json(), [record.to_json() for record in records])
    positions = msgspec.json.decode(found, type=_Positions)
    return DirectiveSelection(
        records=tuple(records[at] for at in positions.selected),
        excluded_ids=positions.excluded_ids,
        truncated_ids=positions.truncated_ids,
        hidden_text_ids=positions.hidden_text_ids,
        characters=positions.characters,
    )
