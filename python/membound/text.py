"""Text that callers pass, checked once and made plain, and text that people read, made visible."""

from __future__ import annotations

import os
import re
from pathlib import Path, PureWindowsPath
from typing import TypeVar

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["PathText", "any_path", "any_text", "printable", "system_path", "well_formed", "word"]

PathText = str | os.PathLike[str]

_PATH = "a path without NUL and lone surrogates"
_Word = TypeVar("_Word", bound=str)

# Controls, surrogates, and what the core hides in a block (`is_hidden` in hidden.rs): whatever a
# terminal acts on, or a reader cannot see.
_HIDDEN = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


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
    plain = type(value) is str
    given = value if plain or not isinstance(value, os.PathLike) else value.__fspath__()
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


def printable(text: str) -> str:
    """Show every control, bidi and zero-width character as its JSON escape, line ends included."""
    return re.sub(_HIDDEN, _escape, text)


def _escape(match: re.Match[str]) -> str:
    """Spell one character as JSON does, with a surrogate pair beyond the basic plane."""
    code = ord(match.group())
    if code <= 0xFFFF:  # noqa: PLR2004 — the last code point of the basic plane
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
