"""The slow, obvious oracle: retrieval on plain records in their JSON form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle import ranking, weighed
from tests.oracle.blocks import reference_block
from tests.oracle.budget import TRACE_LIST, floored, record_limit, select
from tests.oracle.eligibility import candidates

if TYPE_CHECKING:
    from tests.oracle.tokens import Record

DEFAULT_POLICY: dict[str, Any] = {
    "enabled": True,
    "scopes": ["user", "workspace", "project"],
    "maxInjectedRecords": 8,
    "directives": {"enabled": True, "maxRecords": 20, "maxCharacters": 4000},
}


def retrieve(
    records: list[Record],
    query: str,
    *,
    now: int,
    policy: dict[str, Any] | None = None,
    channel: str = "filesystem",
    **request: Any,  # noqa: ANN401 — the request is JSON: its shapes are checked by use
) -> dict[str, Any]:
    """Return what the request selects, the context block and the account of every step."""
    policy = policy or DEFAULT_POLICY
    left, filtered = candidates(records, request, policy, now)
    tokenizer = request.get("tokenizer", "v1")
    mode = request.get("relevance_mode", "foundation-v1")
    if mode == "foundation-v2":
        rows, told = weighed.ranked(left, query, now, policy.get("ranking", {}))
    else:
        rows, told = ranking.ranked(left, query, now, mode, tokenizer)
    shown = rows[request.get("offset", 0) :]
    limit = record_limit(request.get("limit", 64), policy)
    budget = floored(request.get("character_budget", 6000))
    chosen = select([record for record, _ in shown], limit, budget, now)
    taken = chosen.pop("taken")
    ids = [record["id"] for record in taken]
    context = reference_block(taken, now)
    return {
        **chosen,
        **told,
        "candidateCount": len(left),
        "filtered": {**filtered, "irrelevant": len(left) - len(rows)},
        "rankings": [
            ranking.ranking_row(record, found, channel, taken=record["id"] in ids)
            for record, found in shown[:TRACE_LIST]
        ],
        "selectedIds": ids,
        "selectedContents": [record["content"] for record in taken],
        "selectedCharacters": len(context),
        "recordLimit": limit,
        "context": context,
    }
