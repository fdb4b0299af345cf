"""The catalogue: what lies in the garden now, and that the search index holds just that."""

from __future__ import annotations

from bisect import bisect_left, insort
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from membound import _core
from membound.times import after, instant, timestamp
from membound.workspace.disk import Stamp
from membound.workspace.entry import Entry
from membound.workspace.follower import Follower, decoded
from membound.workspace.note import note_of
from membound.workspace.paths import AREAS, ENDING, Address
from membound.workspace.records import note_records, part_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from membound.workspace.disk import Root
    from membound.workspace.search_index import SearchIndex
    from membound.writer import Writer

__all__ = ["Catalogue", "Known"]

_AT_ONCE: Final = 250
_NOTE: Final = "file:"
_SLACK: Final = timedelta(seconds=2)


class Known(msgspec.Struct, frozen=True, array_like=True):
    """What was read of a file.

    Attributes:
        stamp: what the file looked like then.
        digest: of its bytes, SHA-256 in hex; None where it could not be read.
        entry: what lists show.
        parts: how many records it has.
        fault: why it was not read as it was meant, if so.
        moment: when it was last changed, by what it says, or by its file where that is younger.
    """

    stamp: Stamp
    digest: str | None
    entry: Entry
    parts: int
    fault: str | None
    moment: str


_DECODER: Final = msgspec.json.Decoder(Known)


