"""Run in a child: let one verb meet a fault at each of its calls, and judge what each one left.

The child prints a line of JSON: how many calls failed, and what was wrong after which.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from errno import EACCES, EIO, ENOSPC, EROFS
from functools import cache
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from membound import MemoryRecord, MemoryStore, projection, retrieve_records, watch
from membound.errors import (
    CanonicalFileError,
    IndexUnavailableError,
    MemboundError,
    PartialChangeError,
)
from tests.faults.layer import ALL, Fault, Kind, Layer
from tests.faults.verbs import (
    CHANGES,
    LATER,
    OTHERS,
    POLICY,
    QUERIES,
    leave_nothing_to_chance,
    opened,
    prepare,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_CHANGING = Kind.NAME | Kind.WRITE | Kind.SYNC | Kind.CLOSE
FAULTS = {
    "full": Fault(ENOSPC, _CHANGING),
    "short": Fault(ENOSPC, Kind.WRITE, short=True),
    "broken": Fault(EIO, ALL),
    "denied": Fault(EACCES, Kind.LOOK | Kind.READ | Kind.NAME),
    "read-only": Fault(EROFS, Kind.NAME | Kind.WRITE),
}
FAULTS |= {f"{name} for good": fault._replace(lasting=True) for name, fault in FAULTS.items()}

Files = dict[str, bytes]


class Answer(NamedTuple):
    """What a recall says."""

    ids: tuple[str, ...]
    context: str


def files_of(folder: Path) -> Files:
    """What a store keeps of records: canonical files, former states, marks of purged ids."""
    return {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for part in ("memory", "memory-deleted", "memory-purged")
        for path in (folder / part).glob("[!.]*")
    }


@cache
def _right(state: tuple[bytes, ...]) -> tuple[Answer, ...]:
    records = list(map(MemoryRecord.from_json, state))
    found = [retrieve_records(records, query, now=LATER, policy=POLICY) for query in QUERIES]
    return tuple(Answer(one.trace.selected_ids, one.context) for one in found)


def right(files: Files) -> tuple[Answer, ...]:
    """What recall must say of such files."""
    return _right(tuple(files[name] for name in sorted(files) if name.startswith("memory/")))


def answers(store: MemoryStore) -> tuple[Answer, ...]:
    found = [store.retrieve(query) for query in QUERIES]
    return tuple(Answer(one.trace.selected_ids, one.context) for one in found)


class Snapshot:
    """All that a folder holds, to be brought back with the times that the index knows it by."""

    def __init__(self, folder: Path) -> None:
        self._top = folder
        found = list(folder.rglob("*"))
        self._files = {path: path.read_bytes() for path in found if path.is_file()}
        self._folders = {path: path.stat().st_mtime_ns for path in found if path.is_dir()}

    def restore(self) -> None:
        """Bring it back in place."""
        for path in sorted(self._top.rglob("*"), reverse=True):
            if path.is_dir() and path not in self._folders:
                path.rmdir()
            elif path.is_file() and path not in self._files:
                path.unlink()
        for path in self._folders:
            path.mkdir(exist_ok=True)
        for path, data in self._files.items():
            # A new file each time: a connection that was left open has the former one.
            path.unlink(missing_ok=True)
            path.write_bytes(data)
        for path, time in self._folders.items():
            os.utime(path, ns=(time, time))


class Sweep:
    """One verb, from one state of the folder.

    Args:
        work: an empty folder.
        start: makes the state; the verb begins with it each time.
        verb: the verb, on an open store or, for `open`, none.
    """

    def __init__(
        self,
        work: Path,
        start: Callable[[Path], None],
        verb: Callable[[MemoryStore], object] | None,
    ) -> None:
        self._folder = work / "store"
        start(self._folder)
        self._start = Snapshot(self._folder)
        self._verb = verb
        self._before = files_of(self._folder)
        self._after = self._changed()
        self._layer = Layer(self._folder)
        self._calls = 0
        self.tries = self.injected = 0
        self.wrong: list[str] = []

    def _changed(self) -> Files:
        with opened(self._folder) as store:
            if self._verb is not None:
                self._verb(store)
        return files_of(self._folder)

    def run(self, name: str, fault: Fault, step: int) -> None:
        """Let each call fail, or each so manieth one, until the verb meets no fault any more."""
        call = 1
        while self._meets(name, fault, call):
            call += step

    def _meets(self, name: str, fault: Fault, call: int) -> bool:
        self._start.restore()
        self._calls = 0
        try:
            fired, problems = self._once(fault, call)
        except Exception:  # noqa: BLE001 — whatever gets out is what is looked for
            self._calls = max(self._calls, self._layer.calls())
            fired, problems = self._layer.disarm(), [traceback.format_exc()]
        self.tries += 1
        self.injected += fired
        self.wrong += [f"{name}, call {call}: {problem}" for problem in problems]
        return self._calls >= call

    def _once(self, fault: Fault, call: int) -> tuple[int, list[str]]:
        store = opened(self._folder) if self._verb is not None else None
        if store is not None and not store.wait_until_ready(20):
            return 0, ["the store was not ready to begin with"]
        error: MemboundError | None = None
        self._layer.arm(call, fault)
        try:
            if self._verb is None or store is None:
                store = opened(self._folder)
            else:
                self._verb(store)
        except MemboundError as raised:
            error = raised
        self._calls = self._layer.calls()
        said = self._while_it_lasts(store) if fault.lasting else None
        fired = self._layer.disarm()
        problems: list[str] = []
        if isinstance(said, MemboundError) and not fault.kinds & Kind.READ:
            problems = [f"recall fails while the fault lasts: {said!r}"]
        elif isinstance(said, tuple) and said != right(files_of(self._folder)):
            problems = ["recall is wrong while the fault lasts"]
        if fired:
            problems += self._judged(error, fault)
            problems += self._healed(store)
        if store is not None:
            store.close()
        return fired, problems

    def _while_it_lasts(
        self, store: MemoryStore | None
    ) -> tuple[Answer, ...] | MemboundError | None:
        """What recall says meanwhile: the right thing, or that the disk cannot be read."""
        if store is None or self._closed(store):
            return None
        try:
            return answers(store)
        except MemboundError as error:
            return error

    def _judged(self, error: MemboundError | None, fault: Fault) -> list[str]:
        files = files_of(self._folder)
        if isinstance(error, PartialChangeError) and fault.lasting:
            mixed = all(
                files.get(name) in (self._before.get(name), self._after.get(name))
                for name in files | self._before | self._after
            )
            return [] if mixed else ["a file is neither the former nor the later one"]
        problems = []
        if isinstance(error, CanonicalFileError) and ";" not in str(error):
            problems.append(f"no word of what to do: {error}")
        # A purge that could not clean the index is done, and says so.
        done = error is None or isinstance(error, IndexUnavailableError)
        wanted, which = (self._after, "later") if done else (self._before, "former")
        if files != wanted:
            differ = sorted(k for k in files | wanted if files.get(k) != wanted.get(k))
            problems.append(f"not the {which} state: {differ}, after {error!r}")
        left = list((self._folder / "memory").glob(".*.tmp"))
        if len(left) > 1 and not fault.lasting:
            problems.append(f"left behind: {left}")
        return problems

    def _healed(self, store: MemoryStore | None) -> list[str]:
        """The fault is gone: this store, and another one, say what the files say."""
        problems = []
        if store is not None and not self._closed(store):
            problems += self._sound(store, "the same store")
            store.remember("pear again", scope="user", id="again", now=LATER)
            store.close()
        with opened(self._folder) as other:
            problems += self._sound(other, "another store")
        return problems

    def _sound(self, store: MemoryStore, which: str) -> list[str]:
        problems = []
        wanted = right(files_of(self._folder))
        if answers(store) != wanted:
            problems.append(f"{which}: recall is wrong at once")
        if not store.wait_until_ready(20):
            return [*problems, f"{which}: not ready: {store.diagnostics().reason}"]
        report = store.verify()
        if not report.ok:
            problems.append(f"{which}: {report}")
        if answers(store) != wanted:
            problems.append(f"{which}: recall is wrong when ready")
        return problems

    @staticmethod
    def _closed(store: MemoryStore) -> bool:
        return store._session._closed  # noqa: SLF001


def crashed(folder: Path) -> None:
    """A store whose writer was killed between its intents and its rows."""
    prepare(folder)
    child = os.fork()
    if not child:
        store = opened(folder)
        replace = Path.replace

        def killed(path: Path, target: Path) -> Path:
            replace(path, target)
            os._exit(0)

        Path.replace = killed  # type: ignore[method-assign, assignment]
        store.update("m1", content="pear 1")
    os.waitpid(child, 0)


def without_index(folder: Path) -> None:
    prepare(folder)
    (folder / "memory-index.sqlite3").unlink()


def empty(folder: Path) -> None:
    folder.mkdir()


STARTS = {"open": prepare, "open, crashed": crashed, "open, no index": without_index}
STARTS |= {"open, empty": empty}


def main(work: str, wanted: str) -> None:
    """Try verbs with faults, given as JSON: at each so manieth call of each verb."""
    logging.getLogger("membound").addHandler(logging.NullHandler())
    leave_nothing_to_chance()
    # Thousands of times, nobody waits for 5 s.
    projection._RETRY_SECONDS = watch._PAUSE_SECONDS = 0.0  # noqa: SLF001
    for verb, steps in json.loads(wanted).items():
        folder = Path(work) / verb
        folder.mkdir()
        start = STARTS.get(verb, prepare)
        sweep = Sweep(folder, start, None if verb in STARTS else (CHANGES | OTHERS)[verb])
        for name, step in steps.items():
            sweep.run(name, FAULTS[name], step)
        told = {"verb": verb, "tries": sweep.tries, "injected": sweep.injected}
        told |= {"seconds": round(process_time(), 1), "wrong": sweep.wrong}
        print(json.dumps(told), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
