"""Blocking verbs for hosts with an event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["in_thread"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def in_thread(verb: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Runs a verb in a worker thread of the running loop."""
    import asyncio  # noqa: PLC0415 — half of the import time of the whole package

    return await asyncio.to_thread(verb, *args, **kwargs)
