"""What happens in other processes: scripts of ours, and programs with a SQLite of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

INDEX = "memory-index.sqlite3"
_RUN = """
import sqlite3, sys
from contextlib import closing
with closing(sqlite3.connect(sys.argv[1])) as index:
    index.executescript(sys.argv[2])
"""
_REPLACE = """
import sqlite3, sys
from contextlib import closing
old, new = map(str.encode, sys.argv[2:])
with closing(sqlite3.connect(sys.argv[1])) as index:
    pages = index.execute("SELECT id, block FROM search_data").fetchall()
    changed = [(block.replace(old, new), id) for id, block in pages if old in block]
    assert changed
    index.executemany("UPDATE search_data SET block = ? WHERE id = ?", changed)
    index.commit()
"""
_SEAL = """
import sys, xxhash
PAGE, SEAL = 4096, 8
with open(sys.argv[1], "r+b") as index:
    for number in range(index.seek(0, 2) // PAGE):
        index.seek(number * PAGE)
        sum = xxhash.xxh3_64_intdigest(index.read(PAGE - SEAL), seed=number)
        index.write(sum.to_bytes(SEAL, "little"))
"""


def sql(folder: Path, script: str) -> None:
    """Run statements on the index of a store; the pages they change are left without checksums."""
    subprocess.run([sys.executable, "-c", _RUN, folder / INDEX, script], check=True)


def sealed_sql(folder: Path, script: str) -> None:
    """Run statements on the index of a closed store, then give every page its checksum."""
    sql(folder, script)
    seal(folder)


def seal(folder: Path) -> None:
    """Give every page of a closed store's index the checksum that it should have."""
    subprocess.run([sys.executable, "-c", _SEAL, folder / INDEX], check=True)


def replace_in_pages_of_words(folder: Path, old: str, new: str) -> None:
    """Turn bits inside the pages of words."""
    subprocess.run([sys.executable, "-c", _REPLACE, folder / INDEX, old, new], check=True)


def python(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a script; its standard input and output are pipes of text."""
    words = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
