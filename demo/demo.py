"""A tour: a store filled with real text, a dozen questions, and why each answer is what it is.

Everything shown is computed while you watch. Nothing outside this repository and the Python
standard library is read, and the store lies in a temporary folder that is removed at the end.
"""
# ruff: noqa: INP001, RUF001 — a script, not a package; it asks in Chinese too

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text
from texts import Passage, docstrings, evenly, prose

from membound import MemoryDraft, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from membound import RetrievalResult

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)  # freshness is judged at this moment, on every run
PUBLISHED = datetime(2025, 1, 1, tzinfo=UTC)  # documentation is older than what Ada says
ATLAS, HERON, OURS = "/home/ada/atlas", "/home/ada/heron", "/home/ada/membound"
REPETITIONS = 5
RECORDS = 3  # a context block that fits a screen; the default is 8
ROWS = 6  # of each explained ranking


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, where, and what to look at in the answer."""

    text: str
    look: str
    workspace: str = ATLAS


QUESTIONS = (
    Question("how do I parse a date string with a format?", "real documentation, by words"),
    Question("create a temporary directory and remove it afterwards", "six thousand competitors"),
    Question("compress data with gzip", "short questions work too"),
    Question(
        "which package manager do we use in this repo?", "this repo's first; never the other repo's"
    ),
    Question("我们用什么数据库？", "the decision that holds, not the one that it superseded"),
    Question("谁负责支付模块？", "Chinese has no spaces: pairs of characters are matched"),
    Question("which port does the build machine answer on?", "a fact among six thousand records"),
    Question("who am I?", "no word in common: it asks for facts, by type"),
    Question("what is Ada's favourite tea?", "'favourite' asks for preferences"),
    Question("what happens when the index is corrupt?", "this repository's own documents", OURS),
    Question("how do I tag and publish a release?", "a hostile page stays inside its fence"),
    Question("the spring sale banner", "it expired on 1 June: only lifecycle knows of it"),
    Question("Eiffel tower height", "nothing is known, so nothing is said"),
    Question("customer database of project Heron", "another workspace's record does not leak"),
    Question("customer database of project Heron", "the same, asked where it belongs", HERON),
)


def main() -> None:
    """Fill a store, ask the questions, sum up."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--records", type=int, default=6_000, metavar="N", help="docstrings to read (6000)"
    )
    count = arguments.parse_args().records
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    with TemporaryDirectory(prefix="membound-demo-") as folder:
        path = Path(folder)
        with MemoryStore.open(path, clock=lambda: NOW) as store:
            imported, seconds = fill(store, console, count)
            show_rules(store, console)
            times = [ask(store, console, *numbered) for numbered in enumerate(QUESTIONS, 1)]
        show_summary(console, imported, seconds, times, size_of(path))


def fill(store: MemoryStore, console: Console, count: int) -> tuple[int, float]:
    """Import everything with a progress bar; return how many records, and the time it took."""
    drafts = [
        *(of_passage(passage, ATLAS) for passage in evenly(docstrings(), count)),
        *(of_passage(passage, OURS) for passage in prose(REPOSITORY)),
        *personal(),
    ]
    columns = (TextColumn("remembering"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("remembering", total=len(drafts))
        began = perf_counter()
        records = store.remember_many(
            drafts, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )
        seconds = perf_counter() - began
    return len(records), seconds


def of_passage(passage: Passage, workspace: str) -> MemoryDraft:
    """Return a draft whose source says where the text stands."""
    source = {"kind": "file", "trust": "observed", "locator": passage.locator}
    return MemoryDraft(
        passage.content,
        id=f"text:{passage.locator.replace('/', ':')}",
        workspace=workspace,
        type="insight",  # a question about the person asks for facts: this is none
        observed_at=PUBLISHED,
        tags=(passage.tag[:64],),
        sources=(source,),
        provenance={"kind": "file"},
    )


def personal() -> Iterator[MemoryDraft]:
    """Yield what an imaginary user has said over the months, in English and in Chinese."""
    for line in (HERE / "memories.jsonl").read_text(encoding="utf-8").splitlines():
        said: dict[str, Any] = json.loads(line)
        for name in {"observed_at", "expires_at"} & said.keys():
            said[name] = datetime.fromisoformat(said[name])
        yield MemoryDraft(said.pop("content"), **said)


def show_rules(store: MemoryStore, console: Console) -> None:
    """Show the standing rules: they do not compete with evidence, they have their own block."""
    console.rule(f"Standing rules, for every turn in {ATLAS}")
    console.print(
        Panel(Text(store.list_directives(workspace=ATLAS).block), title="directive block")
    )


def ask(store: MemoryStore, console: Console, number: int, question: Question) -> float:
    """Ask one question, show the answer and why; return the median time in milliseconds."""

    def recall() -> RetrievalResult:
        return store.retrieve(question.text, workspace=question.workspace, limit=RECORDS)

    found = recall()
    took = statistics.median(timed(recall) for _ in range(REPETITIONS)) * 1000
    console.rule(Text(f"{number}. {question.text}", style="bold"))
    console.print(Text(f"asked in {question.workspace}; {question.look}", style="dim"))
    block = Text(found.context or "(the empty text: nothing is relevant)")
    console.print(Panel(block, title=f"context block, {len(found.context):,} characters"))
    console.print(Text(explained(found)), soft_wrap=True)
    console.print(Text(f"{took:.2f} ms, median of {REPETITIONS} after one warm-up\n", style="dim"))
    return took


def explained(found: RetrievalResult) -> str:
    """Return the trace as text, its ranking cut to a few rows."""
    *head, ranking = found.trace.explain().partition("\n\n")
    rows = ranking.splitlines()
    shown = rows[: 2 + ROWS]
    if len(rows) > len(shown):
        shown.append(f"... {len(found.trace.rankings) - ROWS} further rows of the trace")
    return "".join(head) + "\n".join(shown)


def timed(recall: Callable[[], object]) -> float:
    """Return the seconds that one call took."""
    began = perf_counter()
    recall()
    return perf_counter() - began


def size_of(folder: Path) -> int:
    """Return the bytes of all files under a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def show_summary(
    console: Console, records: int, seconds: float, times: Iterable[float], size: int
) -> None:
    """Show what it took, and where to go from here."""
    table = Table(title="Summary", show_header=False)
    table.add_row("records", f"{records:,}")
    table.add_row("import", f"{seconds:.1f} s, each record durable on disk")
    table.add_row("recall, p50 of the questions", f"{statistics.median(times):.2f} ms")
    table.add_row("store size, files and index", f"{size / 1e6:.1f} MB")
    console.print(table)
    console.print("Where to look next:")
    console.print("  README.md              what membound is, and how to call it")
    console.print("  demo/demo.py           this tour: the calls it makes are all there is to it")
    console.print("  membound --help        the same from the command line")


if __name__ == "__main__":
    main()
