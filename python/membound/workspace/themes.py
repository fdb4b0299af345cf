"""The themes of a workspace: a file each, found by name, that follow the notes they refer to."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

from membound.canonical_json import compact
from membound.errors import CanonicalFileError, InvalidRecordError, ThemeNotFoundError
from membound.faults import reason_of
from membound.schema import parsed
from membound.strict_json import json_object
from membound.text import well_formed
from membound.times import timestamp
from membound.workspace.entry import path_order
from membound.workspace.paths import composed, folded, title_of
from membound.workspace.theme import Theme
from membound.workspace.theme_name import (
    FOLDER,
    checked_name,
    stems,
    theme_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from membound.workspace.disk import Root
    from membound.workspace.paths import Address
    from membound.workspace.theme import MemoryReference, TurnReference

__all__ = ["Themes"]

_ENDING: Final = ".json"
_LIKELY: Final = 3
"""How many of the names that a theme's file may have are looked at first."""


class Themes:
    """The themes of a workspace. To change one, the right to write must be held.

    A theme is found by the name that it was first given, and by that of its file. What cannot be
    read of one theme hides no other.
    """

    def __init__(self, root: Root) -> None:
        self._root = root

    def names(self) -> tuple[str, ...]:
        """Gives the names of all files of themes, in order; of those too that cannot be read."""
        try:
            with os.scandir(self._root.real(FOLDER)) as found:
                names = [one.name for one in found if one.is_file(follow_symlinks=False)]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as fault:
            raise CanonicalFileError(FOLDER, "read", reason_of(fault)) from fault
        shown = (name for name in names if name.endswith(_ENDING) and not name.startswith("."))
        sound = (name.removesuffix(_ENDING) for name in shown if name == well_formed(name))
        return tuple(sorted(sound, key=path_order))

    def read(self, name: object) -> Theme | None:
        """Reads a theme; None where there is none of the name.

        Raises:
            InvalidNameError: it is no name.
            CanonicalFileError: its file cannot be read, or is none of a theme.
        """
        wanted = checked_name(name)
        stem = self._stem(wanted)
        return None if stem is None else self._load(stem)

    def readable(self) -> Iterator[Theme]:
        """Gives all themes that can be read."""
        for stem in self.names():
            try:
                yield self._load(stem)
            except CanonicalFileError:  # of which `unreadable` tells
                continue

    def unreadable(self) -> tuple[CanonicalFileError, ...]:
        """Tells of each theme that cannot be read."""
        faults: list[CanonicalFileError] = []
        for stem in self.names():
            try:
                self._load(stem)
            except CanonicalFileError as fault:
                faults.append(fault)
        return tuple(faults)

    def tag_turn(self, name: object, turn: TurnReference, now: datetime) -> Theme:
        """Adds a turn to a theme, which is made where there is none; one that is there is renewed.

        Raises:
            InvalidNameError, CanonicalFileError: as for `read`, or the file is not written.
        """
        former = self._theme(name, now)
        place = (turn.session_id, turn.turn_id)
        turns = {(t.session_id, t.turn_id): t for t in former.turns}
        if (known := turns.get(place)) is not None:
            when = turn.timestamp or known.timestamp
            turn = msgspec.structs.replace(turn, timestamp=when, loose=known.loose)
        return self._tagged(former, now, turns=tuple({**turns, place: turn}.values()))

    def tag_memory(
        self,
        name: object,
        memory: MemoryReference,
        now: datetime,
        *,
        title: str | None = None,
    ) -> Theme:
        """Adds a note to a theme, as `tag_turn` does a turn.

        Args:
            name: of the theme.
            memory: its title is taken where the theme has none of the note yet.
            now: when it is tagged.
            title: what the note is called in this theme, whatever it was called before.

        Raises:
            InvalidNameError, CanonicalFileError: as for `tag_turn`.
        """
        former = self._theme(name, now)
        known = next((m for m in former.memories if m.address == memory.address), None)
        called = title or (known.title if known else None) or memory.title
        memory = msgspec.structs.replace(memory, title=called or title_of(memory.key))
        if known is None:
            return self._tagged(former, now, memories=(*former.memories, memory))
        when = memory.timestamp or known.timestamp
        memory = msgspec.structs.replace(memory, timestamp=when, loose=known.loose)
        kept = tuple(memory if m.address == memory.address else m for m in former.memories)
        return self._tagged(former, now, memories=kept)

    def follow_move(self, old: Address, new: Address) -> tuple[str, ...]:
        """Lets references to a note lead to where it was moved; gives the themes that had some."""

        def moved(memory: MemoryReference) -> MemoryReference:
            if memory.address != old:
                return memory
            return msgspec.structs.replace(memory, key=new.key, folder=new.folder, deleted=None)

        return self._each(moved)

    def mark_deleted(self, address: Address, *, deleted: bool = True) -> tuple[str, ...]:
        """Marks references to a note that is gone, or is there again; gives the themes that had."""

        def marked(memory: MemoryReference) -> MemoryReference:
            if memory.address != address or bool(memory.deleted) is deleted:
                return memory
            return msgspec.structs.replace(memory, deleted=True if deleted else None)

        return self._each(marked)

    def remove(self, name: object) -> None:
        """Removes a theme, even one that cannot be read; what it refers to stays.

        Raises:
            InvalidNameError: it is no name.
            ThemeNotFoundError: there is none of the name.
            CanonicalFileError: it is there still.
        """
        wanted = checked_name(name)
        stem = self._stem(wanted)
        if stem is None or not self._root.remove(theme_path(stem)):
            raise ThemeNotFoundError(wanted)

    def _each(self, change: Callable[[MemoryReference], MemoryReference]) -> tuple[str, ...]:
        """Changes the references of all themes that can be read; two to one place become one."""
        changed: list[str] = []
        for theme in self.readable():
            memories: dict[Address, MemoryReference] = {}
            for memory in map(change, theme.memories):
                memories.setdefault(memory.address, memory)
            if (kept := tuple(memories.values())) != theme.memories:
                self._write(msgspec.structs.replace(theme, memories=kept))
                changed.append(theme.theme)
        return tuple(changed)

    def _theme(self, name: object, now: datetime) -> Theme:
        """Gives the theme of a name, as it is or as it is to be made."""
        wanted = checked_name(name)
        stem = self._stem(wanted)
        if stem is not None:
            return self._load(stem)
        taken = [*map(folded, self.names())]
        stem = next(one for one in stems(wanted) if folded(one) not in taken)
        moment = timestamp(now)
        return Theme(theme=stem, display_name=wanted, created_at=moment, updated_at=moment)

    def _tagged(
        self,
        former: Theme,
        now: datetime,
        *,
        turns: tuple[TurnReference, ...] | None = None,
        memories: tuple[MemoryReference, ...] | None = None,
    ) -> Theme:
        theme = msgspec.structs.replace(
            former,
            turns=former.turns if turns is None else turns,
            memories=former.memories if memories is None else memories,
        )
        if theme != former:
            theme = msgspec.structs.replace(theme, updated_at=timestamp(now))
            self._write(theme)
        return theme

    def _stem(self, wanted: str) -> str | None:
        """Gives the name of the file of a theme: first by the given name, then by the file's.

        Raises:
            CanonicalFileError: there is none, but a file that may be its own and cannot be read.
        """
        names = self.names()
        likely = [stem for stem in islice(stems(wanted), _LIKELY) if stem in names]
        doubtful: CanonicalFileError | None = None
        for stem in (*likely, *(name for name in names if name not in likely)):
            try:
                if composed(self._load(stem).display_name).strip() == wanted:
                    return stem
            except CanonicalFileError as fault:
                doubtful = doubtful or (fault if stem in likely else None)
        by_file = next((name for name in names if composed(name) == wanted), None)
        if by_file is None and doubtful is not None:
            raise doubtful
        return by_file

    def _load(self, stem: str) -> Theme:
        path = theme_path(stem)
        data = self._root.read(path)
        if data is None:
            raise CanonicalFileError(path, "read", "it is gone")
        try:
            tree = json_object(data)
            return parsed({"displayName": stem, **tree, "theme": stem}, Theme)
        except InvalidRecordError as fault:
            raise CanonicalFileError(path, "use", str(fault)) from fault

    def _write(self, theme: Theme) -> None:
        self._root.write(theme_path(theme.theme), msgspec.json.format(compact(theme), indent=2))
