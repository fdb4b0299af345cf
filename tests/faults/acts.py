"""Run in a child: every verb once on a new store, with each call logged and each synced file kept.

After each verb its name and what the store then holds are written down: that verb was acknowledged.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import msgspec

from tests.faults.layer import Layer
from tests.faults.sweep import files_of
from tests.faults.verbs import CHANGES, OTHERS, leave_nothing_to_chance, opened, prepare


class Act(msgspec.Struct, frozen=True):
    """What a store holds after a verb: its canonical files and its lines of feedback."""

    verb: str
    files: dict[str, bytes]
    feedback: int


def feedback_of(folder: Path) -> int:
    """How many whole lines the feedback log has."""
    segments = (folder / "memory-feedback").glob("events-*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in segments)


def main(disk: str, notes: str) -> None:
    """Act on a store two folders below the disk, neither of which is there."""
    logging.getLogger("membound").addHandler(logging.NullHandler())
    leave_nothing_to_chance()
    folder, written = Path(disk) / "new" / "store", Path(notes)
    layer = Layer(Path(disk))
    acts: list[Act] = []

    def done(verb: str) -> None:
        acts.append(Act(verb, files_of(folder), feedback_of(folder)))
        layer.mark(verb)

    layer.record(written / "log", written / "snapshots")
    opened(folder).close()
    done("open")
    prepare(folder, done)
    done("close")
    store = opened(folder)
    for verb, act in (CHANGES | OTHERS).items():
        act(store)
        done(verb)
    (written / "acts").write_bytes(msgspec.json.encode(acts))


if __name__ == "__main__":
    main(*sys.argv[1:])
