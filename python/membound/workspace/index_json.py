"""The cache ``index.json``: what peers show of notes and folders; read with care, and rebuilt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from membound.errors import InvalidInputError
from membound.text import well_formed
from membound.workspace.entry import one_line
from membound.workspace.paths import AREAS, ENDING, folder_name, key_name, title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from membound.workspace.entry import Entry

__all__ = ["PATH", "VERSION", "IndexJson", "Listed", "Renderer", "State", "backup_path", "read"]

PATH: Final = "index.json"
VERSION: Final = "3-kv"
State = Literal["whole", "missing", "damaged", "migrated"]
"""Whether there was a cache, and which.

``damaged`` is what cannot be read at all, or is of an unknown version; ``migrated`` is of the first
version. Of both the bytes are kept, at `backup_path`, before they are replaced.
"""

_PLAIN: Final = re.compile(r"(?:memory|notes|essence)(?:/[A-Za-z0-9][A-Za-z0-9_-]*){1,9}\.md")


class Listed(msgspec.Struct, frozen=True, gc=False):
    """What the cache says of one note."""

    title: str
    tags: tuple[str, ...] = ()


class IndexJson(msgspec.Struct, frozen=True, kw_only=True):
    """What an ``index.json`` says; no path of it leads anywhere until a walk has found the file.

    Attributes:
        files: by path, in their order.
        comments: by folder, such as ``memory/decisions``.
        keys: of files and folders (these end with ``/``), in the order of both.
        structure_hash: None where something was changed since the last full look.
        dropped: how many entries had a key or a value that is none.
    """

    files: dict[str, Listed] = {}
    comments: dict[str, str] = {}
    keys: tuple[str, ...] = ()
    synced_at: str | None = None
    structure_hash: str | None = None
    state: State = "whole"
    dropped: int = 0


class _Value(msgspec.Struct, frozen=True, gc=False):
    title: str | None = None
    tags: tuple[str, ...] | None = None
    comment: str | None = None


class _Meta(msgspec.Struct, frozen=True, rename="camel"):
    last_sync_at: str | None = None
    structure_hash: str | None = None


class _File(msgspec.Struct, frozen=True):
    version: str
    meta: _Meta
    index: dict[str, _Value]


_FILE: Final = msgspec.json.Decoder(_File)


def read(data: bytes | None) -> IndexJson:
    """Reads the cache, whatever it is: what is wrong in it is left out, and counted."""
    if data is None:
        return IndexJson(state="missing")
    try:
        file = _FILE.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _read_loosely(data)
    if file.version != VERSION:
        return IndexJson(state="damaged")
    return _index(file.index, file.meta)


def backup_path(taken: Iterable[str], now: datetime) -> str:
    """Gives where, under the root of all stores, a cache is kept before it is replaced.

    Args:
        taken: the names in the folder ``backup``.
        now: its day is part of the name.
    """
    names, number = set(taken), 1
    day = now.strftime("%y%m%d")
    while (name := f"{day}_{number:02d}") in names:
        number += 1
    return f"backup/{name}/{PATH}"


class Renderer:
    """Writes the cache of one workspace; what it has written of an entry is not made anew."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._parts: dict[str, bytes] = {}

    def render(
        self,
        entries: Iterable[Entry],
        comments: Mapping[str, str],
        former: IndexJson,
        *,
        synced_at: str,
        structure_hash: str | None,
    ) -> bytes:
        """Gives the cache of the notes and folders that are there.

        What the former cache has keeps its place. What is new comes behind, in the order of
        ``entries``, a folder after the first note under it.

        Args:
            entries: all notes.
            comments: of the folders that are there.
            former: the cache that is replaced, as it was read under the lock.
            synced_at: the time of writing.
            structure_hash: of all that is there; None where something has changed since.
        """
        there = {entry.path: entry for entry in entries}
        keys = {*there, *map("{}/".format, comments), *_folders_of(there)}
        made = {path: self._parts[path] for path, one in there.items() if self._is_made(one)}
        # A key has its place before its part is there.
        self._parts = {key: made.get(key, b"") for key in former.keys if key in keys}
        self._entries = {path: one for path, one in self._entries.items() if path in made}
        self._parts |= {path: part for path, part in made.items() if path not in self._parts}
        return self.change(there, comments, synced_at=synced_at, structure_hash=structure_hash)

    def change(
        self,
        entries: Mapping[str, Entry | None],
        comments: Mapping[str, str],
        *,
        synced_at: str,
        structure_hash: str | None,
    ) -> bytes:
        """Gives the cache that was rendered last, with some notes as they are now.

        Args:
            entries: by path, None for a note that is gone.
            comments: of the folders that are there.
            synced_at: as for `render`.
            structure_hash: as for `render`.
        """
        for path, entry in entries.items():
            if entry is None:
                self._parts.pop(path, None)
                self._entries.pop(path, None)
            else:
                self._put(path, entry)
        self._put_folders(comments)
        return _document([*self._parts.values()], _Meta(synced_at, structure_hash))

    def rendered(self) -> IndexJson:
        """Gives what was rendered last, as far as the next rendering needs it."""
        files = {path: Listed(one.title, one.tags) for path, one in self._entries.items()}
        return IndexJson(files=files, keys=tuple(self._parts))

    def _is_made(self, entry: Entry) -> bool:
        return self._entries.get(entry.path) == entry

    def _put(self, path: str, entry: Entry) -> None:
        if not self._is_made(entry):
            self._parts[path] = _file_part(entry)
            self._entries[path] = entry
        for folder in _folders_above(path):
            self._parts.setdefault(folder, b"")

    def _put_folders(self, comments: Mapping[str, str]) -> None:
        """Makes the parts of all folders anew, and drops those of folders that are gone."""
        folders = [key for key in self._parts if key[-1] == "/"]
        there = {*map("{}/".format, comments), *_folders_of(self._entries)}
        for folder in folders:
            if folder not in there:
                del self._parts[folder]
        for folder in (*folders, *map("{}/".format, comments)):
            if folder in there:
                self._parts[folder] = _folder_part(folder, comments)


