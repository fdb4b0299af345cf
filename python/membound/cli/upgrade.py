"""The verb `upgrade`: what another tokenizer would change, and going over to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from membound.cli.options import json_output, open_store
from membound.cli.outcome import Declined, agreed
from membound.cli.place import asking_place
from membound.cli.tables import echo_table, progress
from membound.cli.text import echo, echo_json, examples, one_line, printable
from membound.comparison import Question
from membound.errors import InvalidInputError
from membound.strict_json import json_object
from membound.tokens import NEWEST, TOKENIZERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from membound.comparison import RecallChange, RecallComparison
    from membound.store import MemoryStore
    from membound.tokens import Tokenizer

__all__ = ["upgrade_command"]

_WIDTH = 60
_EXPECTED = 'a query, or {"query": "...", "workspace": "...", "project": "..."}'


@click.command(
    "upgrade",
    epilog=examples(
        "membound upgrade --dry-run",
        "membound upgrade --queries asked.txt --yes",
        "membound upgrade --tokenizer v1",
    ),
)
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[STORE]")
@click.option(
    "--tokenizer",
    type=click.Choice(TOKENIZERS),
    default=NEWEST,
    show_default=True,
    help="What is to make its search tokens; v1 is the way back.",
)
@click.option(
    "--queries",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Compare over these: a query a line, or JSON lines.  [default: made of the records]",
)
@click.option("--dry-run", is_flag=True, help="Compare, and change nothing.")
@click.option("--yes", is_flag=True, help="Go over without asking.")
@json_output
@click.pass_obj
def upgrade_command(
    store: Path,
    *,
    folder: Path | None,
    tokenizer: Tokenizer,
    queries: Path | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Say what recall would select with another tokenizer, ask, and go over to it.

    The records stay as they are, so that the way back is the same command with --tokenizer v1.
    Other processes may have the store open: they go on with the new settings. One of a version of
    membound that knows no tokenizer v2 must not.
    """
    questions = None if queries is None else tuple(_read(queries))
    with open_store(folder or store) as opened:
        compared = opened.compare_recall(tokenizer, questions)
        if compared.before == compared.after:
            moved = False
        else:
            if not as_json:
                _tell(compared)
            moved = not dry_run and _move(opened, compared, yes=yes)
    if as_json:
        echo_json({"moved": moved, "queries": compared.queries, **msgspec.to_builtins(compared)})
    elif moved:
        echo(f"went over from {compared.before} to {compared.after}")
    elif compared.before == compared.after:
        echo(f"the store has {compared.after} already")


def _move(store: MemoryStore, compared: RecallComparison, *, yes: bool) -> bool:
    if not yes and not agreed(f"Go over from {compared.before} to {compared.after}?"):
        raise Declined("nothing was changed")
    with progress("indexing") as report:
        return store.upgrade(compared.after, progress=report)


def _tell(compared: RecallComparison) -> None:
    """Print how many selections change, and the examples."""
    rows = (
        ("the same", compared.same),
        ("other records", compared.other),
        ("none any more", compared.emptied),
        ("none before", compared.filled),
    )
    headings = (f"selected with {compared.after}", f">of {compared.queries:,} queries")
    echo_table(headings, ((name, f"{count:,}") for name, count in rows))
    for change in compared.examples:
        echo("")
        echo(printable(one_line(change.query, _WIDTH)))
        _tell_change(compared, change)


def _tell_change(compared: RecallComparison, change: RecallChange) -> None:
    for name, ids in ((compared.before, change.before), (compared.after, change.after)):
        echo(printable(f"  {name}: {', '.join(ids) or 'nothing'}"))


def _read(file: Path) -> Iterator[Question]:
    """Yield the questions of a file; one that names no place is asked from this folder."""
    here = asking_place(None, None)
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _question(line, here)
        except (InvalidInputError, msgspec.ValidationError, UnicodeDecodeError) as error:
            raise InvalidInputError(f"{file}:{number}", _EXPECTED, str(error)) from error


def _question(line: bytes, here: dict[str, Any]) -> Question:
    if not line.lstrip().startswith(b"{"):
        return Question(query=line.decode("utf-8").strip(), **here)
    asked = msgspec.convert(json_object(line), Question)
    if asked.workspace or asked.project or asked.project_identity:
        return asked
    return Question(query=asked.query, **here)
