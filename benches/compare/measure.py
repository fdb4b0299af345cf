"""A comparison: each engine built and opened by itself, then all asked in interleaved rounds."""

from __future__ import annotations

import os
import platform
from functools import partial
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from benches.compare.apart import apart
from benches.compare.corpus import SEED
from benches.compare.engines import engines
from benches.compare.engines.fts5 import sqlite_version
from membound._core import build_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benches.compare.engines.engine import Engine

_IN_A_ROW = 20
_PEERS = ("bm25s", "numpy", "rank-bm25", "tantivy")


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """How long questions took, in seconds.

    Attributes:
        asked: how many were answered before the time for them was used up.
        p50: the median.
        p95: within which 95 % were answered.
        p99: within which 99 % were.
    """

    asked: int
    p50: float
    p95: float
    p99: float


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One engine over one corpus; times are in seconds, sizes in bytes.

    Attributes:
        engine: its name.
        build: the time of its build; an engine that shares another's build has that one's.
        disk: what each part of it takes on disk.
        open: the time from opening to the first answer, in a new process, imports apart.
        resident: by how much that process grew.
        alternating: its latency where each engine answers one question before the next.
        in_a_row: its latency where each answers several in a row.
        recall: the part of the true top that it gave; absent where no question has one.
        exact: whether its answers were checked to be the true top, in order.
    """

    engine: str
    build: float
    disk: dict[str, int]
    open: float
    resident: int
    alternating: Latency
    in_a_row: Latency
    recall: float | None
    exact: bool


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """All engines over one corpus, ours first, and who was left out for its size."""

    records: int
    questions: int
    engines: tuple[Measured, ...]
    left_out: tuple[str, ...]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What was run where, and what came of it."""

    command: str
    machine: dict[str, str]
    versions: dict[str, str]
    missing: tuple[str, ...]
    seed: int
    about: dict[str, str]
    sizes: tuple[Compared, ...]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What to compare.

    Attributes:
        sizes: the corpora, by their number of records.
        questions: how many are asked of each engine.
        seconds: how long an engine answers at each size before it rests.
        only: parts of names: the engines to take; empty takes all.
    """

    sizes: tuple[int, ...]
    questions: int = 200
    seconds: float = 60.0
    only: tuple[str, ...] = ()


def compare(options: Options, command: str, folder: Path, told: Callable[[str], None]) -> Run:
    """Run a comparison in an empty folder; ``told`` hears what is being done."""
    found, missing = engines()
    taken = [one for one in found if not options.only or any(n in one.name for n in options.only)]
    compared = []
    for records in options.sizes:
        place = folder / str(records)
        place.mkdir()
        compared.append(_compared(records, taken, options, place, told))
    return Run(
        command=command,
        machine=_machine(),
        versions=_versions(),
        missing=tuple(missing),
        seed=SEED,
        about={one.name: one.about for one in taken},
        sizes=tuple(compared),
    )


def _compared(
    records: int,
    taken: Sequence[Engine[Any]],
    options: Options,
    folder: Path,
    told: Callable[[str], None],
) -> Compared:
    fitting = [one for one in taken if records <= one.most]
    if not fitting:
        raise SystemExit(f"none of the engines takes {records:,} records")
    names = [one.name for one in fitting]
    run = partial(
        apart,
        records=records,
        seed=SEED,
        folder=str(folder),
        questions=options.questions,
        seconds=options.seconds,
        in_a_row=1,
    )
    built: dict[str, dict[str, Any]] = {}
    alone: dict[str, dict[str, Any]] = {}
    for one in fitting:
        told(f"{records:,} records: {one.name}")
        if one.folder not in built:
            built[one.folder] = run(task="build", names=[one.name])
        alone[one.name] = built[one.folder] | run(task="open", names=[one.name])
    told(f"{records:,} records: all in turn")
    alternating = run(task="rounds", names=names)
    in_a_row = run(task="rounds", names=names, in_a_row=_IN_A_ROW)
    truth = _truth([one.name for one in fitting if one.exact], [alternating, in_a_row])
    return Compared(
        records=records,
        questions=options.questions,
        engines=tuple(
            _measured(one, alone[one.name], alternating[one.name], in_a_row[one.name], truth)
            for one in fitting
        ),
        left_out=tuple(one.name for one in taken if one not in fitting),
    )


def _measured(
    one: Engine[Any],
    alone: dict[str, Any],
    alternating: dict[str, Any],
    in_a_row: dict[str, Any],
    truth: list[list[int]],
) -> Measured:
    return Measured(
        engine=one.name,
        build=alone["build"],
        disk=alone["disk"],
        open=alone["open"],
        resident=alone["resident"],
        alternating=_latency(alternating["seconds"]),
        in_a_row=_latency(in_a_row["seconds"]),
        recall=_recall(alternating["rows"], truth),
        exact=one.exact,
    )


def _truth(exact: Sequence[str], rounds: Sequence[dict[str, Any]]) -> list[list[int]]:
    """The answers of the exact engines, which must not differ where they answered the same."""
    given = [(name, asked[name]["rows"]) for name in exact for asked in rounds]
    longest: list[list[int]] = max((rows for _, rows in given), key=len, default=[])
    for name, rows in given:
        for number, (one, true) in enumerate(zip(rows, longest, strict=False)):
            if one != true:
                raise SystemExit(f"{name} gave {one} to question {number}, others {true}")
    return longest


def _recall(rows: list[list[int]], truth: list[list[int]]) -> float | None:
    """The part of the true top that is among the answers."""
    pairs = list(zip(rows, truth, strict=False))
    wanted = sum(len(true) for _, true in pairs)
    return sum(len(set(one) & set(true)) for one, true in pairs) / wanted if wanted else None


def _latency(seconds: list[float]) -> Latency:
    times = sorted(seconds)

    def within(part: float) -> float:
        return times[min(len(times) - 1, int(len(times) * part))]

    return Latency(asked=len(times), p50=within(0.5), p95=within(0.95), p99=within(0.99))


def _machine() -> dict[str, str]:
    """What the system tells of itself; nothing that names its owner."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _versions() -> dict[str, str]:
    installed = {one.name: one.version for one in distributions()}
    return {
        "membound": f"{installed['membound']} ({build_profile})",
        "Python": platform.python_version(),
        "SQLite of the FTS5 engines": sqlite_version,
        **{name: installed[name] for name in _PEERS if name in installed},
    }
