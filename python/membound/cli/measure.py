"""The verb `bench`: how fast recall is here."""

from __future__ import annotations

import click

from membound.cli.options import json_output
from membound.cli.tables import echo_table, progress
from membound.cli.text import echo, echo_json, examples, printable_lines
from membound.cli.timing import bench, machine

__all__ = ["bench_command"]


@click.command(
    "bench",
    epilog=examples(
        "membound bench --records 1000",
    ),
)
@click.option(
    "--records",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    default=(1_000, 10_000),
    show_default=True,
    metavar="N",
    help="Records in the store; repeatable.",
)
@click.option(
    "--queries", type=click.IntRange(min=1), default=50, show_default=True, help="Recalls timed."
)
@json_output
def bench_command(*, sizes: tuple[int, ...], queries: int, as_json: bool) -> None:
    """Time remember and recall in temporary stores of synthetic records.

    The records and the queries are the same on every run; the times are this machine's.
    """
    runs = []
    for size in sizes:
        with progress(f"{size:,} records") as report:
            runs += bench(size, queries=queries, report=report)
    if as_json:
        echo_json({"machine": machine(), "runs": [run.to_dict() for run in runs]})
        return
    echo(printable_lines("\n".join(f"{name}: {value}" for name, value in machine().items())))
    echo("")
    headings = (">records", "what", "path", ">times", ">p50 ms", ">p95 ms", ">p99 ms")
    echo_table(headings, (run.cells() for run in runs))
