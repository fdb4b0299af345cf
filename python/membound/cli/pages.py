"""Files that `export` writes: JSON lines, or a folder with a Markdown page per record."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from membound.cli.markdown import page
from membound.errors import InvalidInputError
from membound.file_names import ENDING, file_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from membound.records import MemoryRecord

__all__ = ["write_lines", "write_pages"]


def write_lines(path: Path, records: Iterable[MemoryRecord], report: Callable[[int], None]) -> int:
    """Write one canonical record per line; the file appears whole or not at all."""
    written = 0
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("xb") as file:
            for written, record in enumerate(records, 1):
                file.write(msgspec.json.encode(record.to_dict()) + b"\n")
                report(written)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return written


def write_pages(
    folder: Path, records: Iterable[MemoryRecord], report: Callable[[int], None]
) -> int:
    """Write a page per record that is not forgotten into a folder that holds nothing yet."""
    if folder.suffix and not folder.is_dir():
        raise InvalidInputError("PATH", "a .jsonl file, a folder, or -", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise InvalidInputError("PATH", "a new or empty folder", f"{folder}, which holds files")
    written = 0
    for done, record in enumerate(records, 1):
        report(done)
        if not record.deleted_at:
            name = file_name(record.id).removesuffix(ENDING) + ".md"
            with (folder / name).open("xb") as file:
                file.write(page(record).encode())
            written += 1
    return written
