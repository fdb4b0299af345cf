"""Whoever reads a trace can compute lexical again, from the query and the record."""

from __future__ import annotations

import random
from math import log1p, sqrt
from typing import TYPE_CHECKING

import pytest

import membound
from tests.adapters import options_of, records_of
from tests.conformance import whole
from tests.oracle.asked import asked
from tests.oracle.scoring import is_strong, strength
from tests.oracle.tokens_v2 import record_text
from tests.oracle.words import STOP, trigrams, weak_characters
from tests.strategies import NOW
from tests.wordings import make_asking, make_memories

if TYPE_CHECKING:
    from tests.conformance import Request
    from tests.oracle.tokens import Record


def account(records: list[Record], request: Request) -> membound.Trace:
    options = options_of(request)
    return membound.retrieve_records(records_of(records), request["query"], **options).trace


@pytest.mark.parametrize("seed", range(60))
def test_lexical_is_below_one_and_follows_from_the_trace(seed: int) -> None:
    chance = random.Random(f"recomputed-{seed}")
    records = make_memories(chance, 30)
    for _ in range(10):
        request = make_asking(chance, records)
        trace = account(records, request)
        by_id = {record["id"]: record for record in records}
        for ranking in trace.rankings:
            lexical = ranking.features.lexical
            # Without a word of the query it was admitted by a hint.
            assert lexical or ranking.features.type_affinity
            assert trace.weighing
            assert 0 <= lexical < 1 or lexical == trace.weighing.floor
            record = by_id[ranking.memory_id]
            assert lexical == pytest.approx(recomputed(trace, request["query"], record), abs=1e-9)


def test_a_record_that_says_what_is_asked_stays_below_one() -> None:
    query = " ".join(f"{chr(97 + at % 26)}{chr(97 + at // 26)}zz" for at in range(255))
    request = {"query": query, "now": NOW, "relevance_mode": "foundation-v2"}
    (ranking,) = account([whole({"content": query})], request).rankings
    assert 0.89 < ranking.features.lexical < 1 / sqrt(1.25)


def recomputed(trace: membound.Trace, query: str, record: Record) -> float:
    """Lexical by a reader who knows the query, the record and what the trace tells."""
    weighing = trace.weighing
    assert weighing is not None

    def idf(holders: int) -> float:
        return log1p((weighing.records + 100 - holders + 0.5) / (holders + 0.5))

    words = asked(query)
    own = membound.search_tokens(record_text(record), limit=2048, tokenizer="v2").tokens
    weights = [
        strength(unit) * idf(holders)
        for unit, holders in zip(words.units, weighing.holders, strict=True)
    ]
    gains = [weight * far(unit, own) for unit, weight in zip(words.units, weights, strict=True)]
    cover = sum(gains) / (sum(weights) + 2 * idf(1))
    for places in words.sentences:
        of_sentence = sum(weights[at] for at in places) + 4 * idf(1)
        cover = max(cover, sum(gains[at] for at in places) / of_sentence)
    lexical = sqrt(cover / (1 + 0.25 * len(own) / (weighing.units / weighing.records)))
    has_all = any(map(is_strong, words.units)) and all(far(unit, own) == 1 for unit in words.units)
    return max(lexical, weighing.floor) if has_all else lexical


def far(unit: str, own: tuple[str, ...]) -> float:
    """How far a record of these units matches one of a query."""
    if unit in own:
        return 1.0
    kind, body = unit[0], unit[1:]
    if kind == "w" and body not in STOP:
        return max((dice(body, one[1:]) for one in own if one[0] == "w"), default=0.0)
    characters = {character for one in own if one[0] == "c" for character in one[1:]}
    if kind == "c" and len(body) == 1:
        return float(body in characters)
    is_pair = kind == "c" and len(body) == 2 and weak_characters(unit) < 2
    return 0.3 if is_pair and set(body) <= characters else 0.0


def dice(one: str, other: str) -> float:
    both = len(trigrams(one)) + len(trigrams(other))
    common = 2 * len(trigrams(one) & trigrams(other))
    return common / both if common and 100 * common >= 55 * both else 0.0
