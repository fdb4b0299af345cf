"""A comparison as a page in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benches.compare.measure import Compared, Measured, Run

_COLUMNS = (
    ("engine", "---"),
    ("p50", "--:"),
    ("p95", "--:"),
    ("p99", "--:"),
    ("p50, times ours", "--:"),
    ("true top found", "--:"),
    ("first answer", "--:"),
    ("build, s", "--:"),
    ("index, MB", "--:"),
    ("memory, MB", "--:"),
)


def page(run: Run) -> str:
    """Write the page: how it was measured, a table for each size, what each engine is."""
    return "\n".join((*_head(run), *_tables(run.sizes), *_legend(run)))


def _head(run: Run) -> Iterator[str]:
    yield "# Side by side"
    yield ""
    yield f"`{run.command}`, seed {run.seed}"
    yield ""
    yield "- " + ", ".join(f"{name}: {value}" for name, value in run.machine.items())
    yield "- " + ", ".join(f"{name} {value}" for name, value in run.versions.items())
    yield from (f"- left out: {reason}" for reason in run.missing)
    yield ""
    yield "Latencies are in milliseconds. *Times ours* divides by the first row's median. *True"
    yield "top found*: the part of the true top 8 under our rules that the answers hold; = stands"
    yield "where the answers were checked to be exactly it, in order. BM25 ranks by other things:"
    yield "the figure says how far it can stand in for our selection, not how good it is."
    yield "*First answer*: milliseconds from opening in a new process, imports apart; *memory*: by"
    yield "how much that process grew. Peers get their form of the query beforehand and give row"
    yield "numbers or ids; ours tokenises inside, and gives records, context block and trace."


def _tables(sizes: Iterable[Compared]) -> Iterator[str]:
    for size in sizes:
        yield ""
        yield f"## {size.records:,} records"
        yield ""
        yield _row(name for name, _ in _COLUMNS)
        yield _row(rule for _, rule in _COLUMNS)
        ours = size.engines[0]
        yield from (_row(_cells(one, ours)) for one in size.engines)
        asked = {one.asked for one in size.engines}
        yield ""
        yield f"Questions: {size.questions} of each engine."
        if asked != {size.questions}:
            fewer = (one for one in size.engines if one.asked < size.questions)
            yield "Fewer within its time: " + _listed(f"{o.engine} ({o.asked})" for o in fewer)
        for one in size.engines:
            if "records" in one.disk:
                files = one.disk["records"] / 1e6
                yield f"The record files beside our index take {files:,.1f} MB."
                break
        if size.left_out:
            yield "Left out for the size: " + _listed(size.left_out)


def _cells(one: Measured, ours: Measured) -> Iterator[str]:
    yield one.engine
    yield from (_figure(seconds * 1_000) for seconds in (one.p50, one.p95, one.p99))
    yield _figure(one.p50 / ours.p50)
    yield "=" if one.exact else "–" if one.recall is None else f"{one.recall:.0%}"
    yield _figure(one.open * 1_000)
    yield _figure(one.build)
    yield _figure(one.disk["index"] / 1e6)
    yield _figure(one.resident / 1e6)


def _legend(run: Run) -> Iterator[str]:
    yield ""
    yield "## Engines"
    yield ""
    yield from (f"- **{name}**: {about}." for name, about in run.about.items())
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) + "."


def _figure(value: float) -> str:
    """Three significant digits, and no exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
