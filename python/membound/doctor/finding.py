"""What a check found: a frozen value that a person and a program can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Check", "Finding", "Severity", "shown"]

Check = Literal[
    "folder",
    "file system",
    "space",
    "permissions",
    "leftovers",
    "strangers",
    "quarantine",
    "duplicates",
    "log",
    "versions",
    "index",
]
Severity = Literal["ok", "warning", "problem"]

_SHOWN: Final = 3


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one check found.

    Attributes:
        check: what was looked at.
        severity: ``problem`` is to be mended; ``warning`` is to be known; ``ok`` is neither.
        what: what is so, in one sentence.
        advice: what to do about it; empty where there is nothing to do.
        names: the files, relative to the data folder, or the ids that it is about.
        fixable: whether `examine` with ``fix=True`` mends it.
        fixed: whether it was mended, which a second look confirmed.
    """

    check: Check
    severity: Severity
    what: str
    advice: str = ""
    names: tuple[str, ...] = ()
    fixable: bool = False
    fixed: bool = False


def shown(names: Sequence[str]) -> str:
    """Lists the first few."""
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
