"""What `bench` measures: remember, and recall on both paths, over synthetic records."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from membound._core import build_profile
from membound.draft import MemoryDraft
from membound.errors import InternalError
from membound.evaluation import Latency
from membound.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Timing", "bench", "machine"]

_SEED = 20_260_701
_NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
_WORKSPACE = "/bench"
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"
_HAN = "数据库服务器网络时间项目会议决定用户部署测试接口缓存配置日志"
_VOCABULARY = 2_000
_REMEMBERED = 50


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one thing took, measured several times."""

    records: int
    what: str
    path: str
    times: int
    latency: Latency

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape."""
        return {
            "records": self.records,
            "what": self.what,
            "path": self.path,
            "times": self.times,
            "latencyMs": msgspec.to_builtins(self.latency),
        }

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a table's row."""
        numbers = (self.latency.p50, self.latency.p95, self.latency.p99)
        return (
            f"{self.records:,}",
            self.what,
            self.path,
            f"{self.times:,}",
            *(f"{number:.3f}" for number in numbers),
        )


def machine() -> dict[str, str]:
    """Return what the times depend on: the machine and the versions."""
    return {
        "membound": f"{version('membound')}, {build_profile} build",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": str(os.cpu_count()),
    }


def bench(size: int, *, queries: int, report: Callable[[int, int], None]) -> list[Timing]:
    """Fill a temporary store with `size` records and time it; `report` is told what is done."""
    random = Random(f"{_SEED} {size}")  # noqa: S311 — the same data on every run is the point
    contents = _contents(size, random)
    asked = _questions(contents, queries, random)
    total = size + 2 * queries
    with TemporaryDirectory(prefix="membound-bench-") as folder:
        bulk, single = contents[:-_REMEMBERED], contents[-_REMEMBERED:]
        with MemoryStore.open(folder, durability="relaxed") as store:
            drafts = [MemoryDraft(content=text, workspace=_WORKSPACE) for text in bulk]
            store.remember_many(drafts, now=_NOW, progress=lambda done, _: report(done, total))
        with MemoryStore.open(folder) as store:
            store.wait_until_ready(timeout=60)
            timings = [_remembering(store, size, single), _recalling(store, size, asked)]
            report(size + queries, total)
        with MemoryStore.open(folder, index=False) as store:
            timings.append(_recalling(store, size, asked))
            report(total, total)
    return timings


def _remembering(store: MemoryStore, size: int, contents: Iterable[str]) -> Timing:
    """Time single durable writes; they complete the store."""
    took = [
        _seconds(partial(store.remember, text, workspace=_WORKSPACE, now=_NOW)) for text in contents
    ]
    return _timing(size, "remember", "canonical file and index", took)


def _recalling(store: MemoryStore, size: int, questions: list[str]) -> Timing:
    """Time recalls after one that warms the caches; the trace says by which path they went."""
    mode = store.retrieve(questions[0], workspace=_WORKSPACE, now=_NOW).trace.mode
    took = [
        _seconds(partial(store.retrieve, text, workspace=_WORKSPACE, now=_NOW))
        for text in questions
    ]
    return _timing(size, "recall", mode, took)


def _timing(size: int, what: str, path: str, took: list[float]) -> Timing:
    latency = Latency.of(took)
    if latency is None:
        raise InternalError(f"nothing was timed: {what} by {path}")
    return Timing(size, what, path, len(took), latency)


def _seconds(action: Callable[[], object]) -> float:
    began = perf_counter()
    action()
    return perf_counter() - began


def _contents(count: int, random: Random) -> list[str]:
    """Return distinct sentences over a vocabulary in which a few words are common."""
    vocabulary = [_word(random) for _ in range(_VOCABULARY)]
    weights = [1 / rank for rank in range(1, _VOCABULARY + 1)]
    return [
        f"{' '.join(random.choices(vocabulary, weights, k=random.randint(8, 20)))} {number}"
        for number in range(count)
    ]


def _word(random: Random) -> str:
    """Return an invented word; every eighth is Chinese."""
    if random.random() < 1 / 8:
        return "".join(random.choices(_HAN, k=random.randint(2, 4)))
    syllables = random.randint(2, 4)
    return "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(syllables))


def _questions(contents: list[str], count: int, random: Random) -> list[str]:
    """Return questions that each share some words with a record."""
    return [" ".join(random.sample(random.choice(contents).split(), k=6)) for _ in range(count)]
