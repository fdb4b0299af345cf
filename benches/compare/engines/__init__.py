"""The engines, a family in each file; those whose package is not installed are left out by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benches.compare.engines.engine import Engine

_FAMILIES = ("ours", "fts5", "python_index", "bm25s_index", "tantivy_index", "rank_bm25_index")


def engines() -> tuple[list[Engine[Any]], list[str]]:
    """Give every engine that can run here, ours first, and why others cannot."""
    found: list[Engine[Any]] = []
    missing = []
    for family in _FAMILIES:
        try:
            module = import_module(f"benches.compare.engines.{family}")
        except ModuleNotFoundError as fault:
            missing.append(f"{family}: {fault.name} is not installed")
        else:
            found += module.ENGINES
    return found, missing


def engine(name: str) -> Engine[Any]:
    """Give the engine that has a name."""
    return next(one for one in engines()[0] if one.name == name)
