"""What lists and trees show of one Markdown file, and the order of files and folders."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import msgspec

from membound.text import well_formed
from membound.workspace.paths import ENDING

__all__ = ["Entry", "one_line", "path_order"]

_BREAK: Final = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+"


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One Markdown file of a workspace, without its text.

    Attributes:
        path: from the root of the workspace on, such as ``memory/decisions/x.md``.
        created_at: as its front matter says; None where it says nothing.
        updated_at: the same.
        size: in bytes.
    """

    path: str
    title: str
    tags: tuple[str, ...] = ()
    created_at: str | None = None
    updated_at: str | None = None
    size: int = 0


def path_order(path: str) -> tuple[str, str]:
    """Gives what paths are sorted by: the code points of their names in NFC, name after name."""
    plain = path if path.isascii() else unicodedata.normalize("NFC", path)
    return plain.removesuffix(ENDING).replace("/", "\0"), path  # NUL is before all of a name


def one_line(text: str) -> str:
    """Gives a text in one line: each run of line ends and controls becomes a space."""
    if text.isprintable():
        return text.strip()
    return re.sub(_BREAK, " ", well_formed(text)).strip()
