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
from membound.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from membound.evaluation.survey.report import SurveyReport

__all__ = ["as_table"]


def as_table(report: SurveyReport) -> str:
    """Return settings, sets, latencies, and the means of every variant; then the comparisons."""
    return "\n".join(_lines(report))


def _lines(report: SurveyReport) -> Iterator[str]:
    yield from (printable(f"{name}: {value}") for name, value in setting_rows(report)[1:])
    yield "paths agree: " + ("yes" if report.paths_agree else "no")
    for name, variant in report.variants.items():
        if variant.differing:
            yield printable(f"  {name} differs in {', '.join(variant.differing)}")
    yield from ("", *_columns(set_rows(report)), "", *_columns(latency_rows(report)))
    for name in report.variants:
        yield from ("", f"{name}:", *_columns(mean_rows(report, name)))
    for some in report.comparisons:
        draws = f"95 % of {report.settings['resamples']:,} draws"
        yield ""
        yield f"{some.variant} less {some.against}, {some.questions:,} questions; [{draws}]:"
        yield from _columns(difference_rows(report, some))


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Set rows in columns; a name that a data set gives breaks no line."""
    return aligned([list(map(printable, row)) for row in rows])
