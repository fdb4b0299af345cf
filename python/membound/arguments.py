"""What callers pass in Python, turned into the plain values a record is checked from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from membound import _core
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.records import MemoryRecord, Source
from membound.schema import Open, json_names
from membound.text import well_formed

__all__ = [
    "items",
    "open_tree",
    "path_text",
    "record_list",
    "require",
    "source_list",
    "tag_list",
]

_TAGS = 32
_TAG_CHARACTERS = 64
_SOURCE_ID = 128


def require(
    value: object,
    kinds: type | tuple[type, ...],
    field: str,
    expected: str,
) -> None:
    """Refuses a value of another type than its annotation promises.

    Raises:
        InvalidInputError: the value is of none of the kinds.
    """
    if not isinstance(value, kinds):
        raise InvalidInputError(field, expected, excerpt(value))


def items(value: object, field: str, item: str) -> tuple[Any, ...]:
    """Gives the items of any iterable but text, bytes and mappings; a set's in sorted order.

    Raises:
        InvalidInputError: the value is none of these.
    """
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | bytearray | Mapping):
        raise InvalidInputError(field, f"an iterable, each item {item}", excerpt(value))
    return tuple(sorted(value, key=str)) if isinstance(value, AbstractSet) else tuple(value)


def tag_list(tags: Iterable[str]) -> tuple[str, ...]:
    """Gives the tags as they are, each once, at its first place.

    Raises:
        InvalidInputError: there are more than 32, or one is not text of 1 to 64 characters.
    """
    expected = f"text of 1 to {_TAG_CHARACTERS} characters without NUL"
    given = items(tags, "tags", expected)
    for at, tag in enumerate(given):
        if not isinstance(tag, str) or not 1 <= len(tag) <= _TAG_CHARACTERS or "\0" in tag:
            raise InvalidInputError(f"tags.{at}", expected, excerpt(tag))
    unique = tuple(dict.fromkeys(given))
    if len(unique) > _TAGS:
        raise InvalidInputError("tags", f"at most {_TAGS} different tags", f"{len(unique):,}")
    return unique


def path_text(value: str | os.PathLike[str] | None, field: str) -> str | None:
    """Gives a path, or any other name of a place, in the one form in which places are compared.

    Reads neither the disk nor the working directory; None for an empty one.

    Raises:
        InvalidInputError: the value is no path.
    """
    if value is None:
        return None
    require(value, (str, os.PathLike), field, "a path or a name")
    text: object = os.fspath(value)
    if not isinstance(text, str) or "\0" in text or text != well_formed(text):
        raise InvalidInputError(field, "a path without NUL and lone surrogates", excerpt(text))
    return _core.normalize_path(text)


def record_list(records: Iterable[MemoryRecord]) -> list[MemoryRecord]:
    """Gives the records as a list.

    Raises:
        InvalidInputError: an item is no MemoryRecord.
    """
    found = list(items(records, "records", "a MemoryRecord"))
    for at, record in enumerate(found):
        if not isinstance(record, MemoryRecord):
            raise InvalidInputError(f"records.{at}", "a MemoryRecord", excerpt(record))
    return found


def source_list(sources: Iterable[Source | Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Gives the sources as plain values, each with an id of its own.

    A missing id is ``source_`` and the position; an id already taken gets ``_2``, ``_3``…

    Raises:
        InvalidInputError: an item is neither a Source nor a mapping of its names.
    """
    trees = []
    taken: set[str] = set()
    for at, source in enumerate(items(sources, "sources", "a Source or a mapping")):
        tree = open_tree(source, Source, f"sources.{at}")
        if tree is None:
            raise InvalidInputError(f"sources.{at}", "a Source or a mapping", "null")
        base = tree.get("id", f"source_{at + 1}")
        if isinstance(base, str):
            tree["id"] = _free(base, taken)
            taken.add(tree["id"])
        trees.append(tree)
    return trees


def open_tree(value: object, struct: type[Open], field: str) -> dict[str, Any] | None:
    """Gives a part's plain values, from the struct itself or a mapping of its names.

    Raises:
        InvalidInputError: the value is neither, or a name is unknown: that would be a slip.
    """
    if value is None:
        return None
    if isinstance(value, struct):
        return value.to_dict()
    if not isinstance(value, Mapping):
        expected = f"a {struct.__name__} or a mapping"
        raise InvalidInputError(field, expected, excerpt(value))
    names = json_names(struct)
    names = names | {name: name for name in names.values()}
    for key in value:
        if key not in names:
            raise InvalidInputError(field, f"the names of {struct.__name__}", excerpt(key))
    return {names[key]: item for key, item in value.items()}


def _free(base: str, taken: set[str]) -> str:
    free, number = base, 2
    while free in taken:
        ending = f"_{number}"
        free = base[: _SOURCE_ID - len(ending)] + ending
        number += 1
    return free
