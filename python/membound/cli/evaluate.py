"""The verb `evaluate`: how good recall is on the caller's own data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from membound.cli import data_sets
from membound.cli.options import compose, json_output, moment
from membound.cli.options import now as present
from membound.cli.options import policy as policy_file
from membound.cli.outcome import NEGATIVE, Failure
from membound.cli.tables import progress
from membound.cli.text import echo, echo_json, examples, printable_lines
from membound.evaluation import evaluate, load_cases, load_records
from membound.evaluation.survey import as_page, as_table, load_sets, read_earlier, survey
from membound.evaluation.survey.answers import PATHS
from membound.evaluation.survey.rankers import RANKERS
from membound.evaluation.survey.run import MODES
from membound.excerpt import excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from membound.evaluation import EvaluationCase, EvaluationReport
    from membound.evaluation.survey import SurveyReport
    from membound.evaluation.survey.sets import OptionalField
    from membound.policy import MemoryPolicy
    from membound.records import MemoryRecord

__all__ = ["evaluate_command"]

_FIXTURES = Path("fixtures/evaluation")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


def _fixture(name: str) -> Path | None:
    """Return the repository's own data, if this folder is the repository."""
    path = _FIXTURES / name
    return path if path.is_file() else None


def _groups(
    ctx: click.Context,  # noqa: ARG001 — click's signature
    param: click.Parameter,  # noqa: ARG001 — click's signature
    values: Sequence[str],
) -> dict[str, tuple[str, ...]]:
    """Read `NAME=SET,SET`; click calls this on the option's values."""
    found: dict[str, tuple[str, ...]] = {}
    for value in values:
        name, equals, sets = value.partition("=")
        if not (name and equals and sets):
            message = f"{excerpt(value)} is no group; write NAME=SET,SET"
            raise click.BadParameter(message)
        found[name] = tuple(sets.split(","))
    return found


# What only a survey of data sets takes; the names are those of `survey`.
_survey_options = compose(
    click.option("--mode", "modes", type=click.Choice(MODES), multiple=True, help="[default: all]"),
    click.option("--path", "paths", type=click.Choice(PATHS), multiple=True, help="[default: all]"),
    click.option(
        "--ranker",
        "rankers",
        type=click.Choice(RANKERS),
        multiple=True,
        help="Asked beside the modes; repeatable.",
    ),
    click.option(
        "--group",
        "groups",
        metavar="NAME=SET,...",
        multiple=True,
        callback=_groups,
        help="Sets whose means are taken together; repeatable.",
    ),
    data_sets.unanswerable,
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Of places, draws and the questions explained.",
    ),
    data_sets.resamples,
    click.option(
        "--explain",
        "explained",
        type=click.IntRange(min=0),
        default=50,
        show_default=True,
        metavar="N",
        help="Questions of each set that the page explains.",
    ),
)


@click.command(
    "evaluate",
    epilog=examples(
        "membound evaluate --records records.jsonl --cases cases.jsonl --output report.json",
        "membound evaluate --data sets --against foundation-v1 --html report.html",
        "membound evaluate --data sets/mine --against earlier.json --output report.json",
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
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    help="Instead: a data set, or a folder of some; repeatable.",
)
@data_sets.without
@click.option(
    "--against",
    metavar="NAME|FILE",
    help="Compare with this mode or ranker, or with an earlier report.",
)
@_survey_options
@policy_file
@click.option(
    "--now",
    metavar="TIME",
    callback=moment,
    help="When it is asked.  [default: now; of data sets: at the last record of each conversation]",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write the report there, as JSON.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write the report on data sets there, as a page.",
)
@json_output
@click.pass_context
def evaluate_command(
    ctx: click.Context,
    /,
    *,
    records: Path | None,
    cases: Path | None,
    data: tuple[Path, ...],
    without: tuple[OptionalField, ...],
    against: str | None,
    policy: MemoryPolicy | None,
    now: datetime | None,
    output: Path | None,
    html: Path | None,
    as_json: bool,
    **options: Any,  # noqa: ANN401 — those of `survey`
) -> None:
    """Score recall over cases, or over data sets; exit 1 if a promise is broken.

    A promise is broken if a forbidden record is selected, if the paths differ, or if a
    context block is not exactly one fence.
    """
    _refuse_mixed(ctx, of_sets=bool(data))
    if data:
        chosen = {name: value for name, value in options.items() if value != ()}
        chosen |= {"now": now, "policy": policy, "unanswerable": options["unanswerable"]}
        if against in (*MODES, *RANKERS):
            chosen["against"] = against
        elif against is not None:
            chosen["earlier"] = read_earlier(against)
        sets = load_sets(data, without=without)
        with progress("asking") as report:
            measured = survey(sets, progress=report, **chosen)
        if html is not None:
            html.write_text(as_page(measured), encoding="utf-8")
        _tell(measured, as_table(measured), output, as_json=as_json)
        broken = not measured.paths_agree
    else:
        found = _evaluated(records, cases, policy, now)
        _tell(found, found.as_table(), output, as_json=as_json)
        broken = _broken(found)
    if broken:
        ctx.exit(NEGATIVE)


def _refuse_mixed(ctx: click.Context, *, of_sets: bool) -> None:
    """Refuse options that say nothing about the data that is asked."""
    of_both = {"data", "policy", "now", "output", "as_json"}
    of_cases = {"records", "cases"}
    for option in ctx.command.params:
        name = option.name or ""
        typed = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name not in of_both and (name in of_cases) == of_sets:
            where = "without --data" if of_sets else "with --data"
            message = f"{option.opts[0]} can only be used {where}"
            raise click.UsageError(message)


def _tell(
    report: EvaluationReport | SurveyReport, table: str, output: Path | None, *, as_json: bool
) -> None:
    """Write the report where it is wanted."""
    if output is not None:
        output.write_text(report.to_json(), encoding="utf-8")
    if as_json:
        echo_json(report.to_dict())
    else:
        echo(printable_lines(table))


def _evaluated(
    records: Path | None, cases: Path | None, policy: MemoryPolicy | None, now: datetime | None
) -> EvaluationReport:
    if records is None or cases is None:
        message = "name the data: --records FILE --cases FILE, or --data FOLDER"
        raise click.UsageError(message)
    stored, asked = load_records(records), load_cases(cases)
    _refuse_unknown_ids(stored, asked)
    with progress("asking") as report:
        return evaluate(stored, asked, now=now or present(), policy=policy, progress=report)


def _refuse_unknown_ids(records: Sequence[MemoryRecord], cases: Sequence[EvaluationCase]) -> None:
    """Refuse a case about records that there are not: a forbidden id with a slip never leaks."""
    known = {record.id for record in records}
    for case in cases:
        for id in (*case.expected_ids, *case.forbidden_ids):
            if id not in known:
                message = f"case {excerpt(case.id)} names {excerpt(id)}, which no record has"
                raise Failure(message)


def _broken(found: EvaluationReport) -> bool:
    """Say whether the evaluation found a promise broken."""
    leaks = any(path.score.scope_leaks for path in (found.indexed, found.filesystem))
    return leaks or not found.paths_agree or bool(found.broken_fence_case_ids)
