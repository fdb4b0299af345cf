"""What is wrong with the files of a workspace, and what to do about it; nothing is changed."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, Literal

import msgspec

from membound.errors import CanonicalFileError, InvalidNameError, OutsideWorkspaceError
from membound.faults import reason_of
from membound.text import well_formed
from membound.workspace import comments, identity, index_json
from membound.workspace.note import note_of
from membound.workspace.paths import AREAS, ENDING, Address, folded, folder_name, key_name
from membound.workspace.themes import Themes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from membound.workspace.disk import Root

__all__ = ["Check", "Finding", "Severity", "examine"]

Check = Literal[
    "notes",
    "index.json",
    "links",
    "names",
    "comments",
    "themes",
    "sessions",
    "identity",
    "settings",
]
Severity = Literal["ok", "warning", "problem"]
"""``problem``: something is not read, or not as it was meant; ``warning``: it is to be known."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one check found.

    Attributes:
        check: what was looked at.
        severity: how much it matters.
        what: what is so, in one sentence.
        advice: what to do about it; empty where there is nothing to do.
        details: what it is about, one thing each, all of them.
    """

    check: Check
    severity: Severity
    what: str
    advice: str = ""
    details: tuple[str, ...] = ()


class _Seen(msgspec.Struct, frozen=True):
    """What a walk through the areas met, each in the order of code points."""

    notes: tuple[str, ...]
    folders: tuple[str, ...]
    links: tuple[str, ...]
    closed: tuple[str, ...]


def examine(
    root: Root,
    *,
    sessions: Mapping[str, str | None] | None = None,
    notices: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """Looks at everything a workspace keeps in files.

    Args:
        root: its folder.
        sessions: what is wrong with each session, if so; None where there is no telling which
            sessions there are.
        notices: what of the settings is not used.
    """
    seen = _walked(root)
    return (
        *_notes(root, seen),
        _index(root, seen),
        _links(root, seen),
        *_names(seen),
        _comments(root),
        *_themes(root, seen, sessions),
        _sessions(sessions),
        _identity(root),
        _settings(notices),
    )


def _walked(root: Root) -> _Seen:
    notes: list[str] = []
    folders: list[str] = []
    links: list[str] = []
    closed: list[str] = []
    waiting: list[str] = [area for area in AREAS if (root.folder / area).is_dir()]
    while waiting:
        folder = waiting.pop()
        folders.append(folder)
        try:
            entries = [*os.scandir(root.folder / folder)]
        except OSError as fault:
            closed.append(f"{folder}/: {reason_of(fault)}")
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                links.append(path)
            elif entry.is_dir():
                waiting.append(path)
            elif entry.name.endswith(ENDING):
                notes.append(path)
    return _Seen(
        *(tuple(sorted(paths, key=well_formed)) for paths in (notes, folders, links, closed))
    )


def _notes(root: Root, seen: _Seen) -> Iterator[Finding]:
    total = len(seen.notes)
    faults = tuple(
        f"{well_formed(path)}: {fault}"
        for path, data in zip(seen.notes, root.read_all(seen.notes), strict=True)
        if (fault := _fault(path, data)) is not None
    )
    if seen.closed:
        what = "folders cannot be looked into; what lies in them is not found"
        advice = "give yourself the right to read each"
        yield Finding(
            check="notes", severity="problem", what=what, advice=advice, details=seen.closed
        )
    if not faults:
        yield Finding(check="notes", severity="ok", what=f"{total:,} notes, each can be read")
        return
    what = f"{len(faults):,} of {total:,} notes cannot be read as they were meant"
    advice = "mend each in an editor; until then it is found by its raw text, and never rewritten"
    yield Finding(check="notes", severity="problem", what=what, advice=advice, details=faults)


def _fault(path: str, data: bytes | None) -> str | None:
    return "it cannot be read" if data is None else note_of(Address.of(path), data).fault


def _index(root: Root, seen: _Seen) -> Finding:
    check: Check = "index.json"
    try:
        cache = index_json.read(root.read(index_json.PATH))
    except (CanonicalFileError, OutsideWorkspaceError) as fault:
        advice = "move it away: it is made anew, and no note is lost"
        return Finding(check=check, severity="problem", what=str(fault), advice=advice)
    if cache.state == "missing":
        return Finding(check=check, severity="ok", what="there is none yet; a sync makes it")
    if cache.state == "damaged":
        what = "it cannot be read, or is of an unknown version"
        advice = "`membound workspace sync` makes it anew from the notes, which are what counts"
        return Finding(check=check, severity="problem", what=what, advice=advice)
    wrong = [f"{cache.dropped:,} entries that name no note"] if cache.dropped else []
    if cache.state == "migrated":
        wrong.append("it is of an older version")
    listed, there = set(cache.files), set(map(well_formed, seen.notes))
    wrong += [f"{path}: it is gone, and listed still" for path in sorted(listed - there)]
    wrong += [f"{path}: it is not listed yet" for path in sorted(there - listed)]
    if not wrong:
        return Finding(check=check, severity="ok", what="it lists the notes that there are")
    what = "it is behind the notes, which are read all the same"
    advice = "`membound workspace sync` brings it in line"
    return Finding(check=check, severity="warning", what=what, advice=advice, details=tuple(wrong))


def _links(root: Root, seen: _Seen) -> Finding:
    out = tuple(
        f"{well_formed(path)}: it leads out" for path in seen.links if _leads_out(root, path)
    )
    if out:
        what = "links lead out of the workspace; what they lead to is neither read nor written"
        advice = "put the files themselves in their place, or remove the links"
        return Finding(check="links", severity="problem", what=what, advice=advice, details=out)
    if seen.links:
        what = "links within the workspace; what they lead to is listed where it lies"
        return Finding(check="links", severity="ok", what=what, details=seen.links)
    return Finding(check="links", severity="ok", what="there are none")


def _leads_out(root: Root, path: str) -> bool:
    try:
        root.real(path)
    except OutsideWorkspaceError:
        return True
    return False


def _names(seen: _Seen) -> Iterator[Finding]:
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for path in (*seen.notes, *seen.folders):
        alike[folded(path)].append(well_formed(path))
    colliding = tuple(" and ".join(paths) for paths in alike.values() if len(paths) > 1)
    if colliding:
        what = "names that are one and the same on macOS or Windows"
        advice = "move one of each to another name before the folder is copied there"
        yield Finding(
            check="names", severity="warning", what=what, advice=advice, details=colliding
        )
    strange = tuple(
        f"{well_formed(path)}: {rule}"
        for path in (*seen.folders, *seen.notes)
        if (rule := _broken_rule(path)) is not None
    )
    if strange:
        what = "names that not every system takes; they are read, and not made"
        advice = "move each to a name of letters, digits, spaces, dots, _ and -"
        yield Finding(check="names", severity="warning", what=what, advice=advice, details=strange)
    if not colliding and not strange:
        yield Finding(check="names", severity="ok", what="every system takes them")


def _broken_rule(path: str) -> str | None:
    """Gives the rule for new names that the last name of a path breaks."""
    name = path.rpartition("/")[2]
    try:
        if path.endswith(ENDING):
            key_name(name.removesuffix(ENDING), new=True)
        else:
            folder_name(f"memory/{name}", new=True)
    except InvalidNameError as fault:
        return f"expected {fault.expected}"
    return None


def _comments(root: Root) -> Finding:
    check: Check = "comments"
    try:
        faults = comments.read(root.read(comments.PATH)).faults
    except (CanonicalFileError, OutsideWorkspaceError) as fault:
        faults = (str(fault),)
    if not faults:
        return Finding(check=check, severity="ok", what="they are shown as they are written")
    what = "comments of folders that are not shown"
    advice = f"mend {comments.PATH} in an editor"
    return Finding(check=check, severity="problem", what=what, advice=advice, details=faults)


def _themes(
    root: Root, seen: _Seen, sessions: Mapping[str, str | None] | None
) -> Iterator[Finding]:
    themes = Themes(root)
    unreadable = tuple(map(str, themes.unreadable()))
    if unreadable:
        what = "themes that cannot be read; the others are"
        advice = "mend each in an editor, or remove its file"
        yield Finding(
            check="themes", severity="problem", what=what, advice=advice, details=unreadable
        )
    there = set(seen.notes)
    dangling = [
        f"{theme.theme}: {one.address.path} is not there"
        for theme in themes.readable()
        for one in theme.memories
        if not one.deleted and one.address.path not in there
    ]
    dangling += [
        f"{theme.theme}: turn {one.turn_id} of {one.session_id}, a session that is not there"
        for theme in themes.readable()
        for one in theme.turns
        if sessions is not None and one.session_id not in sessions
    ]
    if dangling:
        what = "references of themes lead nowhere"
        advice = "tag the note where it lies now, or leave them: a trace names what it lacks"
        yield Finding(
            check="themes", severity="warning", what=what, advice=advice, details=tuple(dangling)
        )
    if not unreadable and not dangling:
        total = len(themes.names())
        yield Finding(
            check="themes", severity="ok", what=f"{total:,} themes, all that they name is there"
        )


def _sessions(sessions: Mapping[str, str | None] | None) -> Finding:
    if sessions is None:
        return Finding(check="sessions", severity="ok", what="no session of this folder is known")
    torn = tuple(f"{name}: {wrong}" for name, wrong in sessions.items() if wrong)
    if not torn:
        what = f"{len(sessions):,} sessions, each line can be read"
        return Finding(check="sessions", severity="ok", what=what)
    what = "lines of sessions are left out; the turns around them are there"
    advice = "nothing is to be done: the host tore them as it wrote, and only it may mend them"
    return Finding(check="sessions", severity="warning", what=what, advice=advice, details=torn)


def _identity(root: Root) -> Finding:
    check: Check = "identity"
    data = root.read(identity.PATH)
    if data is not None and identity.read_identity(data) is None:
        what = "it is not known whose memory this is: a folder that was moved cannot be offered it"
        advice = f"mend {identity.PATH} in an editor, or remove it: it is made anew"
        return Finding(check=check, severity="warning", what=what, advice=advice)
    return Finding(check=check, severity="ok", what="it is noted whose memory this is")


def _settings(notices: Sequence[str]) -> Finding:
    if not notices:
        return Finding(check="settings", severity="ok", what="they are used as they are written")
    what = "settings that are not used"
    advice = "mend the file in an editor"
    return Finding(
        check="settings", severity="warning", what=what, advice=advice, details=tuple(notices)
    )
