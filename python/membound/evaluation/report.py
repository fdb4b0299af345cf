"""What an evaluation found: scores, latency, groups and misses, as JSON or as a table to read."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Self

import msgspec

from membound.evaluation.scorer import EvaluationScore
from membound.trace import Weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["EvaluationReport", "Latency", "Miss", "PathReport", "aligned"]

_METRICS = {
    "recall": "recall_at_k",
    "precision": "precision_at_k",
    "MRR": "mean_reciprocal_rank",
    "nDCG@10": "ndcg_at_10",
    "abstention": "abstention_accuracy",
    "leaks": "scope_leaks",
    "characters": "selected_characters",
    "cases": "query_count",
}


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds that one retrieval took: half, 95 % and 99 % of them took no longer."""

    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Self | None:
        """Take the nearest rank of what was measured; None when nothing was."""
        if not seconds:
            return None
        ordered = sorted(seconds)
        p50, p95, p99 = (
            round(ordered[math.ceil(len(ordered) * percent / 100) - 1] * 1000, 3)
            for percent in (50, 95, 99)
        )
        return cls(p50=p50, p95=p95, p99=p99)


class PathReport(msgspec.Struct, frozen=True, kw_only=True):
    """One way to answer all the cases, scored as a whole and by group.

    Attributes:
        modes: the modes that the traces name; more than one means that the path changed midway.
    """

    modes: tuple[str, ...]
    score: EvaluationScore
    by_category: dict[str, EvaluationScore]
    by_language: dict[str, EvaluationScore]
    latency: Latency | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape."""
        return {
            "modes": list(self.modes),
            "score": self.score.to_dict(),
            "byCategory": {name: score.to_dict() for name, score in self.by_category.items()},
            "byLanguage": {name: score.to_dict() for name, score in self.by_language.items()},
            "latencyMs": msgspec.to_builtins(self.latency),
        }


class Miss(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A case whose answer lacks an expected record, or answers where nothing was to be said."""

    case_id: str
    query: str
    expected_ids: tuple[str, ...]
    selected_ids: tuple[str, ...]
    expected_miss: bool


class EvaluationReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that one evaluation found. Everything but the latencies is the same on every run.

    Attributes:
        differing_case_ids: the cases that the two paths answer with different ids.
        broken_fence_case_ids: the cases whose context block is not exactly one fence.
        weights: the ranking weights that the traces name; None when no case was run.
        tokenizer_version: likewise.
    """

    package_version: str
    now: str
    relevance_mode: str
    tokenizer_version: str | None
    weights: Weights | None
    record_count: int
    case_count: int
    differing_case_ids: tuple[str, ...]
    broken_fence_case_ids: tuple[str, ...]
    paths: dict[str, PathReport]
    misses: tuple[Miss, ...]

    @property
    def paths_agree(self) -> bool:
        """Whether index and canonical files gave the same ids in the same order, in every case."""
        return not self.differing_case_ids

    @property
    def indexed(self) -> PathReport:
        """The answers from the index."""
        return self.paths["indexed"]

    @property
    def filesystem(self) -> PathReport:
        """The answers from the canonical files alone."""
        return self.paths["filesystem"]

    @property
    def baseline(self) -> PathReport:
        """The newest records, injected whatever the question.

        Its slowest answers are the first of each workspace: they settle what may be seen there.
        """
        return self.paths["baseline"]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape."""
        return {
            "packageVersion": self.package_version,
            "now": self.now,
            "relevanceMode": self.relevance_mode,
            "tokenizerVersion": self.tokenizer_version,
            "rankingWeights": msgspec.to_builtins(self.weights),
            "recordCount": self.record_count,
            "caseCount": self.case_count,
            "pathsAgree": self.paths_agree,
            "differingCaseIds": list(self.differing_case_ids),
            "brokenFenceCaseIds": list(self.broken_fence_case_ids),
            **{name: path.to_dict() for name, path in self.paths.items()},
            "misses": [msgspec.to_builtins(miss) for miss in self.misses],
        }

    def to_json(self) -> str:
        """Return the JSON text, indented by two, with a line end."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def as_table(self) -> str:
        """Return a plain text for a person: paths, groups of the indexed one, misses."""
        indexed = self.indexed
        return "\n".join(
            [
                *self._heading(),
                "",
                *_table("path", ((n, path.score, path.latency) for n, path in self.paths.items())),
                "",
                *_table("category", ((n, s, None) for n, s in indexed.by_category.items())),
                "",
                *_table("language", ((n, s, None) for n, s in indexed.by_language.items())),
                "",
                *self._missed(known=False),
                *self._missed(known=True),
            ]
        )

    def _heading(self) -> Iterator[str]:
        yield (
            f"membound {self.package_version}, {self.relevance_mode}, tokenizer "
            f"{self.tokenizer_version}: {self.case_count} cases over {self.record_count} records "
            f"at {self.now}"
        )
        yield "paths agree: " + _yes_unless(self.differing_case_ids)
        yield "one fence per block: " + _yes_unless(self.broken_fence_case_ids)
        if self.weights is not None:
            weights = msgspec.to_builtins(self.weights).items()
            yield "weights: " + ", ".join(f"{name} {weight:g}" for name, weight in weights)

    def _missed(self, *, known: bool) -> Iterator[str]:
        misses = [miss for miss in self.misses if miss.expected_miss is known]
        yield f"{'known misses' if known else 'misses'}: {len(misses)}"
        for miss in misses:
            query = json.dumps(miss.query, ensure_ascii=False)
            yield f"  {miss.case_id}  {query}"
            yield f"    expected {_names(miss.expected_ids)}; selected {_names(miss.selected_ids)}"


def _table(
    title: str, rows: Iterable[tuple[str, EvaluationScore, Latency | None]]
) -> Iterator[str]:
    """Set scores and latencies in columns."""
    cells = [[title, *_METRICS], *([name, *_numbers(score, took)] for name, score, took in rows)]
    if any(len(row) > len(cells[0]) for row in cells):
        cells[0] += ["p50 ms", "p95 ms", "p99 ms"]
    yield from aligned(cells)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Set rows in columns: the first to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers in rows:
        right = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        yield "  ".join([name.ljust(widths[0]), *right])


def _numbers(score: EvaluationScore, took: Latency | None) -> Iterator[str]:
    for name in _METRICS.values():
        value = getattr(score, name)
        yield "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
    if took is not None:
        yield from (f"{value:.2f}" for value in (took.p50, took.p95, took.p99))


def _names(record_ids: Sequence[str]) -> str:
    return ", ".join(record_ids) or "nothing"


def _yes_unless(case_ids: Sequence[str]) -> str:
    return f"no: {', '.join(case_ids)}" if case_ids else "yes"
