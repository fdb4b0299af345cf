"""Benches are timed on a release build only, and run once, untimed, on any other."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from statistics import quantiles
from typing import TYPE_CHECKING, Any

import pytest

from benches.corpus import texts
from membound import MemoryDraft, MemoryStore
from membound._core import build_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

    Timing = Callable[..., None]

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
WORKSPACE = "/bench"


def pytest_configure(config: pytest.Config) -> None:
    timed = config.getoption("benchmark_enable") and not config.getoption("benchmark_disable")
    if timed and build_profile != "release":
        raise pytest.UsageError("timings need a release build: run `make bench`")


def pytest_benchmark_update_machine_info(config: pytest.Config, machine_info: Any) -> None:  # noqa: ANN401, ARG001 — the hook's own signature
    machine_info["membound"] = build_profile
    machine_info["python_build"] = platform.python_version()


def drafts(count: int) -> list[MemoryDraft]:
    return [MemoryDraft(text, workspace=WORKSPACE) for text in texts(count)]


@pytest.fixture(scope="session")
def timed(pytestconfig: pytest.Config) -> bool:
    """Whether benches are timed; untimed ones take small stores."""
    return bool(pytestconfig.getoption("benchmark_enable"))


@pytest.fixture(scope="module", params=[1_000, 10_000], ids=["1000", "10000"])
def filled(
    request: pytest.FixtureRequest, timed: bool, tmp_path_factory: pytest.TempPathFactory
) -> tuple[int, Path]:
    """A folder with a filled store, and how many records it holds."""
    count: int = request.param if timed else request.param // 50
    folder = tmp_path_factory.mktemp(f"bench-{count}-")
    with MemoryStore.open(folder, durability="relaxed") as store:
        store.remember_many(drafts(count), now=NOW)
    return count, folder


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[MemoryStore]:
    """A new store that syncs every change."""
    with MemoryStore.open(tmp_path / "store") as store:
        yield store


@pytest.fixture
def timing(
    benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str], *, timed: bool
) -> Iterator[Timing]:
    """Times single calls, and tells their percentiles, which pytest-benchmark does not."""

    def times(
        call: Callable[..., object], rounds: int, setup: Callable[[], object] | None = None
    ) -> None:
        benchmark.pedantic(call, setup=setup, rounds=rounds if timed else 1)

    yield times
    if benchmark.stats is not None and timed:
        taken = [1e3 * seconds for seconds in benchmark.stats.stats.data]
        points = quantiles(taken, n=100, method="inclusive")
        told = " / ".join(f"{float(f'{points[at - 1]:.3g}'):g}" for at in (50, 95, 99))
        benchmark.extra_info["p50 / p95 / p99"] = f"{told} ms"
        with capsys.disabled():
            print(f"\n{benchmark.name}: p50 / p95 / p99 {told} ms")  # noqa: T201 — pytest-benchmark shows no such thing
