"""Text that callers pass, checked once and made plain: no subclass of `str` goes further."""

from __future__ import annotations

import os
from pathlib import Path, PureWindowsPath
from typing import TypeVar

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["PathText", "any_path", "any_text", "system_path", "well_formed", "word"]

PathText = str | os.PathLike[str]

_PATH = "a path without NUL and lone surrogates"
_Word = TypeVar("_Word", bound=str)


def well_formed(text: str) -> str:
    """Joins surrogate pairs and replaces lone surrogates by U+FFFD, which no word contains."""
    text = str.__str__(text)  # a subclass may show itself otherwise
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def any_text(value: object, field: str) -> str:
    """Reads text that is only searched for or compared, so that any is well.

    Raises:
        InvalidInputError: the value is no text.
    """
    if not isinstance(value, str):
        raise InvalidInputError(field, "text", excerpt(value))
    return well_formed(value)


def word(value: object, field: str, words: tuple[_Word, ...]) -> _Word:
    """Reads one word of a closed set.

    Raises:
        InvalidInputError: the value is none of them.
    """
    if not isinstance(value, str) or value not in words:
        raise InvalidInputError(field, f"one of {', '.join(words)}", excerpt(value))
    return words[words.index(value)]


def any_path(value: object, field: str) -> str:
    """Reads a path. What an object's own ``__fspath__`` raises passes through.

    Raises:
        InvalidInputError: the value is no path, or not one that UTF-8 can write.
    """
    given = value.__fspath__() if isinstance(value, os.PathLike) else value
    if not isinstance(given, str) or "\0" in given or given != well_formed(given):
        raise InvalidInputError(field, _PATH, excerpt(given))
    return str.__str__(given)


def system_path(value: object, field: str) -> str:
    """Reads a path that is looked up on this system, where one of Windows would be a strange name.

    Raises:
        InvalidInputError: the value is no path, or one of another system.
    """
    text = any_path(value, field)
    if PureWindowsPath(text).drive and not Path(text).is_absolute():
        expected = "a path of this system, not a Windows path"
        raise InvalidInputError(field, expected, excerpt(text))
    return text
