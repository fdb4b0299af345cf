"""One run: a step by chance, then a recall that must be what the model says, again and again."""

from __future__ import annotations

import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Self

from membound import MemoryStore
from tests.soak.compare import assert_recalled, assert_sound, log_size, stored
from tests.soak.model import Model, settled, views
from tests.soak.process import Worker
from tests.soak.steps import Steps
from tests.soak.worker import recall

if TYPE_CHECKING:
    import random
    from pathlib import Path
    from types import TracebackType

    from tests.soak.model import Command

STEPS_KEPT = 15
LONGEST_DELAY = 0.06
"""Seconds from a command to the kill; most commands take less."""
KINDS = {"one": 70, "two": 10, "refused": 6, "kill": 5, "kill one of two": 3, "reopen": 6}


class Soak:
    """A store in three processes: two that write and are killed, and one that only reads.

    Args:
        folder: the store's.
        chance: the seeded source of every choice.

    Attributes:
        last: the last steps, so that a failure can be understood.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder = folder
        self._chance = chance
        self._model = Model()
        self._steps = Steps(chance, self._model)
        self._files = MemoryStore.open(folder, index=False, tokenizer="v1")
        self._reader = Worker(folder).opened()
        self._writers = [self._worker(), self._worker()]
        self.last: deque[str] = deque(maxlen=STEPS_KEPT)
        self.counts: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.largest_log = 0
        self.steps = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for worker in (self._reader, *self._writers):
            worker.kill()
        self._files.close()

    def _worker(self) -> Worker:
        return Worker(self._folder, self._chance.choice(["full", "relaxed"])).opened()

    def memory(self) -> int:
        """Bytes that the reading process holds."""
        return self._reader.memory()

    def records(self) -> int:
        return len(self._model.records)

    def step(self) -> None:
        """Take one step and compare."""
        (kind,) = self._chance.choices(list(KINDS), list(KINDS.values()))
        match kind:
            case "one":
                self._one()
            case "two":
                self._two()
            case "refused":
                self._refused()
            case "reopen":
                self._reopen()
            case _:
                self._kill(with_another=kind != "kill")
        self.steps += 1
        self._compare()

    def _compare(self) -> None:
        self._recall()
        self.largest_log = max(self.largest_log, log_size(self._folder))
        if self.steps % 10 == 0:
            assert stored(self._files) == views(self._model.records)
            self.counts["all records compared"] += 1
        if self.steps % 100 == 0:
            assert_sound(self._folder, [self._steps.request()], self.counts["kill"])
            self.counts["verify"] += 1

    def _recall(self) -> None:
        """Recall by the reader, now and then by a writer, now and then from the files."""
        request, found = self._recall_by_reader()
        if self.steps % 5 == 0:
            writer = self._chance.choice(self._writers)
            again = writer.ask({"verb": "recall", "request": request})
            assert {name: again[name] for name in found} == found, request
        if self.steps % 7 == 0:
            assert recall(self._files, request) == found, request
            self.counts["recall, index=False"] += 1

    def _recall_by_reader(self) -> tuple[dict[str, Any], dict[str, Any]]:
        request = self._steps.request()
        self._note("recall", request)
        found = self._reader.ask({"verb": "recall", "request": request})
        self.seconds.append(found.pop("seconds"))
        self.counts[f"recall, {found.pop('mode')}"] += 1
        assert_recalled(found, self._model, request)
        return request, found

    def _command(self, taken: frozenset[str] = frozenset()) -> Command:
        command = self._steps.command(taken)
        self.counts[command["verb"]] += 1
        return command

    def _one(self) -> None:
        command = self._command()
        writer = self._chance.choice(self._writers)
        self._note("command", command)
        self._acknowledge(command, writer.ask(command))

    def _two(self) -> None:
        """Both writers at once, on different records."""
        one = self._command()
        other = self._command(self._model.touched(one))
        self._note("two", [one, other])
        for writer, command in zip(self._writers, (one, other), strict=True):
            writer.tell(command)
        answers = [writer.hear() for writer in self._writers]
        for command, answer in zip((one, other), answers, strict=True):
            self._acknowledge(command, answer)

    def _refused(self) -> None:
        """What must be refused, and change nothing."""
        command, error = self._steps.refused()
        self._note("refused", command)
        self.counts["refused"] += 1
        answer = self._chance.choice(self._writers).ask(command)
        assert answer.get("error") == error, (command, error, answer)

    def _reopen(self) -> None:
        self._note("reopen", None)
        self.counts["reopen"] += 1
        which = self._chance.randrange(2)
        assert self._writers[which].end() == 0
        self._writers[which].kill()
        self._writers[which] = self._worker()

    def _kill(self, *, with_another: bool) -> None:
        """Kill a writer at work; what it has not acknowledged is done or not, by what is stored."""
        self.counts["kill"] += 1
        which = self._chance.randrange(2)
        command = self._command()
        writer, other = self._writers[which], self._writers[1 - which]
        self._note("kill", command)
        writer.tell(command)
        if with_another:
            more = self._command(self._model.touched(command))
            self._note("meanwhile", more)
            other.tell(more)
        time.sleep(self._chance.uniform(0, LONGEST_DELAY))
        heard = writer.kill()
        if with_another:
            self._acknowledge(more, other.hear())
        if heard:
            self._acknowledge(command, heard[0])
        else:
            self._model.take(settled(self._model, command, stored(self._files)))
        self._recall_by_reader()
        self._writers[which] = self._worker()

    def _acknowledge(self, command: Command, answer: dict[str, Any]) -> None:
        assert answer is not None, command
        assert "error" not in answer, (command, answer)
        if command["verb"] == "supersede":
            command["new"] = next(iter(answer))
        changes = self._model.changes(command)
        told = views({id: answer[id] for id in changes})
        assert told == views(changes), command
        self._model.take(changes)

    def _note(self, kind: str, what: object) -> None:
        self.last.append(f"{self.steps} {kind}: {what}")
