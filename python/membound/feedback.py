"""Feedback: an append-only log of which records were really injected into which turn."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from contextlib import contextmanager, suppress
from functools import cache
from io import FileIO
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, NoReturn, Protocol

import msgspec

from membound.errors import CanonicalFileError, InvalidInputError, StoreClosedError
from membound.events import FeedbackEvent, retrieved_events
from membound.faults import reason_of
from membound.folders import make_private, real_folder
from membound.layout import FEEDBACK
from membound.log import logger
from membound.times import timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from membound.policy import FeedbackPolicy

__all__ = ["FeedbackLog", "FeedbackStatus", "record_retrieved"]

_SEGMENT = r"events-([0-9]{6,})\.jsonl"
_OURS: Final = os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | _OURS
_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | _OURS
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | _OURS

State = Literal["disabled", "ready", "degraded"]


class FeedbackStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How the log is: `reason` says what a degraded one does not hold."""

    enabled: bool
    state: State
    event_count: int
    reason: str | None = None


class FeedbackLog:
    """The segments under a store's folder. One event is written once, however often it comes."""

    def __init__(self, folder: Path, policy: FeedbackPolicy) -> None:
        self._folder = folder / FEEDBACK
        self._policy = policy
        self._lock = Lock()
        self._process = os.getpid()
        self._forget()

    def __reduce__(self) -> NoReturn:
        expected = "the path of the store, to open it in the other process"
        raise InvalidInputError("feedback", expected, "an open store's log")

    @property
    def enabled(self) -> bool:
        """Whether the policy lets anything be recorded."""
        return self._policy.enabled

    def append(self, events: Iterable[FeedbackEvent]) -> tuple[str, ...]:
        """Makes events durable; gives the ids of those that the log now holds.

        Raises:
            CanonicalFileError: the log cannot be written.
            StoreClosedError: the log was opened before a fork, in the parent.
        """
        if not self.enabled:
            return ()
        self._check()
        try:
            with self._lock, self._exclusive():
                return self._append(list(events))
        except OSError as fault:
            raise CanonicalFileError(str(self._folder), "append to", reason_of(fault)) from fault

    def status(self) -> FeedbackStatus:
        """Gives the state of the log, read anew where it grew.

        Raises:
            StoreClosedError: the log was opened before a fork, in the parent.
        """
        if not self.enabled:
            return FeedbackStatus(enabled=False, state="disabled", event_count=0)
        self._check()
        with self._lock:
            try:
                self._catch_up()
                reason = self._fault
            except OSError as fault:
                reason = reason_of(fault)
            state: State = "degraded" if reason else "ready"
            count = len(self._seen)
            return FeedbackStatus(enabled=True, state=state, event_count=count, reason=reason)

    @property
    def _fault(self) -> str | None:
        if self._full:
            most = f"{self._policy.max_total_bytes:,}"
            return f"the log is full at max_total_bytes, {most}: raise it or move old segments away"
        if self._malformed:
            return f"{self._malformed:,} lines of the log cannot be read"
        return None

    def _check(self) -> None:
        """Refuses a forked child: a thread that does not live here may hold the lock for ever."""
        if self._process != os.getpid():
            raise StoreClosedError("the log was opened before the fork; open the store again here")

    def _forget(self) -> None:
        self._read: dict[str, int] = {}
        self._seen: set[str] = set()
        self._malformed = 0
        self._full = False

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Holds the log against other processes: the lock is the folder's and ends with it."""
        make_private(self._folder, durable=True)
        handle = os.open(self._folder, _FOLDER_FLAGS)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            try:
                yield
                os.fsync(handle)
            finally:
                fcntl.flock(
                    handle, fcntl.LOCK_UN
                )  # closing is not enough: a fork may have copied it
        finally:
            os.close(handle)

    def _append(self, events: list[FeedbackEvent]) -> tuple[str, ...]:
        self._repair(self._catch_up())
        pending: dict[str, bytes] = {}
        fresh: set[str] = set()
        name, size = next(reversed(self._read.items()), (_segment(1), 0))
        total = sum(self._read.values())
        self._full = False
        for event in events:
            if event.id in self._seen or event.id in fresh:
                continue
            line = msgspec.json.encode(event) + b"\n"
            if total + len(line) > self._policy.max_total_bytes:
                self._full = True
                continue
            if size + len(line) > self._policy.max_segment_bytes:
                name, size = _segment(_number(name) + 1), 0
            pending[name] = pending.get(name, b"") + line
            size += len(line)
            total += len(line)
            fresh.add(event.id)
        for name, lines in pending.items():
            self._write(name, lines)
        self._seen |= fresh
        return tuple(dict.fromkeys(e.id for e in events if e.id in self._seen))

    def _catch_up(self) -> bytes:
        """Reads what the segments gained; gives the unfinished last line of the newest."""
        sizes = self._sizes()
        if any(sizes.get(name, 0) < read for name, read in self._read.items()):
            self._forget()
        tail = b""
        for at, (name, size) in enumerate(sizes.items(), 1):
            read = self._read.setdefault(name, 0)
            if size == read:
                continue
            with FileIO(os.open(self._folder / name, _READ)) as file:
                file.seek(read)
                data = file.read(size - read)
            if at == len(sizes):
                whole = data.rfind(b"\n") + 1
                data, tail = data[:whole], data[whole:]
            for line in data.splitlines():
                self._take(line)
            self._read[name] += len(data)
        return tail

    def _take(self, line: bytes) -> None:
        try:
            self._seen.add(_decoder().decode(line).id)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._malformed += 1

    def _repair(self, tail: bytes) -> None:
        """Ends an unfinished last line: one that only lacks its end is kept, a torn one cut off."""
        if not tail:
            return
        name = next(reversed(self._read))
        try:
            event = _decoder().decode(tail)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            logger().warning("a torn line of %s was cut off", name)
            with FileIO(os.open(self._folder / name, os.O_WRONLY | _OURS), "w") as file:
                file.truncate(self._read[name])
            return
        self._read[name] += len(tail)
        self._write(name, b"\n")
        self._seen.add(event.id)

    def _write(self, name: str, lines: bytes) -> None:
        """Appends whole lines, durably; what fails is cut off, so that it is not taken for done."""
        read = self._read.get(name, 0)
        handle = os.open(self._folder / name, _APPEND, 0o600)
        try:
            view = memoryview(lines)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        except OSError:
            # Where that fails too, the next append keeps whole lines and cuts off a torn one.
            with suppress(OSError):
                os.ftruncate(handle, read)
            raise
        finally:
            os.close(handle)
        self._read[name] = read + len(lines)

    def _sizes(self) -> dict[str, int]:
        """Gives the segments and their sizes, oldest first.

        Raises:
            OSError: a link has the place of the folder, or a segment has another name elsewhere.
        """
        if real_folder(self._folder) is None:
            return {}
        with os.scandir(self._folder) as entries:
            sizes = {e.name: _size(e) for e in entries if re.fullmatch(_SEGMENT, e.name)}
        return dict(sorted(sizes.items(), key=lambda item: _number(item[0])))