class Catalogue(Follower):
    """The notes of a workspace, as they lie on disk at the moment of asking.

    Every look compares each file's stamp with the one that was known, or where the system tells
    what changed, asks that. Changed files are read under the right to write, so that no older
    state of a file follows a newer one into the search index.

    Args:
        root: the folder of the workspace.
        index: where each note's records go.
        writer: the right to write.
        workspace: the id of the workspace.
    """

    def __init__(self, root: Root, index: SearchIndex, writer: Writer, *, workspace: str) -> None:
        super().__init__(index, writer, workspace=workspace)
        self._root = root
        self._watch: _core.Watch | None = None
        self._generation = 0
        self._known: dict[str, Known] = {}
        self._paths: list[str] = []
        self._changed: set[str] | None = None
        self._folders: tuple[str, ...] = ()
        self._left_out = 0

    @property
    def known(self) -> Mapping[str, Known]:
        """Every note by its path, as it was at the last look."""
        return self._known

    @property
    def paths(self) -> Sequence[str]:
        """The paths of all notes, in the order of code points, as they were at the last look."""
        return self._paths

    def entries(self) -> list[Entry]:
        """Gives what lists show of every note, in the order of their paths' code points."""
        return [self._known[path].entry for path in self._paths]

    @property
    def folders(self) -> Sequence[str]:
        """Every folder, in the order of code points, as it was at the last look."""
        return self._folders

    @property
    def left_out(self) -> int:
        """How many files and folders cannot be looked at, or have names that are no text."""
        return self._left_out

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A block in which no other thread looks or takes."""
        with self._guard:
            yield

    def take(self, paths: Iterable[str]) -> None:
        """Reads some notes anew that were just written, moved or removed; the caller may write."""
        with self._guard:
            stamps = {path: self._root.stamp(path) for path in paths}
            found = {path: stamp for path, stamp in stamps.items() if stamp is not None}
            self._load()
            self._take_noted(stamps.keys())
            self._apply(found, self._difference(found, stamps.keys())[1], None)
            self._folders = tuple(sorted({*self._folders, *_folders_above(found)}))

    def _look(self, progress: Callable[[int, int], None] | None) -> None:
        try:
            self._follow(progress)
        except BaseException:
            self._watch = None  # what it told was not taken: the next look goes over all files
            raise

    def _follow(self, progress: Callable[[int, int], None] | None) -> None:
        is_fresh = self._load()
        touched = None if self._watch is None else self._watch.changed()
        if touched is not None and not touched:
            return
        if touched is None or not all(path.endswith(ENDING) for path in touched):
            found, touched = self._walk(), None
        else:
            stamps = {path: self._root.stamp(path) for path in touched}
            found = {path: stamp for path, stamp in stamps.items() if stamp is not None}
        if not is_fresh:
            self._take_noted(touched)
        if any(self._difference(found, touched)):
            with self._taking():
                self._take_noted(touched)
                changed, gone = self._difference(found, touched)
                self._apply(changed, gone, progress)

    def _difference(
        self, found: dict[str, Stamp], touched: Collection[str] | None
    ) -> tuple[dict[str, Stamp], list[str]]:
        """Gives which files that were found are others now, and which notes have none."""
        changed = {
            path: stamp
            for path, stamp in found.items()
            if (known := self._known.get(path)) is None or known.stamp != stamp
        }
        among = self._known if touched is None else self._known.keys() & touched
        return changed, sorted(path for path in among if path not in found)

    def _load(self) -> bool:
        """Takes what is noted, where the index is not the one that was known, and says so."""
        self._index.open()
        if self._generation == self._index.generation:
            return False
        self._watch = None
        self._known = self._noted(None)
        self._paths, self._changed = sorted(self._known), None
        self._generation = self._index.generation
        return True

    def _take_noted(self, paths: Collection[str] | None) -> None:
        """Takes what another process may have noted of some files, or of all."""
        noted = self._noted(paths)
        asked = self._known.keys() | noted.keys() if paths is None else paths
        changed = {path for path in asked if noted.get(path) != self._known.get(path)}
        if changed:
            known = {path: one for path, one in self._known.items() if path not in changed}
            known |= {path: noted[path] for path in changed & noted.keys()}
            self._take_over(known, changed)

    def _noted(self, paths: Collection[str] | None) -> dict[str, Known]:
        """Reads what the index holds of some files, or of all."""
        if paths is None or len(paths) > _AT_ONCE:
            notes = self._index.notes(_NOTE)
        else:
            found = {path: self._index.notes(_NOTE + path).get("") for path in paths}
            notes = {path: value for path, value in found.items() if value is not None}
        return {path: decoded(_DECODER, value) for path, value in notes.items()}

    def _walk(self) -> dict[str, Stamp]:
        """Looks at every file; what changes from now on is told by the system, where it can."""
        self._watch = _core.Watch.start(self._root.folder, AREAS)
        files, folders, self._left_out = _core.walk(self._root.folder, AREAS)
        self._folders = tuple(folders)
        return {
            path: (size, changed, number, inode) for path, size, changed, number, inode in files
        }

    def _apply(
        self,
        changed: Mapping[str, Stamp],
        gone: Collection[str],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        """Reads the changed files, and forgets those that are gone."""
        known = dict(self._known)
        self._forget(gone, known)
        paths = sorted(changed)
        for start in range(0, len(paths), _AT_ONCE):
            some = paths[start : start + _AT_ONCE]
            self._read({path: changed[path] for path in some}, known)
            if progress is not None:
                progress(start + len(some), len(paths))
        self._take_over(known, [*changed, *gone])

    def take_changed(self) -> dict[str, Entry | None] | None:
        """Gives the notes that came, changed or went since this was last asked; None for all."""
        with self._guard:
            changed, self._changed = self._changed, set()
            if changed is None:
                return None
            return {
                path: self._known[path].entry if path in self._known else None
                for path in sorted(changed)
            }

    def _take_over(self, known: dict[str, Known], changed: Iterable[str]) -> None:
        """Takes what is known now for what was, of which these paths have changed."""
        for path in changed:
            if path in known and path not in self._known:
                insort(self._paths, path)
            elif path in self._known and path not in known:
                del self._paths[bisect_left(self._paths, path)]
            if self._changed is not None:
                self._changed.add(path)
        self._known = known

    def _forget(self, paths: Collection[str], known: dict[str, Known]) -> None:
        if paths:
            removed = [id for path in paths for id in _ids(path, known.pop(path).parts)]
            notes = {f"{_NOTE}{path}": None for path in paths}
            self._index.apply(records=[], removed=removed, notes=notes)

    def _read(self, stamps: Mapping[str, Stamp], known: dict[str, Known]) -> None:
        records: list[bytes] = []
        removed: list[str] = []
        notes: dict[str, str | None] = {}
        for (path, stamp), data in zip(stamps.items(), self._root.read_all([*stamps]), strict=True):
            former = known.get(path)
            now, made = self._reading(path, stamp, data, former)
            records += made
            removed += _ids(path, former.parts, now.parts) if former is not None else []
            known[path] = now
            # What could not be read is noted as unknown: it may be read at the next going over.
            noted = None if data is None else msgspec.json.encode(now).decode()
            notes[f"{_NOTE}{path}"] = noted
        self._index.apply(records=records, removed=removed, notes=notes)

    def _reading(
        self, path: str, stamp: Stamp, data: bytes | None, former: Known | None
    ) -> tuple[Known, list[bytes]]:
        """Gives what is known of a file now, and its records where they are others."""
        digest = None if data is None else sha256(data).hexdigest()
        if former is not None and digest is not None and digest == former.digest:
            moment = _moment(former.entry.updated_at, stamp)
            if moment == former.moment:
                return msgspec.structs.replace(former, stamp=stamp), []
        note = note_of(Address.of(path), b"" if data is None else data)
        entry = Entry(
            path=path,
            title=note.title,
            tags=note.tags,
            created_at=note.created_at,
            updated_at=note.updated_at,
            size=stamp[0],
        )
        fault = "it cannot be read" if data is None else note.fault
        known = Known(stamp, digest, entry, 0, fault, _moment(note.updated_at, stamp))
        if data is None:
            return known, []
        made = note_records(note, known.moment, workspace=self._workspace)
        return msgspec.structs.replace(known, parts=len(made)), made


def _moment(told: str | None, stamp: Stamp) -> str:
    changed = after(stamp[1])
    moment = instant(told) if told else None
    return timestamp(changed if moment is None or changed - moment > _SLACK else moment)


def _folders_above(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder:
            yield folder
            folder = folder.rpartition("/")[0]


def _ids(path: str, parts: int, least: int = 0) -> list[str]:
    return part_ids("note", path, range(least, parts))
