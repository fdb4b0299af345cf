"""A small store in a known state, and every verb that is tried on it: with given ids and times.

The verbs touch different records, so that one store can see them all, one after the other.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from membound import (
    MemoryDraft,
    MemoryPolicy,
    MemoryRecord,
    MemoryStore,
    mutations,
    record_retrieved,
)
from membound.policy import FeedbackPolicy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
QUERIES = ("kiwi harvest 3 pear plum", "walnut")
POLICY = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))


def leave_nothing_to_chance() -> None:
    """Give the id that `supersede` makes; for children only."""
    mutations.__dict__["new_id"] = lambda _now: "s2"


def opened(folder: Path) -> MemoryStore:
    """Open a store as the tests of faults do: durable, with feedback."""
    return MemoryStore.open(folder, policy=POLICY, clock=lambda: LATER, tokenizer="v1")


def prepare(folder: Path, done: Callable[[str], object] = str) -> None:
    """Fill a store with a record of every state; ``done`` is told the name of each step."""
    drafts = [MemoryDraft(f"kiwi harvest {n}", scope="user", id=f"m{n}") for n in range(6)]
    more: dict[str, dict[str, str]] = {
        "off": {"content": "walnut"},
        "gone": {"content": "walnut tree"},
        "old": {"content": "kiwi of old"},
        "rule": {"content": "plum", "authority": "directive"},
    }
    with opened(folder) as store:
        store.remember_many(drafts, now=NOW)
        done("six")
        for id, fields in more.items():
            store.remember_many([{**fields, "scope": "user", "id": id}], now=NOW)
            done(f"remember {id}")
        store.disable("off", now=NOW)
        done("disable off")
        store.delete("gone", now=NOW)
        done("delete gone")


def _batch(store: MemoryStore) -> None:
    drafts = [MemoryDraft(f"pear {n}", scope="user", id=f"n{n}") for n in range(4)]
    superseding = MemoryDraft("pear over kiwi", scope="user", id="n4", supersedes="m4")
    store.remember_many([*drafts, superseding], now=LATER)


def _import(store: MemoryStore) -> None:
    changed = {"m0": "pear 0", "i1": "pear one", "m3": "pear 3", "i2": "pear two"}
    fields = [{**_M0, "id": id, "content": content} for id, content in changed.items()]
    store.import_records(map(MemoryRecord.from_dict, fields), on_conflict="replace")


_M0 = MemoryDraft("kiwi", scope="user").to_record(id="m0", now=NOW).to_dict()


def _feedback(store: MemoryStore) -> None:
    ids = ("m0", "m1")
    record_retrieved(store, thread_id="t", turn_id="u", memory_ids=ids, now=NOW)


CHANGES: dict[str, Callable[[MemoryStore], object]] = {
    "remember": lambda store: store.remember("pear new", scope="user", id="p0", now=LATER),
    "remember_many": _batch,
    "update": lambda store: store.update("m1", content="pear 1", tags=["fruit"], now=LATER),
    "supersede": lambda store: store.supersede("m2", "pear 2", now=LATER),
    "disable": lambda store: store.disable("m5", now=LATER),
    "enable": lambda store: store.enable("off", now=LATER),
    "delete": lambda store: store.delete("m5", now=LATER),
    "restore": lambda store: store.restore("gone", now=LATER),
    "purge": lambda store: store.purge("old"),
    "import_records": _import,
}
"""Verbs that change records."""

OTHERS: dict[str, Callable[[MemoryStore], object]] = {
    "retrieve": lambda store: store.retrieve("kiwi harvest"),
    "list": lambda store: store.list(),
    "list_directives": lambda store: store.list_directives(),
    "get": lambda store: store.get("m0"),
    "export": lambda store: list(store.export()),
    "diagnostics": lambda store: store.diagnostics(),
    "verify": lambda store: store.verify(),
    "rebuild_index": lambda store: store.rebuild_index(),
    "backfill": lambda store: store.backfill(),
    "record_retrieved": _feedback,
    "close": lambda store: store.close(),
}
"""Verbs that leave every record as it is."""
