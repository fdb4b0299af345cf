"""The verbs `init`, `rebuild` and `doctor`: the store itself."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from membound.cli.options import json_output, open_store
from membound.cli.outcome import NEGATIVE
from membound.cli.tables import echo_table, progress
from membound.cli.text import echo, echo_json, printable
from membound.session import holds_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from membound.reports import Diagnostics, VerifyReport


__all__ = ["doctor_command", "init_command", "rebuild_command"]

_PATIENCE = 10.0  # seconds for a backfill that is under way


@click.command("init")
@click.pass_obj
def init_command(store: Path) -> None:
    """Create an empty store; one that is there is left as it is."""
    there = holds_store(store)
    with open_store(store, create=True):
        name = printable(str(store))
        echo(f"{name} is a store already" if there else f"created a store in {name}")


@click.command("rebuild")
@click.pass_obj
def rebuild_command(store: Path) -> None:
    """Build the index anew from the canonical files."""
    began = perf_counter()
    with open_store(store) as opened:
        with progress("indexing") as report:
            opened.rebuild_index(progress=report)
        indexed = opened.diagnostics().indexed_count
    echo(f"indexed {indexed:,} records in {perf_counter() - began:.1f} s")


@click.command("doctor")
@json_output
@click.pass_obj
@click.pass_context
def doctor_command(ctx: click.Context, store: Path, *, as_json: bool) -> None:
    """Compare the canonical files with the index and say what is wrong; exit 1 if anything is."""
    with open_store(store) as opened:
        opened.wait_until_ready(_PATIENCE)
        verified = opened.verify()
        state = opened.diagnostics()
    problems = list(_problems(state, verified))
    facts = _facts(state, verified)
    if as_json:
        echo_json({"healthy": not problems, "problems": problems, **facts})
    else:
        echo_table(("what", "is"), ((name, _shown(value)) for name, value in facts.items()))
        echo("")
        for line in problems or ("healthy",):
            echo(printable(line))
    if problems:
        ctx.exit(NEGATIVE)


def _problems(state: Diagnostics, verified: VerifyReport) -> Iterator[str]:
    """Yield what is wrong and what to do about it, a line each."""
    for broken in verified.quarantined:
        yield f"{broken.file} is left out: {broken.reason}; mend or remove it"
    if state.index_state == "degraded":
        yield f"the index is degraded: {state.reason}; run `membound rebuild`"
    elif verified.reason:
        yield f"the index could not be compared: {verified.reason}; run `membound rebuild`"
    counts = {
        "are missing from the index": len(verified.missing),
        "differ from the index": len(verified.stale),
        "are in the index without a file that can be used": len(verified.orphaned),
    }
    for what, count in counts.items():
        if count:
            yield f"{count:,} records {what}; the index is being mended, or run `membound rebuild`"


def _facts(state: Diagnostics, verified: VerifyReport) -> dict[str, Any]:
    """Return the counts and states that a person or a program may want to see."""
    return {
        "store": state.path,
        "indexState": state.index_state,
        "canonicalCount": state.canonical_count,
        "activeCount": state.active_count,
        "tombstoneCount": state.tombstone_count,
        "directiveCount": state.directive_count,
        "indexedCount": state.indexed_count,
        "checked": verified.checked,
        "missing": list(verified.missing),
        "stale": list(verified.stale),
        "orphaned": list(verified.orphaned),
        "quarantined": [{"file": q.file, "reason": q.reason} for q in verified.quarantined],
        "indexSchemaVersion": state.index_schema_version,
        "tokenizerVersion": state.tokenizer_version,
    }


def _shown(value: object) -> str:
    """Return a fact as a cell: a list by its length, what is unknown as a dash."""
    if isinstance(value, list):
        return f"{len(value):,}"
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
