"""The verb `remember`: one statement becomes a record."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from membound.cli.options import (
    AUTHORITIES,
    SCOPES,
    TYPES,
    UNIT,
    expires,
    given,
    json_output,
    open_store,
)
from membound.cli.outcome import Failure
from membound.cli.place import place
from membound.cli.text import echo, echo_json, examples

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

__all__ = ["remember_command"]


@click.command(
    "remember",
    epilog=examples(
        'membound remember "Use pnpm, not npm, in this repo." --tag package-manager',
        'membound remember "Never push to main." --scope user --authority directive',
        "git log -1 --format=%B | membound remember - --type episode",
    ),
)
@click.argument("text")
@click.option("--scope", type=SCOPES, help="Where it belongs.  [default: workspace]")
@click.option("--workspace", metavar="PATH", help="Where it holds.  [default: this folder]")
@click.option("--project", metavar="PATH", help="The project's folder, for scope project.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--subject", metavar="NAME", help="Whom or what it is about.")
@click.option("--type", type=TYPES, help="What kind of memory it is.")
@click.option("--authority", type=AUTHORITIES, help="directive: a standing rule you approve.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A label; repeatable.")
@click.option("--confidence", type=UNIT, help="How sure it is, 0 to 1.")
@click.option("--importance", type=UNIT, help="How much it matters, 0 to 1.")
@click.option(
    "--supersedes",
    metavar="ID",
    help="The record that it replaces; its place, subject and tags are inherited.",
)
@expires
@json_output
@click.pass_obj
def remember_command(
    store: Path,
    /,
    *,
    text: str,
    scope: str | None,
    workspace: str | None,
    project: str | None,
    tags: tuple[str, ...],
    supersedes: str | None,
    expires_at: datetime | None,
    as_json: bool,
    **described: object,
) -> None:
    """Remember TEXT and print its id; - reads standard input.

    It is kept in the store. The notes of coding agents are another memory, which has none of this:
    see `membound workspace`.
    """
    content = _standard_input() if text == "-" else text
    placed = scope or workspace or project
    home = place(scope or "workspace", workspace, project) if placed or not supersedes else {}
    fields = given(tags=tags, expires_at=expires_at, **described)
    with open_store(store, create=True) as opened:
        if supersedes:
            record = opened.supersede(supersedes, content, **home, **fields)
        else:
            record = opened.remember(content, **home, **fields)
    if as_json:
        echo_json(record.to_dict())
    else:
        echo(record.id)


def _standard_input() -> str:
    """Return what is piped in, without its last line end."""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        message = (
            f"standard input: expected UTF-8, got byte 0x{data[error.start]:02x} at {error.start}"
        )
        raise Failure(message) from error
