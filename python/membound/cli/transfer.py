"""The verbs `import` and `export`: records come from files and go to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click
import msgspec

from membound.cli.options import SCOPES, json_output, open_store
from membound.cli.outcome import NEGATIVE, Failure
from membound.cli.pages import write_lines, write_pages
from membound.cli.reading import Item, Problem, Reader
from membound.cli.tables import progress
from membound.cli.text import echo, echo_json, examples, note
from membound.cli.writing import Summary, write_items
from membound.importing import Conflict

if TYPE_CHECKING:
    from membound.store import MemoryStore

__all__ = ["export_command", "import_command"]

_READABLE = click.Path(path_type=Path, exists=True, allow_dash=True)


@click.command(
    "import",
    epilog=examples(
        "membound import memories.jsonl --on-conflict skip",
        "membound import docs/ README.md --scope workspace",
    ),
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=_READABLE)
@click.option("--scope", type=SCOPES, default="workspace", show_default=True)
@click.option("--workspace", metavar="PATH", help="Where it holds.  [default: this folder]")
@click.option(
    "--on-conflict",
    type=click.Choice(get_args(Conflict)),
    help="What becomes of an id that is taken.  [default: error, or skip if computed]",
)
@click.option(
    "--directives", is_flag=True, help="Trust the pages: those that are standing rules stay so."
)
@click.option("--strict", is_flag=True, help="Stop at the first error; bad input writes nothing.")
@json_output
@click.pass_obj
@click.pass_context
def import_command(
    ctx: click.Context,
    store: Path,
    *,
    paths: tuple[Path, ...],
    scope: str,
    workspace: str | None,
    on_conflict: Conflict | None,
    directives: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Import JSON lines, or the paragraphs of Markdown and text files, from each PATH.

    A line is a record as `export` writes it, or {"content": "...", ...} with the options of
    `remember` as further fields. It is taken as it is: import lines of people you trust only. -
    reads lines from standard input.

    Of a folder the Markdown and text files are read, with its folders, in sorted order; hidden and
    linked files are left out. A page that `export` wrote is that record again, at the place that
    it names. A paragraph, or a line without an id, that is known is skipped, also if it was
    forgotten; one that was changed since is a new record, and the old one stays.
    """
    reader = Reader(scope=scope, workspace=workspace, directives=directives)
    read = [found for path in paths for found in reader.read(path)]
    bad = [found for found in read if isinstance(found, Problem)]
    if strict and bad:
        message = f"{bad[0].where}: {bad[0].reason}; nothing was imported"
        raise Failure(message)
    items = [found for found in read if isinstance(found, Item)]
    with open_store(store, create=True) as opened, progress("importing") as report:
        summary = write_items(opened, items, on_conflict=on_conflict, strict=strict, report=report)
    summary.problems[:0] = bad
    _tell(summary, as_json=as_json)
    if summary.problems:
        ctx.exit(NEGATIVE)


@click.command(
    "export",
    epilog=examples(
        "membound export backup.jsonl",
        "membound export pages/",
        "membound export - | jq -r .content",
    ),
)
@click.argument("path", type=click.Path(path_type=Path, allow_dash=True))
@click.pass_obj
@click.pass_context
def export_command(ctx: click.Context, store: Path, path: Path) -> None:
    """Export every record to PATH: a .jsonl file, a folder of Markdown, or - for standard output.

    JSON lines are complete but for what forgotten records said, and `import` reads them back as
    they were. The folder must be new or empty; it gets one page per record, without histories and
    without forgotten records. A file that cannot be used is told, and makes it exit with 1.
    """
    with open_store(store) as opened:
        if str(path) == "-":
            for record in opened.export():
                echo_json(record.to_dict())
            _tell_unusable(ctx, opened)
            return
        total = opened.diagnostics().canonical_count
        with progress("exporting") as report:
            write = write_lines if path.suffix.lower() == ".jsonl" else write_pages
            written = write(path, opened.export(), lambda done: report(done, total))
        note(f"exported {written:,} records to {path}")
        _tell_unusable(ctx, opened)


def _tell_unusable(ctx: click.Context, store: MemoryStore) -> None:
    """Name how many files an export left out; exit 1 if there are any."""
    if left_out := len(store.verify().quarantined):
        note(f"{left_out:,} files cannot be used and are left out: see `membound doctor`")
        ctx.exit(NEGATIVE)


def _tell(summary: Summary, *, as_json: bool) -> None:
    """Print the summary, and each problem on standard error."""
    for problem in summary.problems:
        note(f"{problem.where}: {problem.reason}")
    if as_json:
        echo_json(msgspec.to_builtins(summary))
    else:
        echo(str(summary))
