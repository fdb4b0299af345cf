"""The names of what lies in a data folder."""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "DELETED",
    "FEEDBACK",
    "FOLDERS",
    "INDEX",
    "LOCK",
    "MEMORY",
    "PURGED",
    "SETTINGS",
    "is_ours",
]

MEMORY: Final = "memory"
DELETED: Final = "memory-deleted"
FEEDBACK: Final = "memory-feedback"
PURGED: Final = "memory-purged"
FOLDERS: Final = (MEMORY, DELETED, FEEDBACK, PURGED)
INDEX: Final = "memory-index.sqlite3"
LOCK: Final = "memory.lock"
SETTINGS: Final = "memory-settings.json"

_OURS: Final = (
    rf"{'|'.join(FOLDERS)}|memory\.(lock|queue)|memory-settings\.json"
    r"|memory-index(\.schema-\d+)?\.sqlite3(-wal|-shm)?"
)


def is_ours(name: str) -> bool:
    """Tells whether a name in the data folder is of a part of the store."""
    return re.fullmatch(_OURS, name) is not None
