"""What fits the prompt: the record limit and the character budget."""

from __future__ import annotations

import math
from typing import Any

import regex

from tests.oracle.blocks import reference_block
from tests.oracle.tokens import SPACES, Record, comparable

TRACE_LIST = 64
SMALLEST_CUT = 96


def floored(value: float) -> float:
    return max(0, value if math.isinf(value) else math.floor(value))


def record_limit(limit: float, policy: dict[str, Any]) -> int:
    if not policy["enabled"]:
        return 0
    return int(min(floored(limit), policy["maxInjectedRecords"], TRACE_LIST))


def cut(taken: list[Record], record: Record, budget: float, now: int) -> Record | None:
    """Return the record with as many whole graphemes as fit, or None if that is too little."""

    def with_content(content: str) -> Record:
        return {**record, "content": content}

    room = budget - len(reference_block([*taken, with_content("")], now))
    ends = [0]
    for grapheme in regex.findall(r"\X", record["content"]):
        ends.append(ends[-1] + len(grapheme))
    for end in reversed(ends):
        content = record["content"][:end].rstrip(SPACES)
        if len(content) > room:
            continue
        if len(content) < SMALLEST_CUT:
            return None
        if len(reference_block([*taken, with_content(content)], now)) <= budget:
            return with_content(content)
    return None


def select(ordered: list[Record], limit: int, budget: float, now: int) -> dict[str, Any]:
    """Take records in order until the limit; report what was cut, left out or said twice."""
    taken: list[Record] = []
    contents: set[str] = set()
    duplicates: list[str] = []
    excluded: list[str] = []
    truncated: list[str] = []
    for record in ordered:
        if len(taken) >= limit:
            break
        key = comparable(record["content"])
        if key in contents:
            duplicates.append(record["id"])
            continue
        fitting: Record | None = record
        if len(reference_block([*taken, record], now)) > budget:
            fitting = cut(taken, record, budget, now)
            (excluded if fitting is None else truncated).append(record["id"])
        if fitting is not None:
            taken.append(fitting)
            contents.add(key)
    return {
        "taken": taken,
        "duplicateIds": duplicates[:TRACE_LIST],
        "excludedIds": excluded[:TRACE_LIST],
        "truncatedIds": truncated[:TRACE_LIST],
    }
