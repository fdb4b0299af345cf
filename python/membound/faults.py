"""Faults of files: why an operation failed, and what to do."""

from __future__ import annotations

import errno
from typing import Final

__all__ = ["ABSENT", "reason_of"]

ABSENT: Final = frozenset({errno.ENOENT, errno.ENAMETOOLONG})
"""What says that there is no such file."""

_ADVICE: Final = {
    errno.EACCES: "let this user read and write the folder",
    errno.EPERM: "let this user read and write the folder",
    errno.EROFS: "open the store where the disk can be written",
    errno.ENOSPC: "free some space and try again",
    errno.EDQUOT: "free some space and try again",
    errno.EMFILE: "close some files and try again",
    errno.ELOOP: "a link is not followed: put what it leads to in its place",
    errno.EISDIR: "a folder has the place of a file: move it away",
    errno.ENOTDIR: "a file has the place of a folder: move it away",
    errno.ENAMETOOLONG: "choose a shorter id",
}


def reason_of(fault: OSError) -> str:
    """Says why a file operation failed, and what to do about it."""
    advice = _ADVICE.get(fault.errno or 0, "look at the disk and try again")
    return f"{fault.strerror}; {advice}"
