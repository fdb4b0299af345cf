"""What a scoring finds, and what it injects where there is nothing to find."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

from tests.oracle.levels import FLOORS, Script, script

from benches.quality.selection import RECORDS, lexical, ranked, select
from benches.quality.sets import strangers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.oracle.scoring import Constants

    from benches.quality.sets import DataSet, Query, Record


@dataclass(frozen=True)
class Answer:
    """A query, the lexical of each record where it is asked, and the best one where it is not."""

    query: Query
    script: Script
    records: list[Record]
    lexical: dict[int, float]
    same_set: list[float]
    """The best lexical in each workspace of the same set that has no answer."""
    other_set: list[float]
    """The same, of workspaces of other sets."""
    constants: Constants

    def select(self, floor: float) -> list[int]:
        """Give what is selected with this floor."""
        return select(
            self.lexical,
            lambda record: self.records[record].characters,
            floor,
            self.constants,
        )

    def hits(self, selected: Iterable[int]) -> int:
        """Count the gold records among those selected."""
        return sum(self.records[record].id in self.query.gold_ids for record in selected)


@dataclass(frozen=True)
class Figures:
    """Figures of a set, each a mean over its queries; of no case, not a number."""

    recall: float
    """Gold records that are selected, of a query's gold records."""
    false_injection: float
    """The mean of the two that follow, as far as there are any."""
    in_same_set: float
    """Workspaces of the same set without an answer in which anything is selected."""
    in_other_set: float
    """Workspaces of other sets in which anything is selected."""
    false_abstention: float
    """Queries for which nothing is selected."""
    precision: float
    """Gold records among those selected, where any are."""
    records: float
    """Records that are selected."""
    recall_at_8: float
    """Gold records among the first 8, whatever the floor."""


def answers(sets: Mapping[str, DataSet], of: DataSet) -> list[Answer]:
    """Ask every query of a set in its own workspace and in those of strangers."""
    return [_answer(sets, of, query) for query in of.queries]


def _answer(sets: Mapping[str, DataSet], of: DataSet, query: Query) -> Answer:
    same, other = (
        [max(lexical(one, query.text).values(), default=0.0) for one in workspaces]
        for workspaces in strangers(sets, of, query)
    )
    records = of.conversations[query.conversation]
    found = lexical(of.workspace(query.conversation), query.text)
    return Answer(query, script(query.text), records, found, same, other, of.constants)


def measure(asked: Sequence[Answer], floors: Mapping[Script, float] = FLOORS) -> Figures:
    """Give the figures of a set's answers with these floors."""
    selected = [(one, one.select(floors[one.script])) for one in asked]
    same, other = injected(asked, floors)
    return Figures(
        recall=mean(one.hits(found) / len(one.query.gold_ids) for one, found in selected),
        false_injection=mean((same, other)),
        in_same_set=same,
        in_other_set=other,
        false_abstention=mean(not found for _, found in selected),
        precision=mean(one.hits(found) / len(found) for one, found in selected if found),
        records=mean(len(found) for _, found in selected),
        recall_at_8=mean(
            one.hits(ranked(one.lexical)[:RECORDS]) / len(one.query.gold_ids) for one in asked
        ),
    )


def injected(asked: Sequence[Answer], floors: Mapping[Script, float]) -> tuple[float, float]:
    """Give the false injection in workspaces of the same set, and of others."""
    return (
        mean(best >= floors[one.script] for one in asked for best in one.same_set),
        mean(best >= floors[one.script] for one in asked for best in one.other_set),
    )


def mean(numbers: Iterable[float]) -> float:
    """Give the mean of those that are numbers; of none, what is not a number."""
    listed = [number for number in numbers if not isnan(number)]
    return sum(listed) / len(listed) if listed else nan
