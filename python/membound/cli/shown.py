"""What the workspace's verbs show: trees, answers and states as styled text, and how it is printed.

A terminal gets colours and no line beyond its width, whatever the script; a pipe gets the plain
text, whole.
"""

from __future__ import annotations

import shutil
import sys
from io import StringIO
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from membound.cli.text import echo, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from membound.workspace.status import Status

__all__ = [
    "bar",
    "echo_lines",
    "finding_lines",
    "fitted",
    "hit_lines",
    "pair_lines",
    "rendered",
    "status_lines",
    "terminal_width",
    "tree_lines",
]

_BRANCHES: Final = "│├└─ "
_NEW: Final = " [new]"
_BAR: Final = 20
_DETAILS: Final = 10
_SEVERITIES: Final = {"ok": "green", "warning": "yellow", "problem": "bold red"}
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


def tree_lines(tree: str, width: int | None = None) -> list[Text]:
    """Gives the lines of a tree of notes, its branches faint, its names and marks in colour.

    Where the width is too little, titles are cut, so that a mark at the end is seen.
    """
    return [_tree_line(printable(line), width) for line in tree.split("\n")]


def _tree_line(line: str, width: int | None) -> Text:
    told = line.removesuffix(_NEW)
    mark = Text(line[len(told) :], "bold green")
    plain = told.lstrip(_BRANCHES)
    branch = told[: len(told) - len(plain)]
    name, dash, rest = plain.partition(" — ")
    opening = rest.rfind(" [") if rest.endswith("]") else len(rest)
    shown = Text.assemble(
        (branch, "bright_black"),
        (name, "bold blue" if name.endswith("/") else "bold"),
        dash,
        rest[:opening],
        (rest[opening:], "cyan"),
    )
    if width is not None:
        shown = fitted(shown, max(0, width - mark.cell_len))
    return shown + mark


def hit_lines(
    place: int, title: str, score: float, where: str, matches: Sequence[str]
) -> list[Text]:
    """Gives the lines of one hit: its place, title and score, below it where it is, and why."""
    head = Text.assemble(
        (f"{place:>2}  ", "bright_black"),
        (_folded(title), "bold"),
        (f"  {score:.2f}", "green"),
    )
    why = [Text(f"    {_folded(match)}", "bright_black") for match in matches]
    return [head, Text(f"    {_folded(where)}"), *why]


def _folded(text: str) -> str:
    return printable(" ".join(text.split()))


def pair_lines(pairs: Iterable[tuple[str, str]]) -> list[Text]:
    """Gives names and values, the values below each other."""
    named = list(pairs)
    width = max((len(name) for name, _ in named), default=0)
    return [
        Text.assemble((f"{name:<{width}}  ", "bright_black"), printable(value))
        for name, value in named
    ]


def finding_lines(
    check: str, severity: str, what: str, *, advice: str, details: Sequence[str]
) -> list[Text]:
    """Gives the lines of what a check found: the first details, and what to do."""
    head = Text.assemble(
        (f"{severity:<8}", _SEVERITIES.get(severity, "")), (f"{check:<11}", "bold"), printable(what)
    )
    indent = " " * 19
    shown = [printable(f"{indent}{one}") for one in details[:_DETAILS]]
    if rest := len(details) - len(shown):
        shown.append(f"{indent}and {rest:,} more")
    told = [f"{indent}→ {printable(advice)}"] if advice else []
    return [head, *(Text(line, "bright_black") for line in shown), *map(Text, told)]


def status_lines(status: Status) -> list[Text]:
    """Gives the lines that say where a workspace is and what there is."""
    size, most = status.essence_bytes, status.essence_recommended
    counts = [
        ("notes", f"{status.notes:,}, and {status.scratch:,} of scratch"),
        ("tags", f"{status.tags:,}"),
        ("themes", f"{status.themes:,}"),
        ("essence", f"  {size:,} of {most:,} bytes"),
    ]
    places = [
        ("folder", status.cwd),
        ("workspace", status.workspace_id),
        ("store", status.store_path),
    ]
    latest = [
        ("" if at else "latest", f"{one.updated_at[:10]}  {one.path}")
        for at, one in enumerate(status.latest)
    ]
    lines = pair_lines([*places, *counts, *latest])
    essence = len(places) + len(counts) - 1
    name, full = lines[essence].divide([len("workspace  ")])
    lines[essence] = name + bar(size, most) + full
    return lines


def bar(part: int, whole: int) -> Text:
    """Gives how full something is, in eighths of a character; red where it is over."""
    eighths = min(part * _BAR * 8 // max(whole, 1), _BAR * 8)
    drawn = _EIGHTHS[-1] * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    return Text.assemble(
        (drawn, "red" if part > whole else "green"), ("·" * (_BAR - len(drawn)), "bright_black")
    )


def fitted(line: Text, width: int) -> Text:
    """Cuts a line to a number of cells, of which a Chinese character takes two."""
    cut = line.copy()
    cut.truncate(width, overflow="ellipsis")
    return cut


def rendered(lines: Iterable[Text], *, width: int | None, colour: bool) -> str:
    """Gives lines as one text.

    Args:
        lines: each without a line feed.
        width: the cells that a line may take; None where none is cut.
        colour: whether to write the codes that a terminal takes for colours.
    """
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=colour,
        no_color=None if colour else True,
        width=1 << 20,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )
    for line in lines:
        console.print(line if width is None else fitted(line, width), end="\n")
    return buffer.getvalue()


def terminal_width() -> int | None:
    """Gives the cells of a line of the terminal; None where standard output is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def echo_lines(lines: Iterable[Text]) -> None:
    """Prints lines to standard output, as it is."""
    width = terminal_width()
    echo(rendered(lines, width=width, colour=width is not None), end=False)
