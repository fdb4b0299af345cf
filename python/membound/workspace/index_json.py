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
    from collections.abc import Iterable, Mapping, Sequence
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
        self._keys: tuple[str, ...] = ()
        self.keys: tuple[str, ...] = ()
        """The keys of what was rendered last, in their order."""

    def render(
        self,
        entries: Sequence[Entry],
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
        known = self._entries
        changed = [entry for entry in entries if known.get(entry.path) is not entry]
        if len(known) != len(entries) or any(entry.path not in known for entry in changed):
            self._keys = _keys(entry.path for entry in entries)
            self._entries = known = {key: known[key] for key in self._keys if key in known}
            self._parts = {key: self._parts[key] for key in known}
        for entry in changed:
            if known.get(entry.path) != entry:
                self._parts[entry.path] = _file_part(entry)
            known[entry.path] = entry
        folders = {key: _folder_part(key, comments) for key in self._keys if key[-1] == "/"}
        folders |= {key: _folder_part(key, comments) for key in map("{}/".format, comments)}
        # A folder's key has its place before its part is there.
        parts = {**{key: self._parts.get(key, b"") for key in self._keys}, **folders}
        self.keys = _ordered(parts, former.keys)
        return _document([parts[key] for key in self.keys], _Meta(synced_at, structure_hash))


def _keys(paths: Iterable[str]) -> tuple[str, ...]:
    """Gives the paths, and behind the first under it each folder, the outermost first."""
    keys: dict[str, None] = {}
    for path in paths:
        keys[path] = None
        if (folder := path.rpartition("/")[0] + "/") not in keys:
            names = folder.split("/")[:-1]
            keys |= dict.fromkeys("/".join(names[: at + 1]) + "/" for at in range(len(names)))
    return tuple(keys)


def _ordered(parts: Mapping[str, bytes], former: Sequence[str]) -> tuple[str, ...]:
    """Gives the keys in the order that they had, and behind them what is new."""
    placed = [key for key in former if key in parts]
    if len(placed) < len(parts):
        known = frozenset(placed)
        placed += [key for key in parts if key not in known]
    return tuple(placed)


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
