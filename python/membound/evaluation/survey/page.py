"""The report of a survey as one HTML page: no script, nothing from elsewhere, all text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from membound.evaluation.survey.chart import COLOURS, chart
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

    from membound.evaluation.survey.groups import Asked
    from membound.evaluation.survey.outcomes import Outcome
    from membound.evaluation.survey.report import SurveyReport, Variant, Why

__all__ = ["as_page"]

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--dim:#777;--good:#15803d;--bad:#c2410c}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:78rem;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem}h3{font-size:1rem}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .45rem;text-align:right;white-space:nowrap}
tr{border-bottom:1px solid var(--line)}
.words td,.words th{text-align:left}.words td+td{white-space:normal}
th:first-child,td:first-child{text-align:left}
.wide{overflow-x:auto}.charts{display:flex;flex-wrap:wrap;gap:1.5rem}figure{margin:0}
figcaption{font-weight:600}svg{max-width:100%;height:auto}svg text{font-size:11px;fill:currentColor}
.grid{stroke:var(--line);fill:none}.curve{fill:none;stroke-width:2}
.key span{display:inline-block;width:.8em;height:.8em;margin:0 .4em 0 1em;border-radius:50%}
details{border-bottom:1px solid var(--line);padding:.3rem 0}summary{cursor:pointer}
pre{overflow-x:auto;font-size:.8rem;padding:.5rem;border:1px solid var(--line)}
li,summary,td{overflow-wrap:anywhere}.dim{color:var(--dim)}.good{color:var(--good)}
.bad{color:var(--bad)}
@media(prefers-color-scheme:dark){:root{--dim:#999;--good:#4ade80;--bad:#fb923c}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def as_page(report: SurveyReport) -> str:
    """Return the page: settings, curves, means, comparisons, and why questions were answered so."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<title>Recall, measured</title><style>{_STYLE}</style></head><body>",
            "<h1>Recall, measured</h1>",
            *_facts(report),
            *_curves(report),
            *_means(report),
            *_compared(report),
            *_questions(report),
            "</body></html>\n",
        ]
    )


def _text(value: object) -> str:
    """Make any text safe, and what cannot be seen visible."""
    return escape(printable(str(value)))


def _table(rows: Sequence[Sequence[str]], kind: str = "numbers") -> Iterator[str]:
    head, *others = rows
    yield f'<div class="wide"><table class="{kind}"><tr>'
    yield "".join(f"<th>{_text(cell)}</th>" for cell in head) + "</tr>"
    for row in others:
        yield "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>"
    yield "</table></div>"


def _facts(report: SurveyReport) -> Iterator[str]:
    agree = "yes" if report.paths_agree else "no"
    yield f'<p class="{"good" if report.paths_agree else "bad"}">Paths agree: {agree}</p>'
    yield from _table(setting_rows(report), "words")
    yield "<h2>Data sets</h2>"
    yield from _table(set_rows(report))
    yield "<h2>Latency</h2>"
    yield from _table(latency_rows(report))


def _curves(report: SurveyReport) -> Iterator[str]:
    yield "<h2>Recall against false injection</h2>"
    yield "<p>A line: what one floor over all scores would give. A dot: what was selected.</p>"
    yield '<p class="key">' + "".join(
        f'<span style="background:{COLOURS[number % len(COLOURS)]}"></span>{_text(name)}'
        for number, name in enumerate(report.variants)
    ) + "</p>"  # fmt: skip
    yield '<div class="charts">'
    for number, group in enumerate(report.groups):
        curves = {name: variant.curves[number] for name, variant in report.variants.items()}
        if any(curves.values()):
            title = f"{group.kind} {group.name}"
            measured = {name: _measured(v, number) for name, v in report.variants.items()}
            yield f"<figure><figcaption>{_text(title)}</figcaption>"
            yield chart(printable(title), curves, measured) + "</figure>"
    yield "</div>"


def _measured(variant: Variant, group: int) -> tuple[float | None, float | None]:
    means = variant.means[group]
    return means["falseInjection"], means["recall"]


def _means(report: SurveyReport) -> Iterator[str]:
    yield "<h2>Means</h2>"
    for name in report.variants:
        yield f"<h3>{_text(name)}</h3>"
        yield from _table(mean_rows(report, name))


def _compared(report: SurveyReport) -> Iterator[str]:
    if report.comparisons:
        yield "<h2>Differences</h2>"
        yield f"<p>In brackets: 95 % of {report.settings['resamples']:,} draws.</p>"
    for some in report.comparisons:
        title = f"{some.variant} less {some.against}, {some.questions:,} questions"
        yield f"<h3>{_text(title)}</h3>"
        yield from _table(difference_rows(report, some))


def _questions(report: SurveyReport) -> Iterator[str]:
    yield "<h2>Questions</h2>"
    yield f"<p>{len(report.whys):,} of {len(report.asked):,}, chosen by a hash of their ids.</p>"
    of_set = ""
    for number, asked in enumerate(report.asked):
        why = report.whys.get(asked.key)
        if why is None:
            continue
        if asked.set != of_set:
            of_set = asked.set
            yield f"<h3>{_text(of_set)}</h3>"
        outcomes = {name: some.outcomes[number] for name, some in report.variants.items()}
        yield from _question(asked, why, outcomes)


def _question(asked: Asked, why: Why, outcomes: dict[str, Outcome]) -> Iterator[str]:
    yield f'<details><summary><bdi>{_text(why.text)}</bdi><br><span class="dim">'
    yield f"<bdi>{_text(asked.id)}</bdi>, {_text(asked.category)}</span> · "
    yield " · ".join(_verdict(name, outcome) for name, outcome in outcomes.items())
    yield "</summary>"
    yield f"<p>Asked in {_text(asked.conversation)}; where it has no answer: "
    yield f"{_text('; '.join(asked.elsewhere) or 'nowhere')}.</p><h4>Expected</h4>"
    yield from _records(asked.gold_ids, why, ())
    for name, outcome in outcomes.items():
        places = ", ".join(map(str, outcome.ranks)) or "none"
        yield f"<h4>{_text(name)}, expected ones ranked at {places}</h4>"
        yield from _records(outcome.selected, why, asked.gold_ids)
        foreign = zip(asked.elsewhere, outcome.elsewhere, strict=True)
        injected = [_text(place) for place, other in foreign if other.injected]
        if injected:
            yield f'<p class="bad">Something was selected in {"; ".join(injected)}.</p>'
        if name in why.explained:
            lines = why.explained[name].split("\n")
            yield f"<pre>{chr(10).join(map(_text, lines))}</pre>"
    yield "</details>"


def _records(ids: Sequence[str], why: Why, gold: Sequence[str]) -> Iterator[str]:
    if not ids:
        yield '<p class="dim">nothing</p>'
        return
    yield "<ol>"
    for id in ids:
        mark = ' class="good"' if id in gold else ""
        yield f'<li><b{mark}>{_text(id)}</b><div dir="auto">{_text(why.records[id])}</div></li>'
    yield "</ol>"


def _verdict(name: str, outcome: Outcome) -> str:
    """Tell in a word how a variant did."""
    right = outcome.hits == outcome.gold if outcome.gold else not outcome.selected
    said = f"{outcome.hits} of {outcome.gold}" if outcome.gold else f"{len(outcome.selected)} of 0"
    return f'<span class="{"good" if right else "bad"}">{_text(name)} {said}</span>'
