"""Notes: what the index remembers of itself, and of the files that it was filled from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from membound.canonical import Quarantined
from membound.errors import IndexDamagedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from membound import _core
    from membound.canonical import CanonicalStore

__all__ = [
    "COMPLETE",
    "DIFFERS",
    "FOLDER",
    "UNSCRUBBED",
    "Note",
    "left_out",
    "quarantined",
    "scrubbed",
    "up_to_date",
    "write_notes",
]

COMPLETE: Final = "complete"
"""The note that every canonical file is in the index; absent while it is being filled."""
FOLDER: Final = "folder"
"""The note of the state of the folder that the index knows."""
DIFFERS: Final = "differs"
"""What is noted of a folder that is to be looked at once more, whatever its state."""
UNSCRUBBED: Final = "unscrubbed"
"""The note that the file may still hold what removed records left in it, "yes" if it may."""
_QUARANTINED: Final = "quarantined"

Note = tuple[str, str]
"""The name of a note, and what it says."""


def write_notes(index: _core.Index, *notes: Note) -> None:
    """Writes notes, and nothing else, in one transaction.

    Raises:
        IndexUnavailableError: the index cannot be written.
    """
    index.apply(records=[], removed=[], settled=[], notes=notes)


def left_out(files: Iterable[Quarantined]) -> Note:
    """Makes the note of the files that were left out, which `quarantined` reads."""
    return _QUARANTINED, str(msgspec.json.encode(list(files)), "utf-8")


def quarantined(index: _core.Index) -> tuple[Quarantined, ...]:
    """Gives the files that were left out when the index was last filled.

    Raises:
        IndexDamagedError: its note of them cannot be read.
        IndexUnavailableError: the index cannot be read.
    """
    try:
        return msgspec.json.decode(index.note(_QUARANTINED) or "[]", type=tuple[Quarantined, ...])
    except msgspec.DecodeError as error:
        reason = "its note of unusable files cannot be read"
        raise IndexDamagedError(reason) from error


def up_to_date(index: _core.Index, canonical: CanonicalStore) -> bool:
    """Tells whether an index is complete and has seen the folder as it is.

    Raises:
        CanonicalFileError: the folder cannot be looked at.
        IndexUnavailableError: the index cannot be read.
    """
    complete, folder, _ = index.state()
    return complete and folder == canonical.identity()


def scrubbed(index: _core.Index) -> bool:
    """Erases what removed records left in the index's file, and notes it; whether all is gone."""
    clean = index.scrub()
    if clean:
        write_notes(index, (UNSCRUBBED, ""))
    return clean
