"""A comparison as a figure: the median latency against the number of records, both logarithmic."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes

    from benches.compare.measure import Measured, Run

mpl.rcParams["svg.hashsalt"] = "membound"
mpl.rcParams["svg.fonttype"] = "none"

_COLOURS = {
    "membound": ("#6baed6", "#2171b5", "#08306b"),
    "FTS5": ("#7f2704", "#d94801", "#f16913", "#fdae6b"),
    "tantivy": ("#006d2c", "#74c476"),
    "bm25s": ("#6a51a3",),
    "rank-bm25": ("#c51b8a",),
    "Python": ("#525252",),
}
"""The colours of a family, by the first word of its engines' names."""


def draw(run: Run, files: tuple[Path, ...]) -> None:
    """Draw the figure into each file, in the format that its name says."""
    figure = Figure(figsize=(11, 5.5), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _panel(left, run, "one question, then another engine", lambda one: one.alternating.p50)
    _panel(right, run, "question after question", lambda one: one.in_a_row.p50)
    left.set_ylabel("median latency of one recall, ms")
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", fontsize="small", frameon=False)
    for file in files:
        metadata = {"Date": None} if file.suffix == ".svg" else {}
        figure.savefig(file, dpi=150, metadata=metadata, facecolor="white")


def _panel(axes: Axes, run: Run, title: str, of: Callable[[Measured], float]) -> None:
    shades = {family: cycle(colours) for family, colours in _COLOURS.items()}
    for name, points in _lines(run, of).items():
        family = name.partition(",")[0]
        axes.loglog(
            list(points),
            [seconds * 1_000 for seconds in points.values()],
            label=name,
            color=next(shades[family]),
            linewidth=2.4 if family == "membound" else 1.3,
            linestyle="-" if family == "membound" else "--",
            marker="o",
            markersize=4,
        )
    plain = FuncFormatter(lambda value, _: f"{value:,.10g}")
    axes.xaxis.set_major_formatter(plain)
    axes.yaxis.set_major_formatter(plain)
    axes.set_xlabel("records")
    axes.set_title(title, fontsize="medium")
    axes.grid(visible=True, which="major", linewidth=0.4)


def _lines(run: Run, of: Callable[[Measured], float]) -> dict[str, dict[int, float]]:
    """A figure of each engine by size; the slowest where all are measured in turn comes first."""
    lines: dict[str, dict[int, float]] = {}
    slowest: dict[str, float] = {}
    for size in run.sizes:
        for one in size.engines:
            if not one.engine.endswith("all read"):
                lines.setdefault(one.engine, {})[size.records] = of(one)
                slowest[one.engine] = one.alternating.p50
    return {name: lines[name] for name in sorted(lines, key=lambda name: -slowest[name])}
