"""The names of themes, and of their files: distinct names never share one."""

from __future__ import annotations

import hashlib
import re
from itertools import count
from typing import TYPE_CHECKING, Final

from membound.errors import InvalidNameError
from membound.excerpt import excerpt
from membound.text import well_formed
from membound.workspace.entry import one_line
from membound.workspace.paths import composed, is_reserved

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FOLDER", "checked_name", "stems", "theme_path"]

FOLDER: Final = "themes"
_CHARACTERS: Final = 200
_UNITS: Final = 120
_BYTES: Final = 200
_DIGITS: Final = 8
_UNSAFE: Final = r'[\\/:*?"<>|\x00-\x1f\x7f]'


def checked_name(name: object) -> str:
    """Gives the name of a theme in NFC, without blanks at its ends.

    Raises:
        InvalidNameError: it is none.
    """
    plain = composed(name).strip() if isinstance(name, str) else ""
    sound = plain == well_formed(plain) and plain == one_line(plain)
    if not sound or not 0 < len(plain) <= _CHARACTERS:
        expected = f"text of 1 to {_CHARACTERS} characters in one line"
        raise InvalidNameError("theme", expected, excerpt(name))
    return plain


def stems(name: str) -> Iterator[str]:
    """Gives names for a theme's file without ``.json``: that of peers, then more without an end.

    The first has ``_`` for what a file's name cannot have, and is left out where it would be no
    sound name. Another theme may have it already; the others end with a hash of the name.
    """
    plain = _plain(name)
    if plain:
        yield plain
    short = _cut(plain or "theme", _BYTES - _DIGITS - 1)
    for at in count():
        digest = hashlib.sha256(f"{name}\0{at}".encode()).hexdigest()
        yield f"{short}-{digest[:_DIGITS]}"


def theme_path(stem: str) -> str:
    """Gives the file of a theme, from the root of the workspace on."""
    return f"{FOLDER}/{stem}.json"


def _plain(name: str) -> str:
    """Gives the name that peers would give the file; none where it would be no sound one."""
    safe = re.sub(r"\s+", "_", re.sub(_UNSAFE, "_", name))
    units = safe.encode("utf-16-le")[: 2 * _UNITS]
    safe = units.decode("utf-16-le", "ignore")
    sound = not safe.startswith(".") and not safe.endswith(".") and not is_reserved(safe)
    return safe if sound and len(safe.encode()) <= _BYTES else ""


def _cut(text: str, most: int) -> str:
    return text.encode()[:most].decode("utf-8", "ignore")
