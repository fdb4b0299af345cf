"""The data folder of a store: making it, and telling whether one lies there."""

from __future__ import annotations

import os
from pathlib import Path

from membound.errors import CanonicalFileError, InvalidInputError
from membound.excerpt import excerpt
from membound.faults import reason_of
from membound.folders import make_private
from membound.layout import INDEX, MEMORY
from membound.text import system_path

__all__ = ["holds_store", "store_path"]


def holds_store(path: Path) -> bool:
    """Tells whether a data folder holds a store: records, or the index of none yet."""
    # A path that cannot be looked at, as it is too long, holds none.
    return os.path.isdir(path / MEMORY) or os.path.isfile(path / INDEX)  # noqa: PTH112, PTH113


def store_path(path: object, *, durable: bool) -> Path:
    """Reads the path of a data folder, and makes the folder.

    Raises:
        InvalidInputError: it is no path, or another system's.
        CanonicalFileError: the folder cannot be made.
    """
    text = system_path(path, "path")
    if not text:
        raise InvalidInputError("path", "a path that is not empty", excerpt(text))
    folder = Path(text)
    try:
        make_private(folder.absolute(), durable=durable)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInputError("path", "a folder, or nothing yet", excerpt(text)) from None
    except OSError as error:
        raise CanonicalFileError(text, "make", reason_of(error)) from error
    return folder.absolute()
