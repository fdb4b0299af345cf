"""The verbs of the store: what each promises, on both paths."""

from __future__ import annotations

import asyncio
import pickle
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from membound import MemoryDraft, MemoryPolicy, MemoryRecord, MemoryStore, resolve_turn_context
from membound.cli.place import folder
from membound.errors import (
    ConflictError,
    DuplicateIdError,
    InvalidInputError,
    NotFoundError,
    RevisionConflictError,
    StoreClosedError,
)
from tests.stores import NOW, found

if TYPE_CHECKING:
    from pathlib import Path

LATER = NOW + timedelta(hours=1)


def test_each_verb_is_seen_by_the_next_recall(store: MemoryStore) -> None:
    kiwi = store.remember("kiwi harvest", scope="user", id="k")
    assert found(store, "kiwi harvest") == (kiwi.id,)
    store.update("k", content="walnut harvest")
    assert found(store, "kiwi") == ()
    assert found(store, "walnut") == ("k",)
    store.disable("k")
    assert found(store, "walnut") == ()
    store.enable("k")
    assert found(store, "walnut") == ("k",)
    store.delete("k")
    assert found(store, "walnut") == ()
    store.restore("k")
    assert found(store, "walnut") == ("k",)
    newer = store.supersede("k", "almond harvest")
    assert found(store, "harvest") == (newer.id,)
    store.delete(newer.id)
    assert found(store, "harvest") == (), "deleting the successor revives nothing"
    store.purge("k")
    with pytest.raises(NotFoundError):
        store.get("k")


