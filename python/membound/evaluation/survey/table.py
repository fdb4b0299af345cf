"""The report of a survey as plain text for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound.evaluation.report import aligned
from membound.evaluation.survey.rows import (
    difference_rows,
    latency_rows,
    mean_rows,
    set_rows,
    setting_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from membound.evaluation.survey.report import SurveyReport

__all__ = ["as_table"]


def as_table(report: SurveyReport) -> str:
    """Return settings, sets, latencies, and the means of every variant; then the comparisons."""
    return "\n".join(_lines(report))


def _lines(report: SurveyReport) -> Iterator[str]:
    yield from (f"{name}: {value}" for name, value in setting_rows(report)[1:])
    yield "paths agree: " + ("yes" if report.paths_agree else "no")
    for name, variant in report.variants.items():
        if variant.differing:
            yield f"  {name} differs in {', '.join(variant.differing)}"
    yield from ("", *aligned(set_rows(report)), "", *aligned(latency_rows(report)))
    for name in report.variants:
        yield from ("", f"{name}:", *aligned(mean_rows(report, name)))
    for some in report.comparisons:
        draws = f"95 % of {report.settings['resamples']:,} draws"
        yield ""
        yield f"{some.variant} less {some.against}, {some.questions:,} questions; [{draws}]:"
        yield from aligned(difference_rows(report, some))
