"""The verb `recall`: a question in, the context block out."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from membound.cli.options import filters, given, json_output, open_store, policy
from membound.cli.outcome import NEGATIVE
from membound.cli.place import asking_place
from membound.cli.text import echo, echo_json, examples, note, printable, printable_lines
from membound.request import CHARACTER_BUDGET, Purpose, RelevanceMode
from membound.words import matched_words

if TYPE_CHECKING:
    from membound.records import MemoryRecord
    from membound.retrieval import RetrievalResult
    from membound.trace import Trace

__all__ = ["recall_command"]

_MODES = click.Choice(get_args(RelevanceMode))
_PURPOSES = click.Choice(get_args(Purpose))


@click.command(
    "recall",
    epilog=examples(
        'membound recall "which package manager do we use?"',
        'membound recall "how are releases cut" --explain',
        "membound recall \"database\" --type decision --json | jq -r '.records[].content'",
    ),
)
@click.argument("query")
@click.option("--workspace", metavar="PATH", help="Where it is asked.  [default: this folder]")
@click.option("--project", metavar="PATH", help="The project's folder.  [default: the workspace]")
@click.option("--limit", type=click.IntRange(min=0), help="At most so many records; 0 gives none.")
@click.option(
    "--budget",
    "character_budget",
    type=click.IntRange(min=0),
    help=f"At most so many characters for the whole block.  [default: {CHARACTER_BUDGET}]",
)
@filters
@click.option(
    "--mode",
    "relevance_mode",
    type=_MODES,
    help="The relevance mode.  [default: that of the store's tokenizer]",
)
@policy
@click.option("--purpose", type=_PURPOSES, help="tool keeps directives.")
@click.option("--explain", is_flag=True, help="Also print why: the trace as a table.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if nothing is selected, as grep does.")
@json_output
@click.pass_context
def recall_command(
    ctx: click.Context,
    /,
    *,
    query: str,
    workspace: str | None,
    project: str | None,
    explain: bool,
    exit_code: bool,
    as_json: bool,
    **asked: object,
) -> None:
    """Print the context block for QUERY; nothing at all if nothing is relevant."""
    with open_store(ctx.obj) as opened:
        found = opened.retrieve(query, **asking_place(workspace, project), **given(**asked))
        stored = [opened.get(record.id) for record in found.records] if explain else []
        degraded = opened.diagnostics().reason if found.trace.index_state == "degraded" else None
    if degraded:
        note(f"note: answered from the canonical files, without the index: {degraded}")
    _show(query, found, stored, explain=explain, as_json=as_json)
    if exit_code and not found.records:
        ctx.exit(NEGATIVE)


def _show(
    query: str,
    found: RetrievalResult,
    stored: list[MemoryRecord],
    *,
    explain: bool,
    as_json: bool,
) -> None:
    """Print the answer in the form that was asked for; what matched, of the records as stored."""
    if as_json:
        records = [record.to_dict() for record in found.records]
        echo_json({"records": records, "context": found.context, "trace": found.trace.to_dict()})
        return
    if found.context:
        echo(found.context)
    else:
        note(_why_nothing(found.trace))
    if hiding := found.trace.hidden_text_ids:
        note(f"note: hidden characters, shown escaped, in {', '.join(hiding)}")
    if explain:
        echo(printable_lines(("\n" if found.context else "") + found.trace.explain()))
        for record in stored:
            words = matched_words(query, record, tokenizer=found.trace.tokenizer_version)
            told = (
                f"{name} {', '.join(getattr(words, name))}"
                for name in words.__struct_fields__
                if getattr(words, name)
            )
            echo(printable(f"{record.id}: {'; '.join(told)}"))


def _why_nothing(trace: Trace) -> str:
    """Say in a line where the records went."""
    if trace.rankings:
        limits = f"{trace.record_limit:,} records and {trace.character_budget:,} characters"
        return f"{len(trace.rankings):,} relevant, but none fits into {limits}"
    if not trace.query_token_count:
        return "nothing relevant: the query has no word to search by"
    gone = trace.filtered
    losses = {
        "of another scope": gone.scope,
        "not active": gone.lifecycle,
        "standing rules": gone.purpose,
        "outside the filters": gone.request,
        "below the relevance floor": gone.irrelevant,
    }
    told = [f"{count:,} {what}" for what, count in losses.items() if count]
    return f"nothing relevant: {', '.join(told) or 'the store is empty'}"
