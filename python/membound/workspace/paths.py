"""Where a note lies: what may name a folder or a key, and the one way from the two to a path."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import TYPE_CHECKING, Final, Literal, get_args

import msgspec

from membound._core import hides_text
from membound.errors import InvalidNameError
from membound.excerpt import excerpt
from membound.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "AREAS",
    "ENDING",
    "WRITABLE",
    "Address",
    "Area",
    "address",
    "composed",
    "folded",
    "folder_name",
    "is_reserved",
    "key_name",
    "title_of",
]

Area = Literal["memory", "notes", "essence"]
"""The folders of a workspace that hold Markdown."""

AREAS: Final[tuple[Area, ...]] = get_args(Area)
WRITABLE: Final[tuple[Area, ...]] = ("memory", "notes")
"""The areas in which notes are made, changed, moved and deleted."""
NAME_BYTES: Final = 200
FILE_BYTES: Final = 255
FOLDER_BYTES: Final = 1_000
ENDING: Final = ".md"

_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?\Z")
_CATEGORIES: Final = ("L", "M", "N")
_INSIDE: Final = " ._-"
_SEPARATORS: Final = frozenset({"/", "\0", os.sep})
_CONTROLS: Final = frozenset({*map(chr, range(32)), "/", "\\", "\x7f"})


class Address(msgspec.Struct, frozen=True, order=True):
    """Where a note lies: ``folder`` from the root of the workspace on, and its ``key``."""

    folder: str
    key: str

    @property
    def path(self) -> str:
        """The file, from the root of the workspace on, with ``/`` between names."""
        return f"{self.folder}/{self.key}{ENDING}"

    @classmethod
    def of(cls, path: str) -> Address:
        """Gives the address of a file that is there, whatever its name."""
        folder, _, name = path.rpartition("/")
        return cls(folder, name.removesuffix(ENDING))


def address(
    folder: object, key: object, *, areas: Iterable[Area] | None = None, new: bool = False
) -> Address:
    """Gives the address that a folder and a key name.

    Args:
        folder: as `folder_name` takes it.
        key: as `key_name` takes it.
        areas: where it may lie; left out, where notes are, or where new ones may be made.
        new: whether a file of that name is to be made, for which the rules are stricter; of what
            is there, each name is taken as it is spelled.

    Raises:
        InvalidNameError: one of the two names no place; it says the rule.
    """
    areas = areas or (WRITABLE if new else AREAS)
    return Address(
        folder_name(folder, areas=areas, new=new, spelled=not new),
        key_name(key, new=new, spelled=not new),
    )


def key_name(key: object, field: str = "key", *, new: bool = False, spelled: bool = False) -> str:
    """Gives a key, in NFC unless it is to be as it is spelled.

    What is there may have any name that is one, hidden ones aside. A new one has letters, digits,
    spaces and ``. _ -``, and is a name on every system.

    Raises:
        InvalidNameError: it is none.
    """
    if not isinstance(key, str) or not key:
        raise InvalidNameError(field, "text that is not empty", excerpt(key))
    return _name(key, field, new=new, spelled=spelled)


def folder_name(
    folder: object,
    field: str = "folder",
    *,
    areas: Iterable[Area] = AREAS,
    new: bool = False,
    spelled: bool = False,
) -> str:
    """Gives a folder with single ``/`` between names; ``memory`` where none is said.

    Each name is in NFC unless it is to be as it is spelled. A backslash parts names as well,
    where it does so throughout; beside ``/`` it is part of a name.

    Raises:
        InvalidNameError: it lies in none of the areas, or one of its names is none.
    """
    allowed = tuple(areas)
    expected = f"a folder under {' or '.join(f'{area}/' for area in allowed)}"
    if folder is None or folder == "":
        return "memory"
    if not isinstance(folder, str) or folder.startswith(("/", "\\")):
        raise InvalidNameError(field, expected, excerpt(folder))
    parted = folder if "/" in folder else folder.replace("\\", "/")
    names = [name for name in parted.split("/") if name]
    if not names or names[0] not in allowed:
        raise InvalidNameError(field, expected, excerpt(folder))
    path = "/".join(_name(name, field, new=new, spelled=spelled) for name in names)
    if len(path.encode()) > FOLDER_BYTES:
        expected = f"a folder of at most {FOLDER_BYTES:,} bytes"
        raise InvalidNameError(field, expected, excerpt(folder))
    return path


def composed(name: str) -> str:
    """Gives a name in NFC, in which names are compared."""
    return unicodedata.normalize("NFC", name)


def folded(name: str) -> str:
    """Gives a name as systems see it that tell neither case nor normal form apart."""
    return name.lower() if name.isascii() else composed(composed(name).casefold())


def title_of(key: str) -> str:
    """Gives the title that a key stands for: its words, each with a capital.

    ``-`` and ``_`` part words, and so does a capital behind a small letter of ASCII.
    """
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", re.sub(r"[-_]+", " ", key))
    return " ".join(word[:1].upper() + word[1:].lower() for word in spaced.split(" ") if word)


def is_reserved(name: str) -> bool:
    """Tells whether Windows keeps a name, whatever its ending, for a device."""
    return _RESERVED.match(name) is not None


def _name(name: str, field: str, *, new: bool, spelled: bool) -> str:
    """Gives one name of a path."""
    plain = name if spelled else composed(name)
    for rule, holds in _NEW_RULES if new else _RULES if spelled else _COMPOSED_RULES:
        if not holds(plain):
            raise InvalidNameError(field, rule, excerpt(name))
    return plain


def _is_allowed(char: str) -> bool:
    return char in _INSIDE or unicodedata.category(char)[0] in _CATEGORIES


_RULES: Final[tuple[tuple[str, Callable[[str], bool]], ...]] = (
    ("a name without separators", _SEPARATORS.isdisjoint),
    ("a name that does not start with a dot", lambda name: not name.startswith(".")),
    ("a name without lone surrogates", lambda name: name == well_formed(name)),
    (f"a name of at most {FILE_BYTES} bytes", lambda name: len(name.encode()) <= FILE_BYTES),
)
_COMPOSED_RULES: Final = (
    ("a name without separators and control characters", _CONTROLS.isdisjoint),
    *_RULES,
)
_NEW_RULES: Final = (
    *_COMPOSED_RULES,
    (f"a name of at most {NAME_BYTES} bytes", lambda name: len(name.encode()) <= NAME_BYTES),
    ("a name that can be seen", lambda name: not hides_text(name)),
    (
        "a name of letters, digits, spaces, dots, _ and -",
        lambda name: all(map(_is_allowed, name)),
    ),
    ("a name without a space at its ends", lambda name: name == name.strip(" ")),
    ("a name without a dot at its end", lambda name: not name.endswith(".")),
    ("a name that is not reserved on Windows", lambda name: not is_reserved(name)),
)
