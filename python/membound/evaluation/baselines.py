"""The baseline: the newest records, injected whatever the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound.arguments import record_list
from membound.context import reference_block
from membound.listing import latest_first
from membound.numbers import whole
from membound.policy import MemoryPolicy
from membound.request import CHARACTER_BUDGET, MOST_RECORDS, retrieval_request
from membound.retrieval import retrieve_records

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from membound.records import MemoryRecord

__all__ = ["eligible_records", "newest_that_fit", "unconditional_injection"]


def unconditional_injection(
    records: Iterable[MemoryRecord],
    *,
    now: datetime,
    workspace: str | None = None,
    limit: float = 8,
    character_budget: float = CHARACTER_BUDGET,
    policy: MemoryPolicy | None = None,
) -> tuple[MemoryRecord, ...]:
    """Select the newest eligible records up to both budgets, without asking for relevance.

    It answers to the same scopes, lifecycle and budgets as recall, so that what it lacks beside
    recall is relevance alone.
    """
    rules = MemoryPolicy() if policy is None else policy
    known = record_list(records)
    retrieval_request("", now=now, workspace=workspace, policy=rules)  # checks them
    return newest_that_fit(
        eligible_records(known, now=now, workspace=workspace, policy=rules),
        now=now,
        limit=whole(limit, "limit"),
        character_budget=whole(character_budget, "character_budget"),
        policy=rules,
    )


def eligible_records(
    records: Iterable[MemoryRecord],
    *,
    now: datetime,
    workspace: str | None,
    policy: MemoryPolicy,
) -> list[MemoryRecord]:
    """Return the references that recall would consider, the last updated first, then by id."""

    def considered(record: MemoryRecord) -> bool:
        """Ask recall itself, so that who may see what is decided in one place."""
        asked = retrieve_records(
            (record,), "", now=now, workspace=workspace, purpose="tool", policy=policy
        )
        return asked.trace.candidate_count == 1

    seen = [record for record in records if considered(record)]
    replaced = {record.supersedes for record in seen}
    current = [r for r in seen if r.id not in replaced and r.authority != "directive"]
    return sorted(current, key=latest_first)


def newest_that_fit(
    records: Iterable[MemoryRecord],
    *,
    now: datetime,
    policy: MemoryPolicy,
    limit: int = 8,
    character_budget: int = CHARACTER_BUDGET,
) -> tuple[MemoryRecord, ...]:
    """Take records in their order; one that would exceed the characters is left out, uncut."""
    most = min(limit, policy.max_injected_records, MOST_RECORDS) if policy.enabled else 0
    taken: list[MemoryRecord] = []
    for record in records:
        if len(taken) >= most:
            break
        if len(reference_block([*taken, record], now=now)) <= character_budget:
            taken.append(record)
    return tuple(taken)
