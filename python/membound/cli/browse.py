"""The verbs `list` and `show`: what is in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from membound import _core
from membound.cli.options import filters, given, json_output, now, open_store
from membound.cli.place import folder
from membound.cli.tables import echo_table
from membound.cli.text import echo, echo_json, examples, note, one_line, printable, printable_lines
from membound.times import milliseconds

if TYPE_CHECKING:
    from pathlib import Path

    from membound.records import MemoryRecord

__all__ = ["list_command", "show_command"]

_CONTENT_WIDTH = 80


@click.command(
    "list",
    epilog=examples(
        "membound list --type decision",
        "membound list --all --json | jq -r .id",
    ),
)
@filters
@click.option("--workspace", metavar="PATH", help="Only records of this workspace.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    help="At most so many; 0 shows none, as everywhere.  [default: all]",
)
@click.option("--all", "include_inactive", is_flag=True, help="Also what no longer holds.")
@json_output
@click.pass_obj
def list_command(
    store: Path, /, *, workspace: str | None, include_inactive: bool, as_json: bool, **asked: object
) -> None:
    """List records, the latest change first."""
    with open_store(store) as opened:
        place = None if workspace is None else folder(workspace)
        found = opened.list(include_inactive=include_inactive, workspace=place, **given(**asked))
    if as_json:
        for record in found:
            echo_json(record.to_dict())
    elif found:
        echo_table(("id", "updated", "scope", "type", "state", "content"), map(_row, found))
    else:
        note("no records")


@click.command("show")
@click.argument("id")
@json_output
@click.pass_obj
def show_command(store: Path, *, id: str, as_json: bool) -> None:
    """Show the record ID, whatever its state."""
    with open_store(store) as opened:
        record = opened.get(id)
    if as_json:
        echo_json(record.to_dict())
        return
    for name, value in _facts(record):
        echo(f"{name + ':':<14}{printable(value)}")
    echo("")
    echo(printable_lines(record.content))


def _row(record: MemoryRecord) -> tuple[str, ...]:
    """Return the record's cells in the order of the headings."""
    kind = "directive" if record.authority == "directive" else record.type
    return (
        record.id,
        record.updated_at[:10],
        record.scope,
        kind,
        _state(record),
        one_line(record.content, _CONTENT_WIDTH),
    )


def _state(record: MemoryRecord) -> str:
    """Name the state that the record is in at present; nothing for an active one."""
    state = _core.lifecycle(record.to_json(), milliseconds(now()))
    return "" if state == "active" else state


def _facts(record: MemoryRecord) -> list[tuple[str, str]]:
    """Return what is known about the record besides its content, absent things left out."""
    sources = ", ".join(
        f"{source.kind}/{source.trust}" + (f":{source.locator}" if source.locator else "")
        for source in record.sources
    )
    facts = {
        "id": record.id,
        "state": _state(record),
        "scope": record.scope,
        "workspace": record.workspace,
        "project": record.project,
        "speaker": record.speaker,
        "subject": record.subject,
        "type": record.type,
        "authority": record.authority,
        "tags": ", ".join(record.tags),
        "confidence": f"{record.confidence:.2f}",
        "importance": f"{record.importance:.2f}",
        "created": record.created_at,
        "updated": record.updated_at,
        "observed": record.observed_at,
        "valid from": record.valid_from,
        "valid to": record.valid_to,
        "expires": record.expires_at,
        "supersedes": record.supersedes,
        "superseded": record.superseded_at,
        "disabled": record.disabled_at,
        "deleted": record.deleted_at,
        "sources": sources,
        "revision": str(record.revision),
    }
    return [(name, value) for name, value in facts.items() if value]
