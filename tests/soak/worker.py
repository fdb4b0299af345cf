"""A process that works on a store as it is told: a command a line in, an answer a line out.

An answer is written after the verb has returned, so what it says must hold whatever happens next.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from membound import MemoryRecord, MemoryStore
from membound.errors import MemboundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from membound import RetrievalResult
    from membound.store import Durability

TIMES = {
    "observedAt": "observed_at",
    "validFrom": "valid_from",
    "validTo": "valid_to",
    "expiresAt": "expires_at",
}
NAMES = {**TIMES, "projectIdentity": "project_identity"}


def say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def keywords(fields: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a verb: times are moments there, under names of Python's kind."""
    return {
        NAMES.get(name, name): datetime.fromisoformat(value) if name in TIMES and value else value
        for name, value in fields.items()
    }


def perform(store: MemoryStore, command: dict[str, Any]) -> Iterable[str]:
    """Carry a command out; give the ids of the records that it may have changed."""
    verb, now = command["verb"], datetime.fromisoformat(command["now"])
    match verb:
        case "remember" | "remember_many":
            drafts = [keywords(draft) for draft in command["drafts"]]
            if verb == "remember":
                store.remember(now=now, **drafts[0])
            else:
                store.remember_many(drafts, now=now)
            return [id for draft in drafts for id in (draft["id"], *chain(store, draft))]
        case "supersede":
            new = store.supersede(command["id"], now=now, **keywords(command["draft"]))
            return [new.id, *chain(store, new.to_dict())]
        case "import_records":
            records = list(map(MemoryRecord.from_dict, command["records"]))
            store.import_records(records, on_conflict=command["on_conflict"])
            return [record.id for record in records]
        case "rebuild_index":
            store.rebuild_index()
            return []
        case "purge":
            before = state(store, command["id"])
            store.purge(command["id"])
            return [command["id"], *chain(store, before)]
        case "update":
            store.update(command["id"], now=now, **keywords(command["changes"]))
        case _:
            getattr(store, verb)(command["id"], now=now)
    return [command["id"], *chain(store, state(store, command["id"]))]


def chain(store: MemoryStore, record: dict[str, Any] | None) -> list[str]:
    """The ids of what a record has replaced, and of what that one had."""
    before = record.get("supersedes") if record else None
    if before is None:
        return []
    further = (state(store, before) or {}).get("supersedes")
    return [before] if further is None else [before, further]


def states(store: MemoryStore, ids: Iterable[str]) -> dict[str, Any]:
    return {id: state(store, id) for id in ids}


def state(store: MemoryStore, id: str) -> dict[str, Any] | None:
    try:
        return store.get(id).to_dict()
    except MemboundError:
        return None


def answer(result: RetrievalResult) -> dict[str, Any]:
    """What a recall gave, in the names of the oracle."""
    trace = result.trace
    stages = ("scope", "lifecycle", "purpose", "request", "irrelevant")
    return {
        "selectedIds": list(trace.selected_ids),
        "duplicateIds": list(trace.duplicate_ids),
        "excludedIds": list(trace.excluded_ids),
        "truncatedIds": list(trace.truncated_ids),
        "candidateCount": trace.candidate_count,
        "filtered": {stage: getattr(trace.filtered, stage) for stage in stages},
        "context": result.context,
    }


def recall(store: MemoryStore, request: dict[str, Any]) -> dict[str, Any]:
    options = {**request, "now": datetime.fromisoformat(request["now"])}
    return answer(store.retrieve(options.pop("query"), **options))


class Clock:
    """The moment of the last command: `purge` takes none."""

    def __init__(self) -> None:
        self.now = datetime.min.replace(tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def work(folder: str, durability: str) -> None:
    say("opening")
    clock = Clock()
    kind: Durability = "full" if durability == "full" else "relaxed"
    with MemoryStore.open(folder, durability=kind, clock=clock, tokenizer="v1") as store:
        say("open")
        for line in sys.stdin:
            command = json.loads(line)
            clock.now = datetime.fromisoformat(command.get("now", clock.now.isoformat()))
            try:
                if command["verb"] == "recall":
                    begun = time.perf_counter()
                    found = recall(store, command["request"])
                    took = time.perf_counter() - begun
                    mode = "index" if store.diagnostics().index_state == "ready" else "files"
                    say({**found, "seconds": took, "mode": mode})
                else:
                    say(states(store, perform(store, command)))
            except MemboundError as error:
                say({"error": type(error).__name__, "message": str(error)})


if __name__ == "__main__":
    work(*sys.argv[1:])
