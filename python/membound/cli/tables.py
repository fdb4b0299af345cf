"""Tables on standard output and progress on standard error, both by rich."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from membound.cli.text import echo, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["echo_table", "progress"]

_GAP = 2
_PAGE = 500


def echo_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings; cells are plain text, never markup.

    A heading that begins with ``>`` is a column of numbers, aligned at the right. Only the last
    column is cut to the width of a terminal; in a pipe nothing is.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    names = [heading.removeprefix(">") for heading in headings]
    widths = [max(map(cell_len, column)) for column in zip(names, *cells, strict=True)]
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns - sum(widths[:-1]) - _GAP * (len(widths) - 1)
        widths[-1] = max(cell_len(names[-1]), min(widths[-1], room))
    for start in range(0, max(1, len(cells)), _PAGE):
        # Whole pages in known widths: the first lines of a long table come at once.
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=start == 0)
        for name, heading, width in zip(names, headings, widths, strict=True):
            table.add_column(name, width=width, justify="right" if name != heading else "left")
        for row in cells[start : start + _PAGE]:
            table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
        echo(_rendered(table, width=sum(widths) + _GAP * len(widths)))


def _rendered(table: Table, *, width: int) -> str:
    """Return the table's lines, coloured for a terminal, without blanks at their ends."""
    buffer = StringIO()
    Console(file=buffer, force_terminal=sys.stdout.isatty(), width=width).print(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a `report(done, total)` that moves a bar if standard error is a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
