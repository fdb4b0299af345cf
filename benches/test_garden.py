"""A garden of Markdown files: a walk of all, what the watch takes to tell, a note of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from membound import _core

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

AREAS = ["memory", "notes"]


@pytest.fixture(scope="module", name="garden")
def grown_garden(timed: bool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many folders as files in each: 100, or 5 where nothing is timed."""
    root = tmp_path_factory.mktemp("garden")
    side = 100 if timed else 5
    for folder in range(side):
        path = root / "memory" / f"folder-{folder}"
        path.mkdir(parents=True)
        for number in range(side):
            (path / f"note-{number}.md").write_text("kiwi")
    return root


def watch_of(garden: Path) -> _core.Watch:
    watch = _core.Watch.start(garden, AREAS)
    assert watch is not None
    return watch


def test_walk(benchmark: BenchmarkFixture, garden: Path) -> None:
    files, folders, _ = benchmark(_core.walk, garden, AREAS)
    assert len(files) == (len(folders) - 1) ** 2


def test_start_of_a_watch(benchmark: BenchmarkFixture, garden: Path) -> None:
    assert benchmark(watch_of, garden).changed() == []


def test_nothing_changed(benchmark: BenchmarkFixture, garden: Path) -> None:
    assert benchmark(watch_of(garden).changed) == []


def test_one_file_changed(benchmark: BenchmarkFixture, garden: Path) -> None:
    watch = watch_of(garden)

    def change() -> None:
        (garden / "memory/folder-0/note-0.md").write_text("walnut")

    told = benchmark.pedantic(watch.changed, setup=change, rounds=100)
    assert told == ["memory/folder-0/note-0.md"]


def test_notes_of_every_file(benchmark: BenchmarkFixture, garden: Path, tmp_path: Path) -> None:
    files, _, _ = _core.walk(garden, AREAS)
    index = _core.Index.open(tmp_path / "index.sqlite3", False, "v2")
    notes = [(f"file:{file[0]}", "x" * 200) for file in files]
    index.apply(records=[], removed=[], settled=[], notes=notes)
    assert benchmark(index.notes, "file:") == sorted(notes)
