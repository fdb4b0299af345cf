"""How long one thread keeps the others from running, told apart from a busy machine."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_TASKS = Path("/proc/self/task")
_BEAT_SECONDS = 0.001


def longest_hold(work: Callable[[], object]) -> float:
    """The longest, in seconds, that a thread with 1 ms sleeps was kept from running by the work.

    A gap between two beats counts only as far as this process really worked in all, and not as far
    as its threads waited for a processor: what other programs take is nobody's hold. How much it
    worked is asked at the end, for a kernel without ticks adds up only then what a thread does.
    """
    gaps, before = [0.0], time.process_time()
    done = threading.Event()

    def beat() -> None:
        while not done.is_set():
            began, delay = time.perf_counter(), waited()
            time.sleep(_BEAT_SECONDS)
            gaps.append(time.perf_counter() - began - (waited() - delay))

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        work()
    finally:
        done.set()
        thread.join()
    return min(max(gaps), time.process_time() - before)


def waited() -> float:
    """Seconds for which the threads of this process were ready to run and had no processor."""
    total = 0
    for task in os.scandir(_TASKS) if _TASKS.exists() else ():
        try:
            _, delay, _ = (_TASKS / task.name / "schedstat").read_text().split()
        except OSError:  # a thread that has just ended, or a kernel that does not tell
            continue
        total += int(delay)
    return total / 1e9
