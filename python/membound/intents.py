"""Intents: what is noted in the index before files change, and settled after they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound.canonical import Quarantined
from membound.errors import CanonicalFileError, IndexDamagedError, InvalidInputError
from membound.file_names import file_name
from membound.log import logger
from membound.notes import (
    COMPLETE,
    DIFFERS,
    FOLDER,
    UNSCRUBBED,
    left_out,
    quarantined,
    scrubbed,
    write_notes,
)
from membound.threads import in_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from membound import _core
    from membound.canonical import CanonicalStore
    from membound.notes import Note

__all__ = ["announce", "follow", "settle"]


def announce(
    index: _core.Index,
    canonical: CanonicalStore,
    ids: list[str],
    recover: Callable[[_core.Index], None],
) -> bool:
    """Notes the records whose files are about to change; whether the index knows the folder.

    The caller holds the right to write, here and in the other functions.

    Args:
        index: the index.
        canonical: the files.
        ids: of the records.
        recover: brings in line what a writer has left that died.

    Raises:
        IndexUnavailableError: the index cannot be written, here and in the other functions.
    """
    _, folder, changing = index.state()
    if changing:
        recover(index)
        _, folder, _ = index.state()
    known = folder == canonical.identity()
    index.intend(ids)
    return known


def follow(
    index: _core.Index,
    canonical: CanonicalStore,
    texts: Mapping[str, bytes],
    removed: Sequence[str],
    *,
    known: bool,
    absent: Sequence[str] = (),
) -> bool:
    """Writes rows whose files have changed, and settles their intents, in one transaction.

    Args:
        index: the index.
        canonical: the files.
        texts: the canonical JSON that they now hold, by id.
        removed: ids whose files are gone.
        known: whether the folder was as the index knew it before the change; if it was not, its
            new state is not noted either, so that what came from outside is looked for.
        absent: ids that have neither file nor row.

    Returns:
        Whether the index is in line with all files, or is being filled anyway.
    """
    notes = _removal_notes(index, removed) if removed else []
    index.apply(
        records=list(texts.values()),
        removed=list(removed),
        settled=[*texts, *removed, *absent],
        notes=[*notes, (FOLDER, canonical.identity())] if known else notes,
    )
    return known or index.note(COMPLETE) is None


def _removal_notes(index: _core.Index, removed: Sequence[str]) -> list[Note]:
    """Gives the notes that go with a removal: a reason why a file was left out may quote it."""
    names = set(map(file_name, removed))
    others = (one for one in quarantined(index) if one.file not in names)
    return [(UNSCRUBBED, "yes"), left_out(others)]


def _known(index: _core.Index, ids: list[str]) -> list[str]:
    """Gives the ids of which the index says something."""
    unusable = {one.file for one in quarantined(index)}
    rows = zip(ids, index.records(ids), strict=True)
    return [id for id, row in rows if row is not None or file_name(id) in unusable]


def settle(index: _core.Index, canonical: CanonicalStore, *, known: bool = False) -> bool:
    """Brings in line the records that a writer was about to change when it died, or failed.

    Args:
        index: the index.
        canonical: the files.
        known: as in `follow`.

    Returns:
        As `follow`.
    """
    ids = index.intents()
    if not ids:
        return True
    # Where it died before it touched the folder, nothing else has changed there either.
    known = known or index.note(FOLDER) == canonical.identity()
    try:
        _sweep(canonical, ids)
        found = {id: canonical.record(file_name(id)) for id in in_turns(ids)}
    except InvalidInputError as error:
        reason = f"an intent names no record: {error}"
        raise IndexDamagedError(reason) from error
    texts = {
        id: one.to_json() for id, one in found.items() if not isinstance(one, Quarantined | None)
    }
    others = [id for id in ids if id not in texts]
    removed = _known(index, others)
    absent = [id for id in others if id not in removed]
    if any(isinstance(one, Quarantined) for one in found.values()):
        # What cannot be used, if only for now, is to be named and looked at again.
        write_notes(index, (FOLDER, DIFFERS))
        known = False
    in_line = follow(index, canonical, texts, removed, known=known, absent=absent)
    if removed:
        scrubbed(index)
    return in_line


def _sweep(canonical: CanonicalStore, ids: Sequence[str]) -> None:
    """Removes what a dead writer left beside the records; that it cannot be done stops nobody."""
    try:
        canonical.sweep(ids)
        if canonical.aside is not None:
            # What was set aside for a deletion that did not come to pass, or was taken back.
            found = map(canonical.find, ids)
            canonical.aside.delete([one.id for one in found if one and not one.deleted_at])
    except CanonicalFileError as error:
        logger().warning("files that nobody needs stay: %s", error)