def _folders_above(path: str) -> list[str]:
    """Gives the folders of a file, each with ``/`` at its end, the outermost first."""
    names = path.split("/")[:-1]
    return ["/".join(names[: at + 1]) + "/" for at in range(len(names))]


def _folders_of(paths: Iterable[str]) -> set[str]:
    """Gives the folders of files, and those above them, each with ``/`` at its end."""
    direct = {path.rpartition("/")[0] + "/" for path in paths}
    return {above for folder in direct for above in _folders_above(folder)}


def _document(placed: list[bytes], meta: _Meta) -> bytes:
    head = msgspec.json.format(msgspec.json.encode({"version": VERSION, "meta": meta}), indent=2)
    start = head.removesuffix(b"\n}") + b',\n  "index": {'
    if not placed:
        return start + b"}\n}"
    placed[0] = start + b"\n" + placed[0]
    placed[-1] += b"\n  }\n}"
    return b",\n".join(placed)


def _file_part(entry: Entry) -> bytes:
    title = one_line(entry.title) or title_of(entry.path.rpartition("/")[2].removesuffix(ENDING))
    return _part(entry.path, {"title": title, "tags": [*map(one_line, entry.tags)]})


def _folder_part(key: str, comments: Mapping[str, str]) -> bytes:
    return _part(key, {"comment": comments.get(key[:-1], "")})


def _part(key: str, value: dict[str, Any]) -> bytes:
    """Writes one member of the index, in its indentation and without a comma."""
    text = msgspec.json.format(msgspec.json.encode({"index": {well_formed(key): value}}), indent=2)
    _, _, inner = text.partition(b'{\n  "index": {\n')
    return inner.removesuffix(b"\n  }\n}")


def _index(values: Mapping[str, _Value | None], meta: _Meta) -> IndexJson:
    files: dict[str, Listed] = {}
    comments: dict[str, str] = {}
    keys: list[str] = []
    for key, value in values.items():
        if value is None:
            continue
        if key.endswith(ENDING) and (_PLAIN.fullmatch(key) or _is_file(key)):
            title = value.title or title_of(key.rpartition("/")[2].removesuffix(ENDING))
            files[key] = Listed(title, value.tags or ())
        elif key.endswith("/") and _is_folder(key[:-1]):
            comments[key[:-1]] = value.comment or ""
        else:
            continue
        keys.append(key)
    return IndexJson(
        files=files,
        comments=comments,
        keys=tuple(keys),
        synced_at=meta.last_sync_at,
        structure_hash=meta.structure_hash,
        dropped=len(values) - len(keys),
    )


def _is_file(key: str) -> bool:
    """Tells whether a key is the path of a Markdown file in one of the areas."""
    folder, _, name = key.rpartition("/")
    return folder.partition("/")[0] in AREAS and _is_folder(folder) and _is_name(name)


def _is_folder(folder: str) -> bool:
    """Tells whether a key, without its ``/``, is the path of a folder.

    A peer takes any folder, so that one outside of the areas is no damage; it is not there.
    """
    return all(map(_is_name, folder.split("/")))


def _is_name(name: str) -> bool:
    try:
        return bool(key_name(name))
    except InvalidInputError:
        return False


def _read_loosely(data: bytes) -> IndexJson:
    """Reads what is not as declared: entry by entry, and the first version."""
    try:
        tree = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return IndexJson(state="damaged")
    if not isinstance(tree, dict):
        return IndexJson(state="damaged")
    if tree.get("version") == 1 and isinstance(tree.get("entries"), dict):
        return _migrated(tree["entries"])
    if tree.get("version") != VERSION:
        return IndexJson(state="damaged")
    index = tree.get("index")
    values = index if isinstance(index, dict) else {}
    meta = _converted(tree.get("meta"), _Meta) or _Meta()
    return _index({key: _converted(value, _Value) for key, value in values.items()}, meta)


def _migrated(entries: dict[str, Any]) -> IndexJson:
    """Reads the first version, whose entries have an id and name their folder and key."""
    values: dict[str, _Value | None] = {}
    for id, entry in entries.items():
        value = _converted(entry, _Value)
        try:
            folder, key = folder_name(entry["folder"]), key_name(entry["key"])
        except (InvalidInputError, KeyError, TypeError):
            values[id] = None
        else:
            values[f"{folder}/{key}{ENDING}"] = value
    return msgspec.structs.replace(_index(values, _Meta()), state="migrated")


def _converted(value: object, struct: type[msgspec.Struct]) -> Any:  # noqa: ANN401
    try:
        return msgspec.convert(value, struct)
    except (msgspec.ValidationError, RecursionError):
        return None
