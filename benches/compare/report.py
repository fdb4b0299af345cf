"""A comparison as a page in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benches.compare.measure import Compared, Measured, Run

_COLUMNS = (
    "engine",
    "p50",
    "p95",
    "p99",
    "times ours",
    "in a row: p50",
    "p95",
    "p99",
    "times ours",
    "true top",
    "first answer",
    "build, s",
    "index, MB",
    "memory, MB",
)

_EXPLAINED = """
Latencies are in milliseconds, of one question at a time:

- first where each engine answers one question before the next is asked, so that each finds the
  processor's caches as the others left them; then where each answers twenty *in a row*, with its
  own caches. *Times ours* divides the median by that of the first row.
- *True top*: the part of the true top 8 under our rules that the answers hold; = stands where they
  were checked to be exactly it, in order. BM25 ranks by other things: the figure says how far it
  can stand in for our selection, not how good it is.
- *First answer*: milliseconds from opening in a new process, imports apart; for the first rows
  with all postings read into memory. *Memory*: by how much that process grew. *Build* is seconds,
  and ours writes a file for each record too.
- Peers get their form of the query beforehand and give row numbers or ids; ours tokenises inside,
  and gives records, context block and trace.
"""


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
    yield from _EXPLAINED.strip().splitlines()


def _tables(sizes: Iterable[Compared]) -> Iterator[str]:
    for size in sizes:
        yield ""
        yield f"## {size.records:,} records"
        yield ""
        yield _row(_COLUMNS)
        yield _row("---" if column == "engine" else "--:" for column in _COLUMNS)
        ours = size.engines[0]
        yield from (_row(_cells(one, ours)) for one in size.engines)
        yield ""
        yield f"Questions: {size.questions} of each engine."
        asked = ((one.engine, one.alternating.asked) for one in size.engines)
        fewer = [f"{name} ({count})" for name, count in asked if count < size.questions]
        if fewer:
            yield "Fewer within its time: " + _listed(fewer)
        for one in size.engines:
            if "records" in one.disk:
                files = one.disk["records"] / 1e6
                yield f"The record files beside our index take {files:,.1f} MB."
                break
        if size.left_out:
            yield "Left out for the size: " + _listed(size.left_out)


def _cells(one: Measured, ours: Measured) -> Iterator[str]:
    yield one.engine
    for mine, theirs in ((one.alternating, ours.alternating), (one.in_a_row, ours.in_a_row)):
        yield from (_figure(seconds * 1_000) for seconds in (mine.p50, mine.p95, mine.p99))
        yield _figure(mine.p50 / theirs.p50)
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
