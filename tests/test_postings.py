"""Postings in memory, seen from the store: when they answer, what bounds them, what they forget."""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore
from membound.errors import IndexUnavailableError, InvalidInputError, StoreClosedError
from tests.adapters import moment
from tests.strategies import NOW

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60.0


def filled(path: Path, count: int = 300) -> None:
    with MemoryStore.open(path, durability="relaxed", tokenizer="v1") as store:
        store.remember_many(
            [
                {"content": f"kiwi number {number} 数据库", "scope": "user", "id": f"k{number}"}
                for number in range(count)
            ],
            now=moment(NOW),
        )


def from_memory(store: MemoryStore, query: str = "kiwi number 7") -> bool:
    found = store.retrieve(query, now=moment(NOW))
    assert len(found.records) == 8
    assert found.trace.mode == "sqlite-fts5"
    return found.from_memory


def test_a_store_that_goes_on_recalling_answers_from_memory(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path) as store:
        assert [from_memory(store), from_memory(store)] == [False, False]
        assert store.diagnostics().postings.state == "filling"
        deadline = time.monotonic() + PATIENCE
        while not from_memory(store):
            assert time.monotonic() < deadline
        assert store.diagnostics().postings.records == 300


def test_warming_up_reads_all_at_once(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path) as store:
        assert store.warm_up(PATIENCE)
        status = store.diagnostics().postings
        assert (status.state, status.records) == ("ready", 300)
        assert 300 * 50 < status.bytes < 300 * 2_000
        assert store.diagnostics().index_bytes >= (tmp_path / "memory-index.sqlite3").stat().st_size
        assert from_memory(store)


def test_a_store_without_an_index_has_nothing_to_read(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, index=False) as store:
        assert store.diagnostics().postings.state == "off"
        with pytest.raises(IndexUnavailableError):
            store.warm_up(PATIENCE)
    with pytest.raises(StoreClosedError):
        store.warm_up(PATIENCE)


def test_no_memory_is_taken_where_none_is_given(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path, postings_bytes=0) as store:
        assert not store.warm_up(PATIENCE)
        assert not any(from_memory(store) for _ in range(8))
        status = store.diagnostics().postings
        assert (status.state, status.records, status.bytes) == ("off", 0, 0)


def test_postings_that_need_more_memory_are_dropped_and_the_file_answers(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path, postings_bytes=10_000) as store:
        assert not store.warm_up(PATIENCE)
        assert not any(from_memory(store) for _ in range(8))
        status = store.diagnostics().postings
        assert (status.state, status.records, status.bytes) == ("too-large", 0, 0)


@pytest.mark.parametrize("wrong", ["much", None, float("nan"), True])
def test_the_bound_is_a_number(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="postings_bytes"):
        MemoryStore.open(tmp_path, postings_bytes=wrong)  # type: ignore[arg-type]


def test_another_stores_changes_are_followed_at_the_next_recall(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path) as store, MemoryStore.open(tmp_path) as other:
        assert store.warm_up(PATIENCE)
        other.remember("a walnut in the cellar", id="walnut", scope="user", now=moment(NOW))
        found = store.retrieve("walnut cellar", now=moment(NOW))
        assert (found.from_memory, found.trace.selected_ids) == (True, ("walnut",))
        other.purge("walnut")
        gone = store.retrieve("walnut cellar", now=moment(NOW))
        assert (gone.from_memory, gone.context) == (True, "")


def test_many_changes_of_another_store_are_read_behind_the_recalls(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path) as store, MemoryStore.open(tmp_path) as other:
        assert store.warm_up(PATIENCE)
        other.remember_many(
            [{"content": f"a walnut {number}", "scope": "user"} for number in range(900)],
            now=moment(NOW),
        )
        query = "kiwi number 7"
        assert not from_memory(store, query)
        deadline = time.monotonic() + PATIENCE
        while not from_memory(store, query):
            assert time.monotonic() < deadline
        assert store.diagnostics().postings.records == 1_200


def test_an_index_that_is_made_anew_is_read_anew(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path) as store:
        assert store.warm_up(PATIENCE)
        store.rebuild_index()
        assert store.diagnostics().postings.state == "filling"
        assert store.warm_up(PATIENCE)
        assert from_memory(store)


def test_more_than_the_listed_are_ranked_where_duplicates_take_their_place(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, tokenizer="v1") as store:
        drafts = [
            {
                "content": "kiwi harvest",
                "scope": "user",
                "id": f"same{number:03}",
                "importance": 1.0,
            }
            for number in range(200)
        ]
        drafts.append({"content": "kiwi harvest late", "scope": "user", "id": "other"})
        store.remember_many(drafts, now=moment(NOW))
        assert store.warm_up(PATIENCE)
        found = store.retrieve("kiwi harvest", now=moment(NOW))
        assert found.from_memory
        assert found.trace.selected_ids == ("same000", "other")
        assert len(found.trace.duplicate_ids) == 64
        assert len(found.trace.rankings) == 64


def test_no_record_that_is_looked_at_itself_comes_before_a_better_one(tmp_path: Path) -> None:
    """Beyond the listed ones an outranked record may be better than one that time has a say in."""
    with MemoryStore.open(tmp_path, postings_bytes=0, tokenizer="v1") as store:
        same = [
            {
                "content": "kiwi harvest",
                "scope": "user",
                "id": f"same{number:03}",
                "importance": 1.0,
            }
            for number in range(100)
        ]
        better = {"content": "kiwi harvest late", "scope": "user", "id": "a", "importance": 0.5}
        dated = {**better, "content": "kiwi harvest soon", "id": "b", "importance": 0.0}
        dated["valid_from"] = moment(NOW)
        store.remember_many([*same, better, dated], now=moment(NOW))
        expected = store.retrieve("kiwi harvest", now=moment(NOW), limit=2).trace.selected_ids
    with MemoryStore.open(tmp_path, tokenizer="v1") as store:
        assert store.warm_up(PATIENCE)
        found = store.retrieve("kiwi harvest", now=moment(NOW), limit=2)
        assert found.from_memory
        assert found.trace.selected_ids == expected == ("same000", "a")


def test_a_result_is_a_value_whenever_it_is_read(tmp_path: Path) -> None:
    filled(tmp_path)
    with MemoryStore.open(tmp_path) as store:
        first, second = (store.retrieve("kiwi number 7", now=moment(NOW)) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert repr(first) == repr(second)
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301 — our own bytes
    assert first.records is first.records
    assert first != store
    with pytest.raises(AttributeError):
        first.context = ""  # type: ignore[misc]
