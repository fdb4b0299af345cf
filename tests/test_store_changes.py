"""Changing and listing records: every field, every refusal, and changes that stop half-way."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from membound import AgentContext, MemoryDraft, MemoryRecord, MemoryStore, Provenance
from membound.errors import (
    CanonicalFileError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RevisionConflictError,
)
from tests.stores import NOW, found

if TYPE_CHECKING:
    from pathlib import Path

HOUR = timedelta(hours=1)
TEXT = "2026-07-01T12:00:00.000Z"


def stored_copy(store: MemoryStore, id: str, **fields: Any) -> MemoryRecord:  # noqa: ANN401 — any field's value
    """A record as another program could have written it, taken into the store."""
    tree = {**store.remember("kiwi grove", scope="user").to_dict(), "id": id, **fields}
    record = MemoryRecord.from_dict(tree)
    store.import_records([record])
    return record


def test_every_field_is_kept(store: MemoryStore) -> None:
    made = store.remember(
        "The relay needs pin 4.",
        id="full",
        scope="project",
        workspace=PurePosixPath("/ws/./a/"),
        project="/ws/a/p",
        project_identity="/repo",
        type="decision",
        tags=["hardware", "hardware", "relay"],
        confidence=0.75,
        importance=0.25,
        observed_at=NOW - HOUR,
        valid_from=NOW,
        valid_to=NOW + 2 * HOUR,
        ttl=HOUR,
        sources=[{"kind": "file", "trust": "observed", "locator": "notes.md"}],
        provenance=Provenance(kind="tool", origin="probe"),
        agent_context=AgentContext(schema_version=1, agent_id="a1", source_conversation_id="c1"),
        source_thread_id="t",
        source_turn_id="u",
        disabled=True,
    )
    assert made.to_dict() == {
        "id": "full",
        "content": "The relay needs pin 4.",
        "scope": "project",
        "type": "decision",
        "authority": "reference",
        "tags": ["hardware", "relay"],
        "confidence": 0.75,
        "importance": 0.25,
        "createdAt": TEXT,
        "updatedAt": TEXT,
        "observedAt": "2026-07-01T11:00:00.000Z",
        "validFrom": TEXT,
        "validTo": "2026-07-01T14:00:00.000Z",
        "expiresAt": "2026-07-01T13:00:00.000Z",
        "disabledAt": TEXT,
        "workspace": "/ws/a",
        "project": "/ws/a/p",
        "projectIdentity": "/repo",
        "sourceThreadId": "t",
        "sourceTurnId": "u",
        "provenance": {"kind": "tool", "origin": "probe"},
        "sources": [{"id": "source_1", "kind": "file", "trust": "observed", "locator": "notes.md"}],
        "agentContext": {
            "schemaVersion": 1,
            "agentId": "a1",
            "sourceConversationId": "c1",
            "shared": False,
            "sharedConversationIds": [],
            "sharedProjectRoots": [],
            "locked": False,
        },
        "revision": 1,
        "history": [],
        "schemaVersion": 2,
    }
    assert store.get("full") == made
    assert tuple(store.export()) == (made,)


def test_made_ids_sort_by_time_and_never_meet(store: MemoryStore) -> None:
    drafts = [MemoryDraft("n", scope="user") for _ in range(50)]
    early, late = (store.remember_many(drafts, now=NOW + n * HOUR) for n in range(2))
    ids = [record.id for record in (*early, *late)]
    assert len(set(ids)) == 100
    assert max(ids[:50]) < min(ids[50:])


def test_a_draft_may_supersede_one_of_the_same_call(store: MemoryStore) -> None:
    draft = {"content": "walnut old", "scope": "user", "id": "a"}
    later = {"content": "walnut new", "scope": "user", "id": "b", "supersedes": "a"}
    old, new = store.remember_many([draft, later])
    assert (old.superseded_at, old.revision, new.supersedes) == (TEXT, 2, "a")
    assert found(store, "walnut") == ("b",)
    with pytest.raises(ConflictError):
        store.remember_many([{**later, "id": "c"}])
    with pytest.raises(NotFoundError):
        store.remember("walnut", scope="user", supersedes="nobody")
    assert len(store.list(include_inactive=True)) == 2


PLACES = [
    {"scope": "workspace", "workspace": "/ws/./alpha/"},
    {"scope": "workspace", "workspace": "/ws/alpha", "project": "/ws/beta"},
    {"scope": "project", "workspace": "/ws/alpha"},
    {"scope": "project", "workspace": "/ws/beta", "projectIdentity": "/ws/alpha/."},
    {"scope": "user", "workspace": "/ws/beta"},
]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_what_others_wrote_can_be_superseded_in_its_place(
    store: MemoryStore, place: dict[str, str]
) -> None:
    stored_copy(store, "theirs", content="walnut old", **place)
    new = store.supersede("theirs", "walnut new")
    options = {"workspace": "/ws/alpha", "project_identity": "/ws/alpha"}
    assert found(store, "walnut", **options) == (new.id,)


def test_a_successor_elsewhere_is_refused(store: MemoryStore) -> None:
    store.remember("walnut", workspace="/ws/alpha", id="w")
    with pytest.raises(ConflictError, match="same scope, place"):
        store.supersede("w", "pear", workspace="/ws/beta")
    with pytest.raises(ConflictError, match="same scope, place"):
        store.supersede("w", "pear", scope="user")
    store.delete("w")
    with pytest.raises(ConflictError, match="deleted"):
        store.supersede("w", "pear")
    with pytest.raises(ConflictError, match="deleted"):
        store.update("w", content="pear")
    assert len(store.list(include_inactive=True)) == 1


def test_an_update_takes_what_remember_takes(store: MemoryStore) -> None:
    store.remember("walnut", scope="user", id="w", valid_to=NOW + HOUR)
    after = store.update(
        "w",
        tags=(tag for tag in ["b", "a", "b"]),
        sources=[{"kind": "file", "trust": "observed", "content_hash": "x"}],
        type="insight",
        importance=1,
        observed_at=NOW - HOUR,
        valid_to=None,
    )
    assert (after.tags, after.type, after.importance) == (("b", "a"), "insight", 1)
    assert (after.sources[0].id, after.sources[0].content_hash) == ("source_1", "x")
    assert (after.observed_at[11:13], after.valid_to) == ("11", None)
    assert found(store, "a") == ("w",)


REFUSED: list[dict[str, Any]] = [
    {"tags": "auth"},
    {"tags": ["a" * 65]},
    {"tags": [f"t{number}" for number in range(33)]},
    {"content": ""},
    {"content": None},
    {"content": "x" * 16_385},
    {"type": "rumour"},
    {"confidence": None},
    {"observed_at": None},
    {"valid_from": NOW, "valid_to": NOW - HOUR},
    {"sources": [{"kind": "file"}]},
    {"sources": "abc"},
    {"expected_revision": 0},
    {"expected_revision": True},
    {"now": "yesterday"},
]


@pytest.mark.parametrize("change", REFUSED, ids=lambda change: str(change)[:40])
def test_an_update_that_is_refused_changes_nothing(
    store: MemoryStore, change: dict[str, Any]
) -> None:
    before = store.remember("walnut", scope="user", id="w")
    with pytest.raises(InvalidInputError):
        store.update("w", **change)
    assert store.get("w") == before
    assert found(store, "walnut") == ("w",)


MARKS = ["disable", "enable", "delete", "restore"]


@pytest.mark.parametrize("verb", MARKS)
def test_marks_check_the_revision_and_keep_the_first_moment(store: MemoryStore, verb: str) -> None:
    store.remember("walnut", scope="user", id="w")
    change = getattr(store, verb)
    with pytest.raises(RevisionConflictError):
        change("w", expected_revision=2)
    once = change("w", expected_revision=1)
    twice = change("w", now=NOW + HOUR)
    assert (once.revision, twice.revision) == (2, 3)
    assert (once.disabled_at, once.deleted_at) == (twice.disabled_at, twice.deleted_at)
    assert len(twice.history) == 2


def test_a_purge_checks_the_revision(store: MemoryStore, tmp_path: Path) -> None:
    store.remember("walnut", scope="user", id="w")
    store.update("w", content="pear")
    with pytest.raises(RevisionConflictError):
        store.purge("w", expected_revision=1)
    with pytest.raises(InvalidInputError, match="expected_revision"):
        store.purge("w", expected_revision=0)
    with pytest.raises(NotFoundError):
        store.purge("nobody", expected_revision=1)
    assert found(store, "pear") == ("w",)
    store.purge("w", expected_revision=2)
    assert found(store, "pear") == ()
    (tmp_path / "store" / "memory" / "v.json").write_text("{")
    with pytest.raises(CanonicalFileError):
        store.purge("v", expected_revision=1)
    store.purge("v")
    assert store.verify().ok


@pytest.mark.parametrize("id", [5, None, b"x", "", ["x"]], ids=repr)
@pytest.mark.parametrize("verb", ["get", "update", "purge", *MARKS])
def test_an_id_that_is_no_text_is_refused(store: MemoryStore, verb: str, id: object) -> None:
    with pytest.raises(InvalidInputError, match="id"):
        getattr(store, verb)(id)


@pytest.mark.parametrize("id", ["nobody", "../x", "a/b", "a\0b", "\ud800", "x" * 5000], ids=ascii)
@pytest.mark.parametrize("verb", ["get", "update", "purge", *MARKS])
def test_an_id_that_nobody_has_is_not_found(store: MemoryStore, verb: str, id: str) -> None:
    with pytest.raises(NotFoundError):
        getattr(store, verb)(id)


class StoppedError(Exception):
    """The caller's own."""


