"""How records compare: hints, features, final score, admission, total order."""

from __future__ import annotations

import math
from typing import Any

import regex

from tests.oracle import tokens, tokens_v2
from tests.oracle.dates import milliseconds, observed_at
from tests.oracle.tokens import Record, comparable, coverage, folded, has_cjk

Rows = list[tuple[Record, dict[str, float]]]
TOKENIZERS: dict[str, Any] = {"v1": tokens, "v2": tokens_v2}
WEIGHTS = {
    "lexical": 0.55,
    "scopeAffinity": 0.1,
    "typeAffinity": 0.1,
    "freshness": 0.1,
    "importance": 0.075,
    "confidence": 0.075,
}
SCOPE_AFFINITY = {"project": 1.0, "workspace": 0.9, "user": 0.8}
HALF_LIFE = 180 * 86_400_000
HINTS = (
    (("preference",), "prefer|preference|favorite|favourite|like", "偏好|喜欢|习惯"),
    (("decision",), "decide|decision|chosen|choice", "决定|选择|决策"),
    (("fact", "relationship"), "who am i|my name|identity|profile", "我是谁|我的名字|身份"),
)
ANSWERING_TAGS = {
    "fact": {"identity", "profile", "身份"},
    "preference": {"preference", "preferences", "偏好"},
}


def clamped(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0


def type_hints(query: str) -> list[str]:
    hints: list[str] = []
    for types, latin, chinese in HINTS:
        whole_words = rf"(?<![a-z0-9_])(?:{latin})(?![a-z0-9_])"
        if regex.search(f"{whole_words}|{chinese}", folded(query)):
            hints += types
    return hints


def type_affinity(record: Record, hints: list[str]) -> float:
    tags = {comparable(tag) for tag in record["tags"]}
    by_tag = any(hint in hints and tags & answers for hint, answers in ANSWERING_TAGS.items())
    return 1.0 if record["type"] in hints or by_tag else 0.0


def freshness(record: Record, now: int) -> float:
    observed = observed_at(record)
    if observed is None:
        return 1.0
    return clamped(0.5 ** (max(0, now - observed) / HALF_LIFE))


def freshness_class(value: float) -> str:
    for floor, name in ((0.8, "fresh"), (0.5, "recent"), (0.25, "aging")):
        if value >= floor:
            return name
    return "stale"


def final_score(features: dict[str, float], weights: dict[str, float] = WEIGHTS) -> float:
    total = 0.0
    for name, weight in weights.items():
        total += features[name] * weight
    return clamped(total)


def measured(
    record: Record, lexical: float, hints: list[str], now: int, weights: dict[str, float]
) -> dict[str, float]:
    """Return the features of a record whose words answer so far, with its final score."""
    found = {
        "lexical": lexical,
        "scopeAffinity": SCOPE_AFFINITY[record["scope"]],
        "typeAffinity": type_affinity(record, hints),
        "freshness": freshness(record, now),
        "importance": clamped(record["importance"]),
        "confidence": clamped(record["confidence"]),
    }
    return {**found, "finalScore": final_score(found, weights)}


def features(record: Record, query: str, now: int, tokenizer: str = "v1") -> dict[str, float]:
    rules = TOKENIZERS[tokenizer]
    query_tokens, _ = rules.search_tokens(query, rules.QUERY_TOKENS)
    record_tokens, _ = rules.search_tokens(rules.record_text(record), rules.RECORD_TOKENS)
    lexical = coverage(query_tokens, record_tokens)
    return measured(record, lexical, type_hints(query), now, WEIGHTS)


def admitted(lexical: float, affinity: float, query: str, mode: str) -> bool:
    if mode == "historical-v1":
        return lexical > 0 or affinity > 0
    return lexical >= (1 / 3 if has_cjk(query) else 0.4) or affinity > 0


def order(final: float, updated_at: str, identifier: str) -> tuple[float, float, str]:
    """Return what sorts ascending into the total order."""
    instant = milliseconds(updated_at)
    return -final, math.inf if instant is None else -instant, identifier


def in_order(rows: Rows) -> Rows:
    """Return the records with their features, best first."""
    return sorted(
        rows, key=lambda row: order(row[1]["finalScore"], row[0]["updatedAt"], row[0]["id"])
    )


def ranked(
    records: list[Record], query: str, now: int, mode: str, tokenizer: str
) -> tuple[Rows, dict[str, Any]]:
    """Return the admitted records with their features, best first, and what the trace tells."""
    rows = [(record, features(record, query, now, tokenizer)) for record in records]
    relevant = [
        (record, found)
        for record, found in rows
        if admitted(found["lexical"], found["typeAffinity"], query, mode)
    ]
    rules = TOKENIZERS[tokenizer]
    query_tokens, cut = rules.search_tokens(query, rules.QUERY_TOKENS)
    told = {
        "queryTokenCount": len(query_tokens),
        "queryTokensTruncated": cut,
        "weighing": None,
    }
    return in_order(relevant), told


def ranking_row(
    record: Record, found: dict[str, float], channel: str, *, taken: bool
) -> dict[str, Any]:
    return {
        "memoryId": record["id"],
        "channel": channel,
        "features": found,
        "selected": taken,
    }
