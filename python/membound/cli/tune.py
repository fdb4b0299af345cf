"""The verb `tune`: weights and floors that suit the caller's own data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from membound.cli import data_sets
from membound.cli.options import json_output, moment
from membound.cli.options import policy as policy_file
from membound.cli.outcome import NEGATIVE
from membound.cli.tables import progress
from membound.cli.text import echo, echo_json, examples, note, printable_lines
from membound.evaluation.survey import load_sets
from membound.evaluation.tuning import tune

if TYPE_CHECKING:
    from datetime import datetime

    from membound.evaluation.survey.sets import OptionalField
    from membound.policy import MemoryPolicy

__all__ = ["tune_command"]


@click.command(
    "tune",
    epilog=examples(
        "membound tune --data sets",
        "membound tune --data sets/mine --output policy.json",
        "membound tune --data sets --policy policy.json --injection 0.1 --output policy.json",
    ),
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    required=True,
    help="A data set, or a folder of some; repeatable.",
)
@data_sets.without
@data_sets.unanswerable
@policy_file
@click.option(
    "--injection",
    type=click.FloatRange(0, 1),
    default=0.15,
    show_default=True,
    metavar="SHARE",
    help="False injection beyond it costs.",
)
@click.option(
    "--precision",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="Precision below it costs.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of halves, places and draws.",
)
@data_sets.resamples
@click.option(
    "--now",
    metavar="TIME",
    callback=moment,
    help="When it is asked.  [default: at the last record of each conversation]",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the policy there, if it is a gain.",
)
@json_output
@click.pass_context
def tune_command(
    ctx: click.Context,
    /,
    *,
    data: tuple[Path, ...],
    without: tuple[OptionalField, ...],
    policy: MemoryPolicy | None,
    now: datetime | None,
    output: Path | None,
    as_json: bool,
    unanswerable: tuple[str, ...],
    injection: float,
    precision: float,
    seed: int,
    resamples: int,
) -> None:
    """Choose weights and floors on one half of the questions, and try them on the other.

    A policy is written only if it gains something there that is outside of its interval; else the
    exit code is 1, and a file that exists is left as it is.
    """
    sets = load_sets(data, without=without)
    with progress("asking") as told:
        report = tune(
            sets,
            policy=policy,
            injection=injection,
            precision=precision,
            now=now,
            unanswerable=unanswerable,
            seed=seed,
            resamples=resamples,
            progress=told,
        )
    if as_json:
        echo_json(report.to_dict())
    else:
        echo(printable_lines(report.as_table()))
    if output is None:
        return
    if not report.worthwhile:
        note(f"note: {output} is not written, as nothing is gained for certain")
        ctx.exit(NEGATIVE)
    output.write_bytes(report.policy.to_json())
    note(f"note: {output} is written")
