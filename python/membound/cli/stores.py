"""What is told of the stores that a folder has, had or may have: which they are, with how much."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from membound import _core
from membound.cli.text import note, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from membound.workspace.identity import Candidate
    from membound.workspace.location import Location

__all__ = ["candidate_lines", "note_what_stays"]

_REASONS = {
    "same-project": "of the same repository",
    "moved": "of a folder of this name that is no more",
    "gone": "of a folder that is no more",
}


def candidate_lines(found: Iterable[Candidate], store_root: Path) -> Iterator[str]:
    """Give a line for each store that may be the folder's."""
    for one in found:
        seen = one.identity.paths[-1] if one.identity.paths else "an unknown folder"
        holds = _notes(_count(store_root / one.folder))
        yield printable(f"{one.folder}  {holds}, {_REASONS[one.reason]}, last seen at {seen}")


def note_what_stays(linked: Location) -> None:
    """Tell of notes in the folder's own store, which it has not while another is linked."""
    from membound.workspace.identity import workspace_id  # noqa: PLC0415 — an extra

    places = linked.places
    own = workspace_id(linked.cwd, os.fspath(places.home))
    if own == linked.workspace_id:
        return
    if count := _count(places.store_root / own):
        note(
            f"{_notes(count)} of the folder's own store {own} cannot be seen meanwhile; "
            "membound workspace relink --undo brings it back"
        )


def _count(store: Path) -> int:
    """Count the files of notes in a store, scratch notes too."""
    files, _, _ = _core.walk(store, ("memory", "notes"))
    return len(files)


def _notes(count: int) -> str:
    return "1 note" if count == 1 else f"{count:,} notes"
