"""Scores: what was selected, held against what a case expects and forbids."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import msgspec

from membound.arguments import items
from membound.errors import InvalidInputError
from membound.evaluation.cases import EvaluationCase, case_list
from membound.excerpt import excerpt
from membound.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["EvaluationScore", "Selected", "score_evaluation", "selected_ids"]

_DEPTH = 10  # of nDCG


class _Record(Protocol):
    """What is read of a selected record."""

    @property
    def id(self) -> str: ...
    @property
    def content(self) -> str: ...


class _Result(Protocol):
    """What is read of a retrieval result."""

    @property
    def records(self) -> Sequence[_Record]: ...


Selected: TypeAlias = "_Result | Sequence[_Record | Mapping[str, Any] | str]"
_Item = TypeVar("_Item")


class EvaluationScore(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The metrics of one run; without any case the means are NaN.

    Attributes:
        recall_at_k: mean share of the expected ids that were selected; 1 where none is expected.
        precision_at_k: mean share of the selected ids that were expected.
        mean_reciprocal_rank: mean of 1 / rank of the first expected id.
        ndcg_at_10: mean nDCG over the first ten, binary gains; where nothing is expected, 1 for
            an empty answer and 0 for any other.
        abstention_accuracy: share of the cases expecting nothing that selected nothing; None when
            there is no such case.
        scope_leaks: forbidden ids that were selected.
        known_misses: cases marked `expectedMiss` of which an expected id is indeed missing.
        selected_characters: characters of all selected contents.
        query_count: the cases.
    """

    recall_at_k: float
    precision_at_k: float
    mean_reciprocal_rank: float
    ndcg_at_10: float = msgspec.field(name="ndcgAt10")
    abstention_accuracy: float | None
    scope_leaks: int
    known_misses: int
    selected_characters: int
    query_count: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape; NaN becomes null."""
        shape: dict[str, Any] = msgspec.to_builtins(self)
        return {name: None if value != value else value for name, value in shape.items()}  # noqa: PLR0124 — only NaN differs from itself


class _Outcome(msgspec.Struct, frozen=True):
    """One case beside what was selected for it."""

    case: EvaluationCase
    ids: tuple[str, ...]
    characters: int

    def hits(self) -> int:
        return sum(chosen in self.case.expected_ids for chosen in self.ids)

    def recall(self) -> float:
        expected = set(self.case.expected_ids)
        return self.hits() / len(expected) if expected else 1.0

    def precision(self) -> float:
        if not self.ids:
            return 0.0 if self.case.expected_ids else 1.0
        return self.hits() / len(self.ids)

    def reciprocal_rank(self) -> float:
        if not self.case.expected_ids:
            return 1.0
        for rank, chosen in enumerate(self.ids, start=1):
            if chosen in self.case.expected_ids:
                return 1 / rank
        return 0.0

    def ndcg(self) -> float:
        """A repeated id gains once, at its first place, so the value stays within [0, 1]."""
        expected = set(self.case.expected_ids)
        if not expected:
            return 0.0 if self.ids else 1.0
        distinct = tuple(dict.fromkeys(self.ids[:_DEPTH]))
        places = [self.ids.index(chosen) for chosen in distinct if chosen in expected]
        return _discounted(places) / _discounted(range(min(len(expected), _DEPTH)))

    def leaks(self) -> int:
        return sum(chosen in self.case.forbidden_ids for chosen in self.ids)

    def is_known_miss(self) -> bool:
        return self.case.expected_miss and not set(self.case.expected_ids) <= set(self.ids)


def score_evaluation(
    cases: Iterable[EvaluationCase | Mapping[str, Any]], results: Iterable[Selected]
) -> EvaluationScore:
    """Score one result per case, in the same order.

    A case is an `EvaluationCase` or a mapping of its JSON shape. A result is a `RetrievalResult`,
    or a sequence of records, of mappings with `id` and `content`, or of plain ids, which have no
    characters. Means are rounded half up to three decimals.
    """
    asked, answers = case_list(cases), items(results, "results", "the result of a case")
    if len(asked) != len(answers):
        raise InvalidInputError(
            "results", f"one entry per case, {len(asked)} in all", f"{len(answers)} entries"
        )
    pairs = enumerate(zip(asked, answers, strict=True))
    outcomes = [_outcome(n, case, result) for n, (case, result) in pairs]
    silent = [float(not outcome.ids) for outcome in outcomes if not outcome.case.expected_ids]
    return EvaluationScore(
        recall_at_k=_mean(outcomes, _Outcome.recall),
        precision_at_k=_mean(outcomes, _Outcome.precision),
        mean_reciprocal_rank=_mean(outcomes, _Outcome.reciprocal_rank),
        ndcg_at_10=_mean(outcomes, _Outcome.ndcg),
        abstention_accuracy=_mean(silent, float) if silent else None,
        scope_leaks=sum(map(_Outcome.leaks, outcomes)),
        known_misses=sum(map(_Outcome.is_known_miss, outcomes)),
        selected_characters=sum(outcome.characters for outcome in outcomes),
        query_count=len(outcomes),
    )


def selected_ids(result: Selected, *, field: str = "result") -> tuple[str, ...]:
    """Return the ids of a result, in its order."""
    return tuple(chosen for chosen, _ in _selection(result, field))


def _outcome(n: int, case: EvaluationCase, result: Selected) -> _Outcome:
    selection = _selection(result, f"results.{n}")
    return _Outcome(
        case,
        tuple(chosen for chosen, _ in selection),
        sum(len(content) for _, content in selection),
    )


def _selection(result: Selected, field: str) -> list[tuple[str, str]]:
    """Return id and content of every selected record."""
    records = getattr(result, "records", result)
    if not isinstance(records, Sequence) or isinstance(records, str | bytes):
        expected = "a retrieval result or a sequence of records or ids"
        raise InvalidInputError(field, expected, excerpt(result))
    return [_id_and_content(record, f"{field}.{n}") for n, record in enumerate(records)]


def _id_and_content(record: object, field: str) -> tuple[str, str]:
    record_id: object
    content: object
    if isinstance(record, str):
        record_id, content = record, ""
    elif isinstance(record, Mapping):
        record_id, content = record.get("id"), record.get("content")
    else:
        record_id, content = getattr(record, "id", None), getattr(record, "content", None)
    if not isinstance(record_id, str) or not isinstance(content, str):
        raise InvalidInputError(field, "a record with id and content, or an id", excerpt(record))
    if record_id != well_formed(record_id):
        raise InvalidInputError(field, "an id without lone surrogates", excerpt(record_id))
    return record_id, content


def _discounted(places: Iterable[int]) -> float:
    return sum(1 / math.log2(n + 2) for n in places)


def _mean(items: Sequence[_Item], measure: Callable[[_Item], float]) -> float:
    """Add up in the order of the cases: `sum` rounds otherwise in newer Pythons."""
    if not items:
        return math.nan
    total = 0.0
    for item in items:
        total += measure(item)
    return _rounded(total / len(items))


def _rounded(value: float) -> float:
    """Round half up to three decimals; what is left above the floor is exact, unlike `+ 0.5`."""
    thousandths = value * 1000
    whole = math.floor(thousandths)
    return (whole + (thousandths - whole >= 0.5)) / 1000  # noqa: PLR2004 — half
