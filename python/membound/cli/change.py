"""The verbs `edit`, `disable` and `forget`: what is known has changed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Unpack

import click

from membound.cli.options import (
    AUTHORITIES,
    TYPES,
    UNIT,
    expected_revision,
    expires,
    given,
    json_output,
    noted,
    open_store,
)
from membound.cli.outcome import Declined, Failure, agreed
from membound.cli.text import echo, echo_json, examples, note, printable
from membound.errors import CanonicalFileError

if TYPE_CHECKING:
    from pathlib import Path

    from membound.records import MemoryRecord
    from membound.revision import EditOptions
    from membound.store import MemoryStore

__all__ = ["disable_command", "edit_command", "forget_command"]


@click.command(
    "edit",
    epilog=examples(
        'membound edit mem_01 --content "Use pnpm 10, not npm." --expected-revision 1',
        "membound edit mem_01 --tag tooling --tag node",
    ),
)
@click.argument("id")
@click.option("--content", metavar="TEXT", help="The new statement.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="The new tags; repeatable.")
@click.option("--no-tags", is_flag=True, help="Take every tag away.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--subject", metavar="NAME", help="Whom or what it is about.")
@click.option("--type", type=TYPES)
@click.option("--authority", type=AUTHORITIES)
@click.option("--confidence", type=UNIT)
@click.option("--importance", type=UNIT)
@expires
@click.option("--no-expiry", is_flag=True, help="It ends to hold at no set time.")
@expected_revision
@noted
@json_output
@click.pass_obj
def edit_command(
    store: Path,
    /,
    *,
    id: str,
    expected_revision: int | None,
    no_tags: bool,
    no_expiry: bool,
    as_json: bool,
    by: str | None,
    reason: str | None,
    **changed: object,
) -> None:
    """Change the record ID; without an option its content opens in $EDITOR."""
    fields = given(**changed)
    if (no_tags and "tags" in fields) or (no_expiry and "expires_at" in fields):
        message = "--no-tags and --no-expiry exclude --tag and --expires"
        raise click.UsageError(message)
    if no_tags:
        fields["tags"] = ()
    if no_expiry:
        fields["expires_at"] = None
    with open_store(store) as opened:
        if not fields:
            edited = _edit_content(opened.get(id))
            if edited is None:
                note("nothing was changed")
                return
            content, revision = edited
            fields, expected_revision = {"content": content}, expected_revision or revision
        edit: EditOptions = {"expected_revision": expected_revision, "by": by, "reason": reason}
        record = opened.update(id, **fields, **edit)
    _echo(record, as_json=as_json)


@click.command("disable")
@click.argument("id")
@click.option("--enable", is_flag=True, help="Take it into use again.")
@expected_revision
@noted
@json_output
@click.pass_obj
def disable_command(
    store: Path, /, *, id: str, enable: bool, as_json: bool, **edit: Unpack[EditOptions]
) -> None:
    """Keep the record ID but recall it no more, until --enable."""
    with open_store(store) as opened:
        verb = opened.enable if enable else opened.disable
        record = verb(id, **edit)
    _echo(record, as_json=as_json)


@click.command(
    "forget",
    epilog=examples(
        "membound forget mem_01",
        "membound forget mem_01 --undo",
        "membound forget mem_01 --purge --yes",
    ),
)
@click.argument("id")
@click.option("--undo", is_flag=True, help="Bring it back, unless it was purged.")
@click.option("--purge", is_flag=True, help="Erase it everywhere: nothing is left to bring back.")
@click.option("--yes", is_flag=True, help="Purge without asking.")
@expected_revision
@noted
@click.pass_obj
def forget_command(
    store: Path, /, *, id: str, undo: bool, purge: bool, yes: bool, **edit: Unpack[EditOptions]
) -> None:
    """Forget the record ID: a tombstone stays, so that an import does not bring it back.

    --undo brings back what was forgotten, or what was replaced by a record that is forgotten now.
    """
    if undo and purge:
        message = "--undo and --purge exclude each other"
        raise click.UsageError(message)
    if purge and (edit.get("by") or edit.get("reason")):
        message = "a purge leaves no history for --by and --reason"
        raise click.UsageError(message)
    with open_store(store) as opened:
        if purge:
            _purge(opened, id, yes=yes, expected_revision=edit.get("expected_revision"))
        else:
            verb = opened.restore if undo else opened.delete
            verb(id, **edit)
    echo(printable(id))


def _purge(store: MemoryStore, id: str, *, yes: bool, expected_revision: int | None) -> None:
    """Remove the record for good once the person said so; there must be one to ask about."""
    if not yes:
        with suppress(CanonicalFileError):  # one that cannot be used can be removed
            store.get(id)
        if not agreed(f"Remove {printable(id)} for good?"):
            raise Declined("nothing was removed")
    store.purge(id, expected_revision=expected_revision)


def _edit_content(record: MemoryRecord) -> tuple[str, int] | None:
    """Let the person edit the content; None if they left it as it was.

    The revision comes along, so that a change made meanwhile elsewhere is not overwritten.
    """
    try:
        text = click.edit(record.content, extension=".md", require_save=True)
    except click.ClickException as error:
        message = f"{error.format_message()}; say --content, or set EDITOR"
        raise Failure(message) from error
    if text is None:
        return None
    if not record.content.endswith("\n"):
        text = text.removesuffix("\n")
    return None if text == record.content else (text, record.revision)


def _echo(record: MemoryRecord, *, as_json: bool) -> None:
    """Print the changed record, or where it stands now."""
    if as_json:
        echo_json(record.to_dict())
    else:
        echo(f"{record.id} revision {record.revision}")
