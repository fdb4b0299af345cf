"""`python -m tests.soak --minutes 10 --seed 7`: a run, and what it met."""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

from tests.soak.run import Soak

WARM_UP = 50
"""Steps before the memory is measured for the first time."""


def main() -> int:
    arguments = ArgumentParser(prog="python -m tests.soak", description=__doc__)
    arguments.add_argument("--minutes", type=float, default=1)
    arguments.add_argument("--seed", default="soak")
    chosen = arguments.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="membound-soak-"))
    deadline = time.monotonic() + 60 * chosen.minutes
    with Soak(folder / "store", random.Random(chosen.seed)) as soak:
        begun = 0
        try:
            while time.monotonic() < deadline or soak.steps < WARM_UP:
                soak.step()
                begun = begun or (soak.memory() if soak.steps == WARM_UP else 0)
        except BaseException:
            print(f"seed {chosen.seed!r}, step {soak.steps}; the store: {folder}; the last steps:")
            print(*soak.last, sep="\n")
            print(table(soak, folder, begun))
            raise
        print(f"seed {chosen.seed!r}: no disagreement in {soak.steps} steps")
        print(table(soak, folder, begun))
    shutil.rmtree(folder)
    return 0


def table(soak: Soak, folder: Path, begun: int) -> str:
    cuts = statistics.quantiles(soak.seconds, n=100) if len(soak.seconds) > 1 else [0.0] * 99
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    rows = [
        *sorted((name, f"{count:,}") for name, count in soak.counts.items()),
        ("records at the end", f"{soak.records():,}"),
        ("recall, half below", f"{1000 * cuts[49]:.2f} ms"),
        ("recall, 99 of 100 below", f"{1000 * cuts[98]:.2f} ms"),
        ("store", f"{size / 2**20:.1f} MiB"),
        ("largest write-ahead log", f"{soak.largest_log / 2**20:.1f} MiB"),
        ("reader's memory at step 50", f"{begun / 2**20:.1f} MiB"),
        ("reader's memory at the end", f"{soak.memory() / 2**20:.1f} MiB"),
    ]
    return "\n".join(f"  {name:30}{value:>12}" for name, value in rows)


if __name__ == "__main__":
    sys.exit(main())