class FeedbackStore(Protocol):
    """What a store offers to feedback."""

    @property
    def feedback(self) -> FeedbackLog:
        """The store's log."""
        ...

    def now(self) -> datetime:
        """The moment, by the store's clock."""
        ...


def record_retrieved(
    store: FeedbackStore,
    *,
    thread_id: str,
    turn_id: str,
    memory_ids: Iterable[str],
    now: datetime | None = None,
) -> tuple[str, ...]:
    """Logs which records were really injected into a turn; gives the ids of the events.

    Feedback must never cost a turn: it is off unless the policy says otherwise, and whatever goes
    wrong is a warning in the log of "membound" and an empty answer.
    """
    try:
        log = store.feedback
        if not log.enabled:
            return ()
        moment = timestamp(store.now() if now is None else now)
        return log.append(retrieved_events(thread_id, turn_id, memory_ids, moment))
    except Exception as fault:  # noqa: BLE001 — the promise is that nothing gets out
        logger().warning("feedback was not recorded: %s", type(fault).__name__)
        return ()


def _size(segment: os.DirEntry[str]) -> int:
    """Measures a segment, which is written in place and so must not be another file too."""
    found = segment.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        raise OSError(errno.ELOOP, f"{segment.name} is a link")
    return found.st_size


def _segment(number: int) -> str:
    return f"events-{number:06d}.jsonl"


def _number(name: str) -> int:
    match = re.fullmatch(_SEGMENT, name)
    return int(match[1]) if match else 0


@cache
def _decoder() -> msgspec.json.Decoder[FeedbackEvent]:
    return msgspec.json.Decoder(FeedbackEvent)