def test_an_update_keeps_the_former_state_in_its_history(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user", id="k", confidence=0.5, expires_at=LATER)
    after = store.update("k", content="walnut", expires_at=None, now=LATER, expected_revision=1)
    assert (after.revision, after.confidence, after.corrected_from) == (2, 1.0, "kiwi")
    assert after.expires_at is None
    assert after.updated_at == "2026-07-01T13:00:00.000Z"
    assert after.history[0].snapshot.content == "kiwi"
    with pytest.raises(RevisionConflictError) as refused:
        store.update("k", content="pear", expected_revision=1)
    assert (refused.value.expected, refused.value.found) == (1, 2)
    assert store.get("k") == after


def test_superseding_twice_or_elsewhere_is_refused(store: MemoryStore) -> None:
    store.remember("office on floor 2", workspace="/ws", id="a")
    store.supersede("a", "office on floor 5")
    with pytest.raises(ConflictError):
        store.supersede("a", "office on floor 7")
    store.remember("kiwi", scope="user", id="k")
    with pytest.raises(ConflictError):
        store.remember("walnut", workspace="/ws", supersedes="k")
    assert found(store, "kiwi") == ("k",)


def test_many_are_checked_before_the_first_is_written(store: MemoryStore) -> None:
    good = {"content": "kiwi", "scope": "user"}
    with pytest.raises(InvalidInputError, match=r"drafts\.1\.content"):
        store.remember_many([good, {"content": "ok \ud83d", "scope": "user"}, good])
    assert store.list() == ()
    seen: list[tuple[int, int]] = []
    kept = store.remember_many(
        [MemoryDraft(f"kiwi {n}", scope="user") for n in range(5)],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (5, 5)
    assert {record.id for record in store.list()} == {record.id for record in kept}


def test_an_id_is_taken_once(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user", id="k")
    with pytest.raises(DuplicateIdError):
        store.remember("walnut", scope="user", id="k")
    for bad in ("../x", "a/b", "", "a\n", "-a", "é"):
        with pytest.raises(InvalidInputError):
            store.remember("walnut", scope="user", id=bad)
    assert [record.content for record in store.list()] == ["kiwi"]


def test_an_import_keeps_records_as_they_are_and_revives_nothing(store: MemoryStore) -> None:
    made = store.remember("kiwi", scope="user", id="k")
    assert store.import_records([made]).skipped == ("k",)
    other = store.update("k", content="walnut")
    with pytest.raises(DuplicateIdError):
        store.import_records([made])
    assert store.import_records([made], on_conflict="skip").skipped == ("k",)
    assert store.import_records([made], on_conflict="replace").replaced == ("k",)
    assert store.get("k") == made != other
    store.delete("k")
    assert store.import_records([made], on_conflict="replace").skipped == ("k",)
    assert found(store, "kiwi") == ()
    with pytest.raises(InvalidInputError):
        store.import_records([made, made])


def test_pages_join_while_records_come_and_go(store: MemoryStore) -> None:
    store.remember_many([MemoryDraft("n", scope="user", id=f"m{n:03}") for n in range(100)])
    seen: list[str] = []
    page = store.list(limit=7)
    while page:
        seen += [record.id for record in page]
        store.purge(page[0].id)
        store.remember("n", scope="user", id=f"a{len(seen)}")
        page = store.list(limit=7, before=(page[-1].updated_at, page[-1].id))
    assert [id for id in seen if id.startswith("m")] == [f"m{n:03}" for n in range(100)]
    assert store.list(limit=0) == ()


def test_every_date_has_its_place_in_a_list(store: MemoryStore) -> None:
    """The order of ECMAScript's instants, beyond Python's years; a text that is none is last."""
    dates = ["+010000-01-01T00:00:00Z", "2026-01-01", "-000001-01-01", "", "soon", "0000-01-01"]
    dates += ["+275760-09-13T00:00:00.000Z", "+275760-09-13T00:00:00.001Z", "2026-01-01T00:00:01Z"]
    expected = [6, 0, 8, 1, 5, 2, 3, 4, 7]
    base = store.remember("kiwi", scope="user", id="base").to_dict()
    store.purge("base")
    made = [base | {"id": f"m{n}", "updatedAt": date} for n, date in enumerate(dates)]
    store.import_records(map(MemoryRecord.from_dict, made))
    assert [record.id for record in store.list()] == [f"m{n}" for n in expected]
    seen: list[str] = []
    page = store.list(limit=1)
    while page:
        seen += [record.id for record in page]
        page = store.list(limit=1, before=(page[-1].updated_at, page[-1].id))
    assert seen == [f"m{n}" for n in expected]


def test_lists_are_filtered(store: MemoryStore) -> None:
    store.remember("a", scope="user", id="a", tags=["auth"], type="decision")
    store.remember("b", workspace="/ws", id="b", tags=["authentication"])
    store.remember("c", workspace="/ws", id="c", expires_at=NOW)
    assert [r.id for r in store.list(tags=["AUTH "])] == ["a"]
    assert [r.id for r in store.list(workspace="/ws/")] == ["b"]
    assert [r.id for r in store.list(workspace="/ws", include_inactive=True)] == ["b", "c"]
    assert [r.id for r in store.list(scope="user", type=["decision", "fact"])] == ["a"]


def test_a_turn_gets_its_rules_and_its_memories(store: MemoryStore) -> None:
    store.remember("Answer in English.", scope="user", authority="directive", id="rule")
    store.remember("kiwi harvest in June", scope="user", id="k")
    turn = resolve_turn_context(store, "kiwi harvest")
    assert [record.id for record in turn.directives] == ["rule"]
    assert [record.id for record in turn.memories] == ["k"]
    assert turn.blocks == (turn.directive_block, turn.reference_block)
    assert resolve_turn_context(store, "zzz", policy=MemoryPolicy(enabled=False)).blocks == ()
    state = store.diagnostics()
    assert (state.last_injected_ids, state.canonical_count) == ((), 2)


def test_a_tools_recall_leaves_the_last_injection_alone(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user", id="k")
    store.retrieve("kiwi")
    store.retrieve("zzz", purpose="tool")
    state = store.diagnostics()
    assert state.last_injected_ids == ("k",)
    assert state.last_trace is not None


def test_a_closed_store_says_so_and_no_store_is_pickled(store: MemoryStore) -> None:
    with pytest.raises(InvalidInputError, match="path"):
        pickle.dumps(store)
    store.close()
    store.close()
    for verb in (store.list, store.diagnostics, store.verify, lambda: store.retrieve("kiwi")):
        with pytest.raises(StoreClosedError):
            verb()


def test_the_event_loop_goes_on_while_the_store_works(store: MemoryStore) -> None:
    async def turn() -> tuple[str, ...]:
        await store.aremember("kiwi", scope="user", id="k")
        ticking = asyncio.create_task(asyncio.sleep(0))
        result = await store.aretrieve("kiwi")
        assert ticking.done()
        return result.trace.selected_ids

    assert len(asyncio.run(turn())) == 1


@pytest.mark.parametrize("path", ["", "a\0b", 7, "C:\\Users\\x\\mem", b"/tmp/x"], ids=repr)
def test_a_path_that_is_none_is_refused(path: Any) -> None:  # noqa: ANN401 — of any type
    with pytest.raises(InvalidInputError):
        MemoryStore.open(path)


FOREIGN = ["C:\\mem", "c:/mem", "\\\\srv\\share", "\\\\srv\\share\\mem", "\\\\?\\C:\\mem"]


@pytest.mark.parametrize("path", FOREIGN)
def test_a_path_of_windows_is_refused_and_no_folder_made(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for refused in (MemoryStore.open, folder):
        with pytest.raises(InvalidInputError, match="not a Windows path"):
            refused(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["mem\\c", "\\mem"])
def test_a_name_that_windows_too_takes_for_a_relative_path_is_one(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    MemoryStore.open(path, index=False).close()
    assert folder(path) == str(tmp_path / path)
    assert (tmp_path / path).is_dir()


def test_huge_limits_are_capped(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user", id="k")
    for limit in (10**400, float("inf")):
        assert found(store, "kiwi") == store.retrieve("kiwi", limit=limit).trace.selected_ids
        assert len(store.list(limit=limit)) == 1
    assert store.retrieve("kiwi", limit=-(10**400), character_budget=10**400).records == ()