def stop_at_the_second(done: int, _total: int) -> None:
    if done == 2:
        raise StoppedError


def test_a_change_that_stops_half_way_is_undone(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user")
    drafts = [MemoryDraft(f"walnut {n}", scope="user", id=f"w{n}") for n in range(4)]
    with pytest.raises(StoppedError):
        store.remember_many(drafts, progress=stop_at_the_second)
    # The index knows what became of the files, and goes on answering.
    state = store.diagnostics().index_state
    assert state in {"ready", "disabled"}
    assert found(store, "walnut") == ()
    assert len(store.list()) == 1
    assert store.diagnostics().index_state == state
    assert store.verify().ok
    store.remember_many(drafts)
    assert len(found(store, "walnut")) == 4


def test_a_file_that_cannot_be_written_leaves_the_rest_as_it_is(
    store: MemoryStore, tmp_path: Path
) -> None:
    store.remember("walnut", scope="user", id="w")
    (tmp_path / "store" / "memory" / "z.json").mkdir()
    with pytest.raises(ConflictError):
        store.remember("pear", scope="user", id="z")
    with pytest.raises(CanonicalFileError, match="move it away"):
        store.purge("z")
    assert found(store, "walnut") == ("w",)
    assert found(store, "pear") == ()


def test_pages_of_a_thousand_equal_times_join_while_rows_come_and_go(store: MemoryStore) -> None:
    drafts = [MemoryDraft("n", scope="user", id=f"m{n:03}") for n in range(1000)]
    store.remember_many(drafts)
    seen: list[str] = []
    gone: set[str] = set()
    cursor = None
    while page := store.list(limit=7, before=cursor):
        seen += [record.id for record in page]
        cursor = (page[-1].updated_at, page[-1].id)
        if len(seen) % 5 == 0:
            ahead = f"m{min(len(seen) + 40, 999):03}"
            if ahead not in gone:
                store.purge(ahead)
                gone.add(ahead)
            store.purge(page[0].id)
            store.remember("n", scope="user", id=f"a{len(seen)}")
    assert len(gone) > 10
    assert seen == [draft.id for draft in drafts if draft.id not in gone]


def test_a_cursor_that_is_none_is_refused(store: MemoryStore) -> None:
    for bad in ("x", ("a",), (1, 2), ("a", "b", "c")):
        with pytest.raises(InvalidInputError, match="before"):
            store.list(before=bad)  # type: ignore[arg-type]


def test_the_store_speaks_of_itself(store: MemoryStore, tmp_path: Path) -> None:
    store.remember("walnut", scope="user", id="w")
    store.remember("Speak plainly.", scope="user", id="rule", authority="directive")
    store.delete(store.remember("pear", scope="user").id)
    state = store.diagnostics()
    indexed = state.index_state == "ready"
    assert re.fullmatch(r"<MemoryStore '.*/store' index=(ready|disabled)>", repr(store))
    assert (state.path, state.canonical_count) == (str(tmp_path / "store"), 3)
    counts = (state.active_count, state.tombstone_count, state.directive_count)
    assert counts == ((2, 1, 1) if indexed else (None, None, None))
    assert (state.indexed_count, state.stale_count) == (3 if indexed else 0, 0)
    assert (state.quarantined, state.reason, state.last_trace) == ((), None, None)
    assert store.verify().checked == 3


def test_the_clock_is_the_callers(tmp_path: Path) -> None:
    moments = iter([NOW, NOW + HOUR, NOW + 3 * HOUR])
    with MemoryStore.open(tmp_path, clock=lambda: next(moments)) as store:
        made = store.remember("walnut", scope="user", ttl=2 * HOUR)
        assert made.expires_at == "2026-07-01T14:00:00.000Z"
        assert found(store, "walnut") == (made.id,)
        assert found(store, "walnut") == ()
        with pytest.raises(StopIteration):
            store.retrieve("walnut")
        assert found(store, "walnut", now=NOW) == (made.id,)
