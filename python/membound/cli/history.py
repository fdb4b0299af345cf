"""The verbs `history` and `rollback`: what a record was before, and going back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from membound.cli.options import expected_revision, json_output, noted, open_store
from membound.cli.tables import echo_table
from membound.cli.text import echo, echo_json, examples, one_line, printable

if TYPE_CHECKING:
    from pathlib import Path

    from membound.parts import Revision
    from membound.revision import EditOptions

__all__ = ["history_command", "rollback_command"]

_REASON_WIDTH = 40
_CONTENT_WIDTH = 80


@click.command("history")
@click.argument("id")
@json_output
@click.pass_obj
def history_command(store: Path, *, id: str, as_json: bool) -> None:
    """Show the former states of the record ID that are kept, oldest first, then the present one."""
    with open_store(store) as opened:
        record = opened.get(id)
    if as_json:
        for former in record.history:
            echo_json(former.to_dict())
        return
    present = (str(record.revision), "", "", "", "", one_line(record.content, _CONTENT_WIDTH))
    headings = (">revision", "replaced", "by verb", "by", "reason", "content")
    echo_table(headings, [*map(_row, record.history), present])


@click.command(
    "rollback",
    epilog=examples(
        "membound history mem_01",
        'membound rollback mem_01 3 --by noa --reason "the first wording was right"',
    ),
)
@click.argument("id")
@click.argument("revision", type=click.IntRange(min=1))
@expected_revision
@noted
@json_output
@click.pass_obj
def rollback_command(
    store: Path, /, *, id: str, revision: int, as_json: bool, **edit: Unpack[EditOptions]
) -> None:
    """Give the record ID the state of a former REVISION again, as a new revision."""
    with open_store(store) as opened:
        record = opened.rollback(id, revision, **edit)
    if as_json:
        echo_json(record.to_dict())
    else:
        echo(printable(f"{record.id} revision {record.revision}"))


def _row(former: Revision) -> tuple[str, ...]:
    """Return a former state's cells in the order of the headings."""
    return (
        str(former.revision),
        former.changed_at,
        former.operation,
        former.changed_by or "",
        one_line(former.reason or "", _REASON_WIDTH),
        one_line(former.snapshot.content, _CONTENT_WIDTH),
    )
