"""The verbs `evaluate` and `bench`: how good and how fast recall is here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from membound.cli.options import json_output, moment
from membound.cli.options import now as present
from membound.cli.outcome import NEGATIVE, Failure
from membound.cli.tables import echo_table, progress
from membound.cli.text import echo, echo_json, examples, printable_lines
from membound.cli.timing import bench, machine
from membound.evaluation import evaluate, load_cases, load_records
from membound.excerpt import excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from membound.evaluation import EvaluationCase, EvaluationReport
    from membound.records import MemoryRecord

__all__ = ["bench_command", "evaluate_command"]

_FIXTURES = Path("fixtures/evaluation")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


def _fixture(name: str) -> Path | None:
    """Return the repository's own data, if this folder is the repository."""
    path = _FIXTURES / name
    return path if path.is_file() else None


@click.command(
    "evaluate",
    epilog=examples(
        "membound evaluate --records records.jsonl --cases cases.jsonl --output report.json",
    ),
)
@click.option(
    "--records",
    type=_FILE,
    default=lambda: _fixture("records.jsonl"),
    help="JSON lines of records.  [in the repository: its fixtures]",
)
@click.option(
    "--cases",
    type=_FILE,
    default=lambda: _fixture("cases.jsonl"),
    help="JSON lines of cases.  [in the repository: its fixtures]",
)
@click.option("--now", metavar="TIME", callback=moment, help="When it is asked.  [default: now]")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write the report there, as JSON.",
)
@json_output
@click.pass_context
def evaluate_command(
    ctx: click.Context,
    *,
    records: Path | None,
    cases: Path | None,
    now: datetime | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Ask every case on both paths and score the answers; exit 1 if a promise is broken.

    A promise is broken if a forbidden record is selected, if the two paths differ, or if a
    context block is not exactly one fence.
    """
    if records is None or cases is None:
        message = "name the data: --records FILE --cases FILE"
        raise click.UsageError(message)
    stored, asked = load_records(records), load_cases(cases)
    _refuse_unknown_ids(stored, asked)
    with progress("asking") as report:
        found = evaluate(stored, asked, now=now or present(), progress=report)
    if output is not None:
        output.write_text(found.to_json(), encoding="utf-8")
    if as_json:
        echo_json(found.to_dict())
    else:
        echo(printable_lines(found.as_table()))
    if _broken(found):
        ctx.exit(NEGATIVE)


def _refuse_unknown_ids(records: Sequence[MemoryRecord], cases: Sequence[EvaluationCase]) -> None:
    """Refuse a case about records that there are not: a forbidden id with a slip never leaks."""
    known = {record.id for record in records}
    for case in cases:
        for id in (*case.expected_ids, *case.forbidden_ids):
            if id not in known:
                message = f"case {excerpt(case.id)} names {excerpt(id)}, which no record has"
                raise Failure(message)


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


def _broken(found: EvaluationReport) -> bool:
    """Say whether the evaluation found a promise broken."""
    leaks = any(path.score.scope_leaks for path in (found.indexed, found.filesystem))
    return leaks or not found.paths_agree or bool(found.broken_fence_case_ids)
