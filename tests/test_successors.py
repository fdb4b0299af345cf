"""Chains of records that replace one another: no fork, no cycle, no revival unless asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from membound import MemoryRecord
from membound.errors import ConflictError, NotFoundError
from tests.stores import found

if TYPE_CHECKING:
    from membound import MemoryStore


def chain(store: MemoryStore) -> tuple[str, str, str]:
    """Z, which A replaced, which B replaced."""
    z = store.remember("office on floor 2", scope="user", id="z").id
    a = store.supersede(z, "office on floor 5").id
    return z, a, store.supersede(a, "office on floor 9").id


@pytest.mark.parametrize("verb", ["delete", "purge"])
def test_nothing_that_was_replaced_revives_unless_asked(store: MemoryStore, verb: str) -> None:
    z, a, b = chain(store)
    assert found(store, "office floor") == (b,)
    with pytest.raises(ConflictError, match=f"replaced by {b}"):
        store.restore(a)
    getattr(store, verb)(b)
    assert found(store, "office floor") == ()
    with pytest.raises(ConflictError, match="replaced"):
        store.supersede(z, "office on floor 3")
    assert store.restore(a).superseded_at is None
    assert found(store, "office floor") == (a,)
    if verb == "delete":
        store.restore(b)
        assert found(store, "office floor") == (b,), "it replaces what it had replaced again"
        assert store.get(a).superseded_at


def test_what_an_import_left_unmarked_does_not_revive_either(store: MemoryStore) -> None:
    old = store.remember("office on floor 2", scope="user", id="a").to_dict()
    new = {**old, "id": "b", "content": "office on floor 5", "supersedes": "a"}
    store.import_records([MemoryRecord.from_dict(new)])
    assert found(store, "office floor") == ("b",)
    with pytest.raises(ConflictError, match="replace b instead"):
        store.supersede("a", "a fork")
    store.delete("b")
    assert found(store, "office floor") == ()
    assert store.get("a").superseded_at


def test_a_restored_record_makes_no_fork(store: MemoryStore) -> None:
    _, a, b = chain(store)
    store.delete(b)
    store.restore(a)
    c = store.supersede(a, "office on floor 7").id
    with pytest.raises(ConflictError, match=c) as refused:
        store.restore(b)
    assert refused.value.record_id == b
    assert found(store, "office floor") == (c,)


def test_a_cycle_is_refused(store: MemoryStore) -> None:
    old = store.remember("kiwi", scope="user", id="z").to_dict()
    made = [{**old, "id": "a", "supersedes": "x"}, {**old, "id": "b", "supersedes": "a"}]
    store.import_records(map(MemoryRecord.from_dict, made))
    for id, replaced in (("x", "a"), ("x", "b"), ("y", "y")):
        with pytest.raises((ConflictError, NotFoundError)):
            store.remember("pear", scope="user", id=id, supersedes=replaced)
    with pytest.raises((ConflictError, NotFoundError)):
        store.remember_many(
            [
                {"content": "c", "scope": "user", "id": "c", "supersedes": "d"},
                {"content": "d", "scope": "user", "id": "d", "supersedes": "c"},
            ]
        )
    assert {record.id for record in store.export()} == {"z", "a", "b"}
