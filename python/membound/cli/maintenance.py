"""The verbs `init`, `rebuild` and `doctor`: the store itself."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from membound import _core
from membound.cli.options import json_output, open_store, require_store
from membound.cli.outcome import NEGATIVE
from membound.cli.tables import echo_table, progress
from membound.cli.text import echo, echo_json, examples, printable
from membound.data_folder import holds_store
from membound.doctor import examine
from membound.errors import CanonicalFileError
from membound.settings import Settings
from membound.tokens import TOKENIZERS

if TYPE_CHECKING:
    from pathlib import Path

    from membound.doctor import Finding
    from membound.tokens import Tokenizer

__all__ = ["doctor_command", "init_command", "rebuild_command"]


@click.command("init")
@click.option("--tokenizer", type=click.Choice(TOKENIZERS), help="What makes its search tokens.")
@click.pass_obj
def init_command(store: Path, *, tokenizer: Tokenizer | None) -> None:
    """Create an empty store; one that is there is left as it is."""
    there = holds_store(store)
    with open_store(store, create=True, tokenizer=tokenizer):
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


@click.command(
    "doctor",
    epilog=examples("membound doctor", "membound doctor --fix --json | jq .healthy"),
)
@click.option("--fix", is_flag=True, help="Mend what can be mended safely.")
@json_output
@click.pass_obj
@click.pass_context
def doctor_command(ctx: click.Context, store: Path, *, fix: bool, as_json: bool) -> None:
    """Say what is wrong with the store and what to do; exit 1 if a problem is left."""
    require_store(store)
    findings = examine(store, fix=fix)
    problems = [one for one in findings if one.severity == "problem" and not one.fixed]
    if as_json:
        echo_json(
            {
                "healthy": not problems,
                "store": str(store.absolute()),
                "indexSchemaVersion": _core.index_schema_version,
                "tokenizerVersion": _tokenizer(store),
                "findings": to_builtins(findings),
            }
        )
    else:
        echo_table(("check", "state", "what is so"), map(_row, findings))
        echo("")
        for one in findings:
            if one.advice and not one.fixed:
                echo(printable(f"{one.check}: {one.advice}"))
        echo(f"{len(problems):,} to be mended" if problems else "healthy")
    if problems:
        ctx.exit(NEGATIVE)


def _tokenizer(store: Path) -> Tokenizer | None:
    """Return the store's tokenizer, none where a finding says that it cannot be read."""
    try:
        return Settings.in_use(store).tokenizer
    except CanonicalFileError:
        return None


def _row(finding: Finding) -> tuple[str, str, str]:
    """Return the finding's cells in the order of the headings."""
    return finding.check, "fixed" if finding.fixed else finding.severity, finding.what
