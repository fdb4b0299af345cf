"""The group `workspace`: a folder of Markdown notes, looked at and looked after."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from msgspec import to_builtins

from membound.cli.options import given, json_output
from membound.cli.outcome import NEGATIVE, Failure
from membound.cli.shown import (
    echo_lines,
    finding_lines,
    hit_lines,
    pair_lines,
    status_lines,
    terminal_width,
    tree_lines,
)
from membound.cli.stores import candidate_lines, note_what_stays
from membound.cli.text import echo, echo_json, examples, note, printable, printable_lines
from membound.errors import MissingExtraError
from membound.request import MOST_RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from membound.workspace.location import Location
    from membound.workspace.workspace import Workspace

__all__ = ["workspace_command"]

_FOLDER = click.Path(path_type=Path, file_okay=False)
_THERE = click.Path(path_type=Path, file_okay=False, exists=True)


@click.group(
    "workspace",
    epilog=examples(
        "membound workspace tree",
        'membound workspace search "why sqlite" --folder memory/decisions',
        "membound workspace doctor",
    ),
)
def workspace_command() -> None:
    """Look after a folder's memory: Markdown notes that people and agents write."""


def _placed(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options that say which workspace, as its first argument."""

    @click.option("--cwd", type=_THERE, help="The workspace's folder.  [default: this folder]")
    @click.option("--root", type=_FOLDER, help="Where workspaces are kept.")
    @click.option("--sessions-root", type=_FOLDER, help="Where the host keeps its sessions.")
    @wraps(verb)
    def placed(
        *, cwd: Path | None, root: Path | None, sessions_root: Path | None, **options: object
    ) -> None:
        # The name of a workspace is of its path: it is spelled as in the folder itself.
        places = given(
            cwd=cwd and cwd.resolve(),
            root=root and root.resolve(),
            sessions_root=sessions_root and sessions_root.resolve(),
        )
        verb(places, **options)

    return placed


@contextmanager
def _extra() -> Iterator[None]:
    """Say of a package that is missing how it is installed."""
    try:
        yield
    except MissingExtraError:
        raise
    except ImportError as error:
        raise MissingExtraError("workspace", error.name or "ruamel.yaml") from error


@contextmanager
def _opened(settings: dict[str, Any]) -> Iterator[Workspace]:
    """Open the workspace."""
    with _extra():
        from membound.workspace.workspace import Workspace  # noqa: PLC0415 — an extra

        with Workspace.open(**settings) as workspace:
            yield workspace


def _location(settings: dict[str, Any]) -> Location:
    """Find the workspace without opening it, which would make it."""
    from membound.workspace.config import places  # noqa: PLC0415 — an extra
    from membound.workspace.location import located  # noqa: PLC0415 — an extra

    named = given(root=settings.get("root"), sessions_root=settings.get("sessions_root"))
    return located(str(settings.get("cwd", Path.cwd())), places(os.environ, Path.home(), **named))


@workspace_command.command("status")
@json_output
@_placed
def status_command(settings: dict[str, Any], *, as_json: bool) -> None:
    """Say where the notes are, and what there is."""
    with _opened(settings) as opened:
        from membound.workspace.status import status  # noqa: PLC0415 — an extra
        from membound.workspace.upkeep import peers  # noqa: PLC0415 — an extra

        told, others = status(opened), peers(_location(settings))
    if as_json:
        echo_json(to_builtins(told))
        return
    echo_lines(status_lines(told))
    for other in others:
        use = f"; --root {other.parent} uses it" if other.name.startswith("workspace-") else ""
        note(f"another program keeps notes of this folder in {other}{use}")


@workspace_command.command("sync")
@json_output
@_placed
def sync_command(settings: dict[str, Any], *, as_json: bool) -> None:
    """Bring index.json and the search index in line with the notes."""
    with _opened(settings) as opened:
        synced = opened.sync()
    if as_json:
        echo_json(to_builtins(synced))
        return
    report = synced.report
    if synced.skipped:
        echo("nothing has changed")
    else:
        echo(
            f"{report.scanned_files:,} notes: {report.added_entries:,} added, "
            f"{report.updated_entries:,} updated, {report.removed_entries:,} removed"
        )
    for one in synced.unreadable:
        note(f"{one.path}: {one.fault}")


@workspace_command.command("tree")
@_placed
def tree_command(settings: dict[str, Any]) -> None:
    """Draw the notes under memory/; the latest are marked [new]."""
    with _opened(settings) as opened:
        tree = opened.tree()
    echo_lines(tree_lines(tree, terminal_width()))


@workspace_command.command("search")
@click.argument("query")
@click.option("--folder", metavar="FOLDER", help="Only there, and in the folders below.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Carrying every such tag.")
@click.option("--limit", type=click.IntRange(1, MOST_RECORDS), default=10, show_default=True)
@json_output
@_placed
def search_command(
    settings: dict[str, Any],
    *,
    query: str,
    folder: str | None,
    tags: tuple[str, ...],
    limit: int,
    as_json: bool,
) -> None:
    """Find notes, the most relevant first; exit 1 if there is none."""
    with _opened(settings) as opened:
        found = opened.search(query, folder=folder, tags=tags, limit=limit)
    if as_json:
        echo_json(to_builtins(found))
    else:
        for place, hit in enumerate(found.items, 1):
            where = " · ".join((f"{hit.folder}/{hit.key}", *hit.tags))
            matches = [line for line in hit.matches if line != f"title: {hit.title}"]
            echo_lines(hit_lines(place, hit.title, hit.score, where, matches))
    if not found.items:
        note("no note is relevant")
        raise click.exceptions.Exit(NEGATIVE)


@workspace_command.command(
    "organize",
    epilog=examples(
        "membound workspace organize --json > prepared.json",
        "membound workspace organize --store essence.md",
    ),
)
@click.option(
    "--store", "file", type=click.File("rb"), metavar="FILE", help="Make this the essence; - reads."
)
@click.option("--source", "sources", multiple=True, metavar="PATH", help="What it was made from.")
@click.option("--cursor", metavar="TEXT", help="Go on where a page with --json ended.")
@json_output
@_placed
def organize_command(
    settings: dict[str, Any],
    *,
    file: IO[bytes] | None,
    sources: tuple[str, ...],
    cursor: str | None,
    as_json: bool,
) -> None:
    """Show what an essence is to be made from, or store one; the former one is kept."""
    content = None if file is None else _text(file)
    with _opened(settings) as opened:
        result = opened.organize(content, sources=sources, cursor=cursor)
    if as_json:
        echo_json(to_builtins(result))
    elif result.stage == "store":
        echo(
            printable(
                f"wrote {result.file_path}: {result.content_size:,} bytes, {result.size_hint}"
            )
        )
    else:
        notes = [(f"{one.size:,}", f"{one.folder}/{one.key}") for one in result.pending_memories]
        echo_lines(pair_lines(notes))
        if result.left:
            echo(f"and {result.left:,} more; --json gives their texts, page by page")
        echo("")
        echo(printable_lines(result.rules))


@workspace_command.command("doctor")
@json_output
@_placed
def doctor_command(settings: dict[str, Any], *, as_json: bool) -> None:
    """Say what is wrong with the files and what to do; exit 1 if there is a problem."""
    with _extra():
        from membound.workspace.upkeep import check  # noqa: PLC0415 — an extra

        findings = check(_location(settings))
    problems = [one for one in findings if one.severity == "problem"]
    if as_json:
        echo_json({"healthy": not problems, "findings": to_builtins(findings)})
    else:
        for one in findings:
            told = finding_lines(
                one.check, one.severity, one.what, advice=one.advice, details=one.details
            )
            echo_lines(told)
        echo("")
        echo(f"{len(problems):,} to be mended" if problems else "healthy")
    if problems:
        raise click.exceptions.Exit(NEGATIVE)


@workspace_command.command(
    "relink",
    epilog=examples(
        "membound workspace relink",
        "membound workspace relink workspace-4fd01c2be9a7",
        "membound workspace relink --undo",
    ),
)
@click.argument("store", required=False)
@click.option("--undo", is_flag=True, help="Give the folder its own store again.")
@_placed
def relink_command(settings: dict[str, Any], *, store: str | None, undo: bool) -> None:
    """Give a folder that was moved, a link or a worktree the STORE it had; list which may be it.

    Nothing is moved: a line in links.json says which store it is.
    """
    if store is not None and undo:
        message = "give a STORE, or --undo"
        raise Failure(message)
    with _extra():
        from membound.workspace.upkeep import link, relatives  # noqa: PLC0415 — an extra

        location = _location(settings)
        if store is not None or undo:
            linked = link(location, store)
            echo(printable(f"{linked.cwd} has {linked.workspace_id} now"))
            note_what_stays(linked)
            return
        found = relatives(location)
    if not found:
        echo("no other store looks like this folder's")
    for line in candidate_lines(found, location.places.store_root):
        echo(line)


def _text(file: IO[bytes]) -> str:
    """Read a file of UTF-8."""
    try:
        return file.read().decode()
    except UnicodeDecodeError as error:
        message = f"the essence is no UTF-8: there is another byte at {error.start:,}"
        raise Failure(message) from error
