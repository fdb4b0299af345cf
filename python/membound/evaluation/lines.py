"""JSON lines: one value a line, each under a key that occurs once; errors name file and line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.text import PathText, any_path

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

__all__ = ["decoded", "read_lines", "refusal_of"]

# msgspec tells no value, but the name of a caller's own type, which may have any length.
_LONG_NAME = re.compile(r"(?<=got `)([^`]{40})[^`]+")
_Item = TypeVar("_Item")
_Shape = TypeVar("_Shape", bound=msgspec.Struct)


def read_lines(
    path: PathText,
    read: Callable[[bytes], _Item],
    refusal: type[InvalidInputError],
    key: Callable[[_Item], tuple[str, Hashable]],
) -> tuple[_Item, ...]:
    """Read every line that is not blank.

    Args:
        path: the file.
        read: makes an item of a line, or raises `InvalidInputError`.
        refusal: the error that names the line.
        key: the item's id, and what of it may occur once.
    """
    found: dict[Hashable, _Item] = {}
    for place, line in _lines(path):
        try:
            item = read(line)
        except InvalidInputError as error:
            raise refusal(f"{place} {error.field}", error.expected, error.got) from error
        id, once = key(item)
        if once in found:
            raise refusal(f"{place} id", "an id that no earlier line has", excerpt(id))
        found[once] = item
    return tuple(found.values())


def decoded(line: bytes, shape: type[_Shape], field: str, expected: str) -> _Shape:
    """Read a line as a struct; fields that are not its own are ignored."""
    try:
        return msgspec.json.decode(line, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise refusal_of(error, field, expected) from error
    except RecursionError:
        raise InvalidInputError(field, expected, "nesting that is too deep") from None


def refusal_of(error: Exception, field: str, expected: str) -> InvalidInputError:
    """Tell what msgspec found wrong, without showing a value at length."""
    reason = _LONG_NAME.sub(r"\1...", str(error))
    return InvalidInputError(field, expected, f"another value ({reason})")


def _lines(path: PathText) -> Iterator[tuple[str, bytes]]:
    """Yield `file:line` and the line; only LF ends one, as U+2028 may stand inside a string."""
    name = any_path(path, "path")
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        got = f"{excerpt('/'.join(Path(name).parts[-2:]))}: {error.strerror}"
        raise InvalidInputError("path", "a file that can be read", got) from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield f"{name}:{number}", line
