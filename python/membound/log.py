"""The package's logger, made when there is first something to say."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

__all__ = ["logger"]


@cache
def logger() -> logging.Logger:
    """Gives ``logging.getLogger("membound")``, silent until the host configures it."""
    import logging  # noqa: PLC0415 — a fifth of the import time of the whole package

    found = logging.getLogger("membound")
    found.addHandler(logging.NullHandler())
    return found
