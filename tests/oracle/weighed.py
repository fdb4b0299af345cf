"""How records compare under `foundation-v2`: by what its statistics, scoring and levels make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tests.oracle import tokens_v2
from tests.oracle.asked import asked
from tests.oracle.hints_v2 import wish
from tests.oracle.levels import FLOORS, needed, script
from tests.oracle.ranking import Rows, final_score, in_order, measured
from tests.oracle.scoring import CHOSEN, Constants, Workspace

if TYPE_CHECKING:
    from tests.oracle.tokens import Record

WEIGHTS = {
    "lexical": 0.8,
    "scopeAffinity": 0.06,
    "typeAffinity": 0.04,
    "freshness": 0.04,
    "importance": 0.03,
    "confidence": 0.03,
}


def record_units(record: Record) -> tuple[str, ...]:
    units, _ = tokens_v2.search_tokens(tokens_v2.record_text(record))
    return units


@dataclass(frozen=True)
class Numbers:
    """The weights and levels of the mode, or what a policy says in their place."""

    weights: dict[str, float]
    floor: float
    levels: Constants


def numbers_of(ranking: dict[str, Any], query: str) -> Numbers:
    return Numbers(
        weights=ranking.get("weights", WEIGHTS),
        floor=ranking.get("floors", FLOORS)[script(query)],
        levels=replace(
            CHOSEN,
            relative=ranking.get("relativeFloor", CHOSEN.relative),
            following=ranking.get("followingFloor", CHOSEN.following),
        ),
    )


def answering(rows: Rows, numbers: Numbers) -> set[str]:
    """Return the records that a query for nothing but a kind admits by their kind."""
    scores = {
        record["id"]: final_score({**found, "lexical": 0.0}, numbers.weights)
        for record, found in rows
        if found["typeAffinity"] > 0
    }
    level = numbers.levels.relative * max(scores.values(), default=0.0)
    return {id for id, score in scores.items() if score >= level}


def ranked(
    eligible: list[Record], query: str, now: int, ranking: dict[str, Any]
) -> tuple[Rows, dict[str, Any]]:
    """Return the admitted records with their features, best first, and what the trace tells."""
    numbers = numbers_of(ranking, query)
    words = asked(query)
    workspace = Workspace([record_units(record) for record in eligible])
    weighed = workspace.weigh(words)
    lexical = workspace.lexical(weighed, numbers.floor)
    best = max(lexical.values(), default=0.0)
    least = needed(best, numbers.floor, numbers.levels)
    hints, alone = wish(query)
    rows = [
        (record, measured(record, lexical.get(place, 0.0), hints, now, numbers.weights))
        for place, record in enumerate(eligible)
    ]
    by_kind = answering(rows, numbers) if alone else set()
    relevant = [
        (record, found)
        for record, found in rows
        if (least is not None and 0 < found["lexical"] >= least) or record["id"] in by_kind
    ]
    return in_order(relevant), {
        "queryTokenCount": len(words.units),
        "queryTokensTruncated": words.truncated,
        "weighing": {
            "records": workspace.count,
            "units": sum(workspace.lengths),
            "holders": [len(matches) for matches in weighed.matches],
            "best": 0.0 if least is None else best,
            "floor": numbers.floor,
            "relativeFloor": numbers.levels.relative,
            "followingFloor": numbers.levels.following,
        },
    }
