"""The rows of a report's tables, as text under headings: for a terminal and for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from membound.evaluation.survey.intervals import Comparison, Difference
    from membound.evaluation.survey.report import SurveyReport

__all__ = ["difference_rows", "latency_rows", "mean_rows", "set_rows", "setting_rows"]

Rows = list[list[str]]

_SHOWN: Final = {
    "recall": "recall",
    "precision": "precision",
    "abstains": "falseAbstention",
    "injects": "falseInjection",
    "unansw.": "unanswerableInjected",
    "all@8": "allNeededAt8",
    "R@1": "recallAt1",
    "R@5": "recallAt5",
    "R@8": "recallAt8",
    "R@20": "recallAt20",
    "MRR@8": "reciprocalRankAt8",
    "nDCG@8": "ndcgAt8",
    "chars": "selectedCharacters",
}
"""The metrics that a table shows, by their headings."""


def setting_rows(report: SurveyReport) -> Rows:
    """Return versions, settings, and what each variant's answers depend on."""
    variants = {name: variant.settings for name, variant in report.variants.items()}
    now = report.settings["now"] or "of each conversation"
    told = {**report.versions, **report.settings, "now": now, **variants}
    return [["setting", "value"], *([name, _fact(value)] for name, value in told.items())]


def set_rows(report: SurveyReport) -> Rows:
    """Return what each data set holds."""
    head = ["set", "records", "conversations", "questions", "answerable", "languages", "sha256"]
    rows = [head]
    for name, facts in report.sets.items():
        counts = (facts.records, facts.conversations, facts.questions, facts.answerable)
        told = (f"{number:,}" for number in counts)
        rows.append([name, *told, " ".join(facts.languages), facts.sha256[:12]])
    return rows


def latency_rows(report: SurveyReport) -> Rows:
    """Return how long an answer took, by variant and path."""
    rows = [["answered by", "p50 ms", "p95 ms", "p99 ms"]]
    for name, variant in report.variants.items():
        for path, took in variant.latency.items():
            if took is not None:
                told = (f"{number:.3f}" for number in (took.p50, took.p95, took.p99))
                rows.append([f"{name}, {path}", *told])
    return rows


def mean_rows(report: SurveyReport, variant: str) -> Rows:
    """Return a variant's means, a row for each group."""
    rows = [["group", "questions", *_SHOWN]]
    for group, means in zip(report.groups, report.variants[variant].means, strict=True):
        told = (_mean(metric, means[metric]) for metric in _SHOWN.values())
        rows.append([f"{group.kind} {group.name}", f"{sum(map(len, group.parts)):,}", *told])
    return rows


def difference_rows(report: SurveyReport, comparison: Comparison) -> Rows:
    """Return a comparison's differences with their intervals, a row for each group."""
    rows = [["group", *comparison.differences[0]]]
    for group, found in zip(report.groups, comparison.differences, strict=True):
        rows.append([f"{group.kind} {group.name}", *map(_difference, found.values())])
    return rows


def _mean(metric: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if metric == "selectedCharacters" else f"{value:.3f}"


def _difference(found: Difference | None) -> str:
    if found is None:
        return "-"
    return f"{found.difference:+.3f} [{found.low:+.3f} {found.high:+.3f}]"


def _joined(facts: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {_fact(value)}" for name, value in facts.items())


def _fact(value: object) -> str:
    match value:
        case None:
            return "none"
        case dict():
            return f"({_joined(value)})" if value else "none"
        case list():
            return " ".join(map(str, value)) or "none"
        case _:
            return str(value)
