"""Blocking verbs beside other threads, and for hosts with an event loop."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["in_thread", "in_turns"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_TURN_SECONDS = 0.002
_PAUSE_SECONDS = 0.0001


async def in_thread(verb: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Runs a verb in a worker thread of the running loop."""
    import asyncio  # noqa: PLC0415 — half of the import time of the whole package

    return await asyncio.to_thread(verb, *args, **kwargs)


def in_turns(items: Iterable[_T]) -> Iterator[_T]:
    """Goes through items so that other threads run in between, whatever is done with each.

    CPython makes a thread hand the interpreter over that has kept it for 5 ms at a stretch. A loop
    of short system calls never does: each gives it back, and has it again before a thread that
    waits for it has woken; only a pause lasts until then.
    """
    since = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - since > _TURN_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            since = time.perf_counter()
