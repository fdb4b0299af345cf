"""What callers pass in Python, turned into the plain values a record is checked from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from membound import _core
from membound.errors import InvalidInputError, InvalidRecordError
from membound.excerpt import excerpt
from membound.fields import ID_CHARACTERS, text_of
from membound.parts import Source
from membound.records import MemoryRecord, reread
from membound.schema import Open, json_names
from membound.text import any_path

__all__ = [
    "items",
    "open_tree",
    "path_text",
    "record_list",
    "require",
    "require_callback",
    "sound_records",
    "source_list",
    "tag_list",
]

_TAGS = 32
_TAG_CHARACTERS = 64


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
    if type(value) is tuple:
        return value
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | bytearray | Mapping):
        raise InvalidInputError(field, f"an iterable, each item {item}", excerpt(value))
    return tuple(sorted(value, key=str)) if isinstance(value, AbstractSet) else tuple(value)


def tag_list(tags: Iterable[str]) -> tuple[str, ...]:
    """Gives the tags as they are, each once, at its first place.

    Raises:
        InvalidInputError: there are more than 32, or one is not text of 1 to 64 characters.
    """
    expected = f"{text_of(1, _TAG_CHARACTERS)} without NUL"
    given = items(tags, "tags", expected)
    for at, tag in enumerate(given):
        if not isinstance(tag, str) or not 1 <= len(tag) <= _TAG_CHARACTERS or "\0" in tag:
            raise InvalidInputError(f"tags.{at}", expected, excerpt(tag))
    unique = tuple(dict.fromkeys(map(str.__str__, given)))
    if len(unique) > _TAGS:
        raise InvalidInputError("tags", f"at most {_TAGS} different tags", f"{len(unique):,}")
    return unique


def require_callback(value: object, field: str) -> None:
    """Refuses what cannot be called, before the work that would call it begins.

    Raises:
        InvalidInputError: the value is neither None nor callable.
    """
    if value is not None and not callable(value):
        raise InvalidInputError(field, "a callable or None", excerpt(value))


def path_text(value: object, field: str) -> str | None:
    """Gives a path, or any other name of a place, in the one form in which places are compared.

    Reads neither the disk nor the working directory; None for an empty one.

    Raises:
        InvalidInputError: the value is no path.
    """
    return None if value is None else _core.normalize_path(any_path(value, field))


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


def sound_records(records: Iterable[MemoryRecord]) -> list[tuple[MemoryRecord, bytes]]:
    """Gives the records as their files will be read, and what these will hold.

    Raises:
        InvalidInputError: an item is no MemoryRecord.
        InvalidRecordError: one does not follow the schema; the field begins with its position.
    """
    sound = []
    for at, record in enumerate(record_list(records)):
        try:
            sound.append(reread(record))
        except InvalidRecordError as fault:
            field = f"records.{at}.{fault.field}"
            raise InvalidRecordError(field, fault.expected, fault.got) from None
    return sound


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
        try:
            return value.to_dict()
        except InvalidRecordError as fault:
            raise InvalidInputError(f"{field}.{fault.field}", fault.expected, fault.got) from None
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
        free = base[: ID_CHARACTERS - len(ending)] + ending
        number += 1
    return free
