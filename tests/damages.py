"""Ways to damage an index's files, and a store that another process holds."""

from __future__ import annotations

import os
import shutil
import socket
from typing import TYPE_CHECKING, Any

from membound import MemoryStore
from tests.foreign import INDEX
from tests.golden_store import NOW, WORKSPACE

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 4096
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("deploy helm", {}),
    ("main branch", {"workspace": WORKSPACE}),
    ("Prüfung jede Nacht", {"workspace": WORKSPACE}),
    ("数据库迁移", {"workspace": WORKSPACE}),
    ("テスト毎晩", {"workspace": WORKSPACE}),
    ("회의록 위키", {"workspace": WORKSPACE}),
    ("резервные копии", {"workspace": WORKSPACE}),
    ("kiwi harvest 17", {}),
    ("nothing is called quetzalcoatl", {"workspace": WORKSPACE}),
    ("kiwi", {"tags": ["fruit"]}),
    ("kiwi", {"min_confidence": 0.5, "relevance_mode": "historical-v1"}),
)


def opened(folder: Path, *, index: bool = True) -> MemoryStore:
    return MemoryStore.open(folder, clock=lambda: NOW, durability="relaxed", index=index)


def answers(store: MemoryStore) -> list[object]:
    """All that a store says, apart from how it found it."""
    said: list[object] = []
    for query, options in QUESTIONS:
        result = store.retrieve(query, **options)
        trace = {**result.trace.to_dict(), "mode": None, "indexState": None}
        trace["rankings"] = [{**entry, "channel": None} for entry in trace["rankings"]]
        said.append((query, result.context, [r.to_json() for r in result.records], trace))
    said.append([record.to_json() for record in store.list(include_inactive=True)])
    said.append([record.to_json() for record in store.list_directives(workspace=WORKSPACE).records])
    return said


def turn(folder: Path, at: int, mask: int, name: str = INDEX) -> None:
    """Turn bits of one byte, in place."""
    with (folder / name).open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ mask]))


def overwrite(folder: Path, at: int, data: bytes, name: str = INDEX) -> None:
    with (folder / name).open("r+b") as file:
        file.seek(at)
        file.write(data)


def cut(folder: Path, length: int, name: str = INDEX) -> None:
    os.truncate(folder / name, length)


def append(folder: Path, data: bytes, name: str = INDEX) -> None:
    with (folder / name).open("ab") as file:
        file.write(data)


def swap_pages(folder: Path, one: int, other: int) -> None:
    with (folder / INDEX).open("r+b") as file:
        pages = []
        for number in (one, other):
            file.seek(number * PAGE)
            pages.append(file.read(PAGE))
        for number, page in zip((other, one), pages, strict=True):
            file.seek(number * PAGE)
            file.write(page)


def remove(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


def put(folder: Path, source: Path, name: str = INDEX) -> None:
    """Put a copy of another file in its place, as a restore does."""
    shutil.copyfile(source, folder / "copy")
    (folder / "copy").rename(folder / name)


def write_over(folder: Path, source: Path, name: str = INDEX) -> None:
    """Write another file's bytes into it, as a careless restore does."""
    (folder / name).write_bytes(source.read_bytes())


def become(folder: Path, what: str, name: str = INDEX) -> None:
    """Put something in its place that is no file."""
    path = folder / name
    path.unlink(missing_ok=True)
    match what:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(os.path.relpath(path))
        case "link to nothing":
            path.symlink_to(folder / "nothing")
        case _:
            path.symlink_to(what)


_held: MemoryStore | None = None


def hold(folder: Path) -> list[object]:
    """Open a store in this process, for as long as it is not let go."""
    global _held  # noqa: PLW0603 — a worker process has one
    _held = opened(folder)
    return answers(_held)


def held_answers() -> list[object]:
    assert _held is not None
    return answers(_held)


def let_go() -> None:
    assert _held is not None
    _held.close()
