"""The index tree: folders and notes of ``memory/`` as a drawing, a line each."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Final

from membound.times import moment
from membound.workspace.entry import Entry, one_line, path_order
from membound.workspace.paths import Address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["render"]

_ROOT: Final = "memory"


def render(
    entries: Iterable[Entry],
    comments: Mapping[str, str],
    recent: int,
    *,
    compatible: bool = False,
) -> str:
    """Draws the tree, in the order of the code points of the names in NFC.

    Args:
        entries: those outside of ``memory/`` are left out.
        comments: of the folders that are there, such as ``memory/decisions``; may be empty texts.
        recent: how many notes are marked ``[new]``: those of the latest change, then creation.
        compatible: as peers draw it, without a connector before the first level of folders, and
            with what is equally new in the order of ``entries``.
    """
    notes = [entry for entry in entries if entry.path.startswith(f"{_ROOT}/")]
    ordered = sorted(notes, key=lambda note: path_order(note.path))
    new = _newest(notes if compatible else ordered, recent)
    inside = _inside(ordered, comments)
    lines = [f"{_ROOT}/{_commented(_ROOT, comments)}"]
    ahead = _drawn(inside, _ROOT, "")
    while ahead:
        prefix, last, item = ahead.pop()
        connector = "└── " if last else "├── "
        if not isinstance(item, str):
            lines.append(f"{prefix}{connector}{_note(item)}{' [new]' if item.path in new else ''}")
            continue
        bare = compatible and not prefix
        name = one_line(item.rpartition("/")[2])
        lines.append(f"{prefix}{'' if bare else connector}{name}/{_commented(item, comments)}")
        ahead += _drawn(inside, item, prefix + ("    " if last else "│   "))
    return "\n".join(lines)


_Folders = dict[str, tuple[set[str], list[Entry]]]


def _inside(entries: Iterable[Entry], comments: Mapping[str, str]) -> _Folders:
    """Gives for each folder the folders and the notes that lie directly in it."""
    inside: _Folders = {_ROOT: (set(), [])}
    for folder in comments:
        if folder.startswith(f"{_ROOT}/"):
            _add(inside, folder)
    for entry in entries:
        folder = entry.path.rpartition("/")[0]
        _add(inside, folder)
        inside[folder][1].append(entry)
    return inside


def _add(inside: _Folders, folder: str) -> None:
    """Adds a folder, and those above it that are missing."""
    below: str | None = None
    while True:
        known = folder in inside
        folders, _ = inside.setdefault(folder, (set(), []))
        if below is not None:
            folders.add(below)
        if known:
            return
        below, folder = folder, folder.rpartition("/")[0]


def _drawn(inside: _Folders, folder: str, prefix: str) -> list[tuple[str, bool, str | Entry]]:
    """Gives what a folder holds, last first: the folders in it stand before its notes."""
    folders, entries = inside[folder]
    items: list[str | Entry] = [*sorted(folders, key=path_order), *entries]
    drawn = [(prefix, at == len(items), item) for at, item in enumerate(items, start=1)]
    return drawn[::-1]


def _newest(entries: Sequence[Entry], recent: int) -> set[str]:
    changes = [moment(entry.updated_at) for entry in entries]
    last = min(nlargest(recent, changes), default=None)
    # Few are looked at closely: those that are at least as new as the last one to be marked.
    likely = [
        (changed, moment(entry.created_at), entry.path)
        for entry, changed in zip(entries, changes, strict=True)
        if last is not None and changed >= last
    ]
    likely.sort(key=lambda one: one[:2], reverse=True)  # which leaves equal ones in their order
    return {path for _, _, path in likely[: max(recent, 0)]}


def _note(entry: Entry) -> str:
    tags = ", ".join(map(one_line, entry.tags))
    key = one_line(Address.of(entry.path).key)
    return f"{key} — {one_line(entry.title)}{f' [{tags}]' if entry.tags else ''}"


def _commented(folder: str, comments: Mapping[str, str]) -> str:
    comment = one_line(comments.get(folder, ""))
    return f" — {comment}" if comment else ""
