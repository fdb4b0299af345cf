"""The index after changes: what it answers is what the records, as they are now, give."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from membound.errors import MemboundError
from tests.adapters import (
    answer_of,
    ask,
    ask_oracle,
    ask_records,
    assert_same,
    moment,
    options_of,
    records_of,
    store_of,
    warm_store_of,
    without_channels,
)
from tests.strategies import NOW
from tests.wordings import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    import membound
    from tests.conformance import Request
    from tests.oracle.tokens import Record

STEPS = 60


each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.tokenizer for kind in KINDS])


def assert_index_is_current(
    store: membound.MemoryStore,
    warm: membound.MemoryStore,
    request: Request,
) -> None:
    """Ask the index, the memory of another and, with all that is exported, the pure function."""
    exported = [record.to_dict() for record in store.export()]
    result = store.retrieve(request["query"], **options_of(request))
    pure = ask_records(exported, request)
    assert result.trace.mode == "sqlite-fts5"
    assert without_channels(answer_of(result)) == without_channels(pure)
    remembered = warm.retrieve(request["query"], **options_of(request))
    assert remembered.from_memory
    assert without_channels(answer_of(remembered)) == without_channels(pure)
    assert_same(pure, ask_oracle(exported, request))


@each_kind
def test_replaced_records_leave_nothing_behind(kind: Kind, tmp_path: Path) -> None:
    chance = random.Random("changes")
    records = kind.records(chance, 40)
    with (
        store_of(tmp_path, records, index=True, tokenizer=kind.tokenizer) as store,
        warm_store_of(tmp_path) as warm,
    ):
        for _ in range(10):
            place = chance.randrange(len(records))
            (made,) = kind.records(chance, 1)
            changed = {**made, "id": records[place]["id"]}
            records[place] = changed
            store.import_records(records_of([changed]), on_conflict="replace")
            store.wait_until_ready(60)
            for _ in range(5):
                request = kind.request(chance, records)
                for one in (store, warm):
                    found = without_channels(ask(one.retrieve, request))
                    assert found == without_channels(ask_records(records, request))


def change(
    store: membound.MemoryStore, chance: random.Random, made: list[Record], now: datetime
) -> None:
    """Apply one verb to some record; a verb that does not suit its state is refused, typed."""
    id = chance.choice([record.id for record in store.export()])
    content = str(chance.choice(made)["content"])
    soon = now + timedelta(milliseconds=1)
    verbs: list[Callable[[], object]] = [
        lambda: store.remember(content, scope="user", now=now),
        lambda: store.remember(content, scope="workspace", workspace="/ws/alpha", now=now),
        lambda: store.update(id, content=content, now=now),
        lambda: store.update(id, tags=["preference"], importance=0.9, now=now),
        lambda: store.update(id, expires_at=soon, now=now),
        lambda: store.update(id, authority="directive", now=now),
        lambda: store.disable(id, now=now),
        lambda: store.enable(id, now=now),
        lambda: store.supersede(id, content, now=now),
        lambda: store.delete(id, now=now),
        lambda: store.restore(id, now=now),
        lambda: store.purge(id),
    ]
    chance.choice(verbs)()


@each_kind
@pytest.mark.parametrize("seed", range(4))
def test_every_verb_leaves_the_index_current(seed: int, kind: Kind, tmp_path: Path) -> None:
    chance = random.Random(f"verbs-{seed}")
    made, others = kind.records(chance, 25), kind.records(chance, 100)
    now = moment(NOW) - timedelta(hours=1)
    done = 0
    with (
        store_of(tmp_path, made, index=True, tokenizer=kind.tokenizer) as store,
        warm_store_of(tmp_path) as warm,
    ):
        for step in range(STEPS):
            try:
                change(store, chance, others, now + timedelta(seconds=step))
                done += 1
            except MemboundError:
                continue
            for _ in range(3):
                assert_index_is_current(store, warm, kind.request(chance, made))
        assert store.verify().ok
    assert done > STEPS / 2
