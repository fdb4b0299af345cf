"""How long one thread keeps the others from running, told apart from a busy machine."""

from __future__ import annotations

import operator
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_TASKS = Path("/proc/self/task")
_TOLD = Path("/proc/schedstat").exists()
_BEAT_SECONDS = 0.001


def longest_hold(work: Callable[[], object]) -> float:
    """The longest, in seconds, that a thread with 1 ms sleeps was kept from running by the work.

    A gap between two beats counts only as far as this process really worked in all, and not as far
    as its threads waited for a processor: what other programs take is nobody's hold. How much it
    worked is asked at the end, for a kernel without ticks adds up only then what a thread does.
    """
    holds, before = [0.0], time.process_time()
    done = threading.Event()
    times, delay = [time.perf_counter()], waited()

    def step() -> None:
        times.append(time.perf_counter())

    def beat() -> None:
        nonlocal delay
        while not done.is_set():
            # To ask for the delay takes many calls too, for each of which it may be kept waiting.
            earlier, delay = delay, waited(step)
            holds.append(max(map(operator.sub, times[1:], times)) - (delay - earlier))
            del times[:-1]
            time.sleep(_BEAT_SECONDS)
            step()

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        work()
    finally:
        done.set()
        thread.join()
    return min(max(holds), time.process_time() - before)


def waited(step: Callable[[], object] = bool) -> float:
    """Seconds for which the threads of this process were ready to run and had no processor.

    Args:
        step: called after everything in which another thread may have taken the interpreter.
    """
    total = 0
    names = os.listdir(_TASKS) if _TOLD else []  # noqa: PTH208 — one call, and no more
    step()
    for name in names:
        try:
            handle = os.open(f"{_TASKS}/{name}/schedstat", os.O_RDONLY)
            step()
            _, delay, _ = os.read(handle, 100).split()
            step()
            os.close(handle)
        except OSError:  # a thread that has just ended, or a kernel that does not tell
            continue
        finally:
            step()
        total += int(delay)
    return total / 1e9
