"""Edits of a folder of Markdown files, made by another process one after the other.

``python -m tests.garden_edits FOLDER`` reads lists of edits as JSON, one a line, and answers each
line when all of it is done.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["EDITS", "make"]

Edit = tuple[str, str, str]
"""The name of an edit, and two paths, of which some edits use the first alone."""


def write(path: Path, _: Path) -> None:
    path.write_text("written")


def append(path: Path, _: Path) -> None:
    with path.open("a") as file:
        file.write("more")


def write_in_new_folders(path: Path, _: Path) -> None:
    folder = path.with_suffix("") / "inner"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / path.name).write_text("deep")


def replace(path: Path, _: Path) -> None:
    hidden = path.with_name(".new")
    hidden.write_text("replaced")
    hidden.replace(path)


def write_unseen(path: Path, _: Path) -> None:
    """Other bytes of the same number, and the times as they were."""
    found = path.stat()
    path.write_bytes(bytes(255 - byte for byte in path.read_bytes()))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def touch(path: Path, _: Path) -> None:
    path.touch()


def remove(path: Path, _: Path) -> None:
    path.unlink()


def remove_folder(path: Path, _: Path) -> None:
    shutil.rmtree(path.with_suffix(""))


def make_folder(path: Path, _: Path) -> None:
    path.with_suffix("").mkdir()


def move(path: Path, other: Path) -> None:
    path.replace(other)


def move_folder(path: Path, other: Path) -> None:
    path.with_suffix("").rename(other.with_suffix(""))


def hide_folder(path: Path, _: Path) -> None:
    folder = path.with_suffix("")
    folder.rename(folder.with_name(".hidden"))


def show_folder(path: Path, _: Path) -> None:
    folder = path.with_suffix("")
    folder.with_name(".hidden").rename(folder)


def link(path: Path, other: Path) -> None:
    path.symlink_to(other)


def link_folder(path: Path, other: Path) -> None:
    path.with_suffix("").symlink_to(other.parent)


def change_mode(path: Path, _: Path) -> None:
    path.chmod(0o640)


EDITS: Final[dict[str, Callable[[Path, Path], None]]] = {
    edit.__name__: edit
    for edit in (
        write, append, write_in_new_folders, replace, write_unseen, touch, remove, remove_folder,
        make_folder, move, move_folder, hide_folder, show_folder, link, link_folder, change_mode,
    )
}  # fmt: skip


def make(root: Path, edits: Sequence[Edit]) -> int:
    """Makes edits; gives how many could be made where things were as they were."""
    made = 0
    for name, path, other in edits:
        try:
            EDITS[name](root / path, root / other)
        except OSError:
            continue
        made += 1
    return made


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{make(Path(sys.argv[1]), json.loads(line))}\n")
        sys.stdout.flush()
