"""The place of a store: its folder, the file system under it, and who may read and write it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from membound.doctor.finding import Finding, shown
from membound.file_system import network_file_system, space_left
from membound.folders import folds_case, writable
from membound.layout import FOLDERS, MEMORY, is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["check_place", "inside", "wrong_modes"]

_LEAST_BYTES: Final = 64 * 1024 * 1024
_LEAST_FILES: Final = 1_000


def check_place(path: Path) -> Iterator[Finding]:
    """Looks at the data folder as a place."""
    yield from _folder(path)
    yield _file_system(path)
    yield _space(path)
    yield from _permissions(path)


def wrong_modes(path: Path) -> dict[str, tuple[int, int]]:
    """Gives the permissions that are not as they should be, and those that should be, by name.

    A store that its owner has made read-only stays so.
    """
    kept = 0o700 if path.stat().st_mode & stat.S_IWUSR and writable(path) else 0
    found = {}
    for name, status in _ours(path).items():
        mode = stat.S_IMODE(status.st_mode)
        whole = 0o700 if stat.S_ISDIR(status.st_mode) else 0o600
        if mode != (wanted := whole & (kept | mode)):
            found[name] = (mode, wanted)
    return found


def inside(path: Path, name: str) -> list[str]:
    """Lists a folder of the store; nothing where there is none, or only a link to one."""
    return [] if (path / name).is_symlink() else _listed(path / name)


def _ours(path: Path) -> dict[str, os.stat_result]:
    """Gives the folders and files that are ours, by their names in the data folder."""
    names = list(filter(is_ours, _listed(path)))
    names += [f"{name}/{one}" for name in FOLDERS for one in inside(path, name)]
    found = {}
    for name in names:
        with suppress(FileNotFoundError):  # a writer is at work
            status = (path / name).lstat()
            if stat.S_ISREG(status.st_mode) or (stat.S_ISDIR(status.st_mode) and name in FOLDERS):
                found[name] = status
    return found


def _listed(folder: Path) -> list[str]:
    with suppress(FileNotFoundError, NotADirectoryError):
        return sorted(entry.name for entry in folder.iterdir())
    return []


def _folder(path: Path) -> Iterator[Finding]:
    ours = filter(is_ours, _listed(path))
    links = tuple(name for name in ours if (path / name).is_symlink())
    if links:
        yield Finding(
            check="folder",
            severity="problem",
            what=f"a part of the store is a symbolic link: {shown(links)}",
            advice="put the folder or the file itself here; open the store where it really lies",
            names=links,
        )
    memory = path / MEMORY
    if memory.exists() and not memory.is_dir():
        yield Finding(
            check="folder",
            severity="problem",
            what=f"{MEMORY} is no folder, so that no record can be kept",
            advice="move it away",
            names=(MEMORY,),
        )
    elif not writable(path) or (memory.is_dir() and not writable(memory)):
        yield Finding(
            check="folder",
            severity="warning",
            what="this user cannot write here: records can be recalled, listed and exported only",
            advice="let this user write the folder, if it is to remember",
        )
    elif not links:
        yield Finding(check="folder", severity="ok", what="it can be read and written")


def _file_system(path: Path) -> Finding:
    if kind := network_file_system(path):
        return Finding(
            check="file system",
            severity="warning",
            what=f"the folder is on {kind}, whose locks other machines may not see",
            advice="keep the store on a local disk, or let one machine alone use it",
        )
    if any(folds_case(path, name) for name in filter(is_ours, _listed(path))):
        return Finding(
            check="file system",
            severity="warning",
            what="names that differ by case only are one name here",
            advice="choose ids that differ by more than case",
        )
    return Finding(check="file system", severity="ok", what="local, and case counts in names")


def _space(path: Path) -> Finding:
    free, files = space_left(path)
    told = f"{free // 2**20:,} MiB free"
    if free >= _LEAST_BYTES and (files is None or files >= _LEAST_FILES):
        return Finding(check="space", severity="ok", what=told)
    more = "" if files is None else f", room for {files:,} files"
    advice = "free some space: a change that does not fit is refused"
    return Finding(check="space", severity="warning", what=told + more, advice=advice)


def _permissions(path: Path) -> Iterator[Finding]:
    owner = path.stat().st_uid
    mine = os.geteuid() in {0, owner}
    if at_fault := wrong_modes(path):
        name, (mode, wanted) = next(iter(at_fault.items()))
        more = f", and {len(at_fault) - 1:,} more" if len(at_fault) > 1 else ""
        yield Finding(
            check="permissions",
            severity="problem",
            what=f"{name} is {mode:04o}, not {wanted:04o}{more}",
            advice="--fix sets them; if they come back, the file system does not keep them"
            if mine
            else "let the owner of the folder set them",
            names=tuple(at_fault),
            fixable=mine,
        )
    strange = tuple(name for name, status in _ours(path).items() if status.st_uid != owner)
    if strange:
        yield Finding(
            check="permissions",
            severity="problem",
            what=f"of another owner than the data folder: {shown(strange)}",
            advice="give them to the folder's owner, with chown",
            names=strange,
        )
    if path.stat().st_mode & 0o022:
        yield Finding(
            check="permissions",
            severity="warning",
            what="other users may write the data folder, and so replace what is in it",
            advice="take that right from them: chmod go-w",
        )
    elif not at_fault and not strange:
        what = "for the owner alone"
        yield Finding(check="permissions", severity="ok", what=what)
