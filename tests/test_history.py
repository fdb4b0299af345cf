"""History: former states are kept with who and why, a rollback gives one back, no edit is lost."""

from __future__ import annotations

import pickle
import tempfile
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membound import MemoryRecord, MemoryStore
from membound.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RevisionConflictError,
    RevisionNotFoundError,
)
from tests.stores import NOW, found

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOUR = timedelta(hours=1)


def state(record: MemoryRecord) -> dict[str, Any]:
    """All of a record but what every change moves on."""
    tree = record.to_dict()
    return {name: tree[name] for name in tree.keys() - {"revision", "history", "updatedAt"}}


MOMENTS = st.integers(1, 1000).map(lambda hours: NOW + hours * HOUR)
CHANGES: dict[str, st.SearchStrategy[Any]] = {
    "content": st.sampled_from(["kiwi", "walnut", "almond grove", "x" * 900]),
    "tags": st.lists(st.sampled_from("abc"), max_size=3),
    "type": st.sampled_from(["fact", "preference", "decision"]),
    "authority": st.sampled_from(["reference", "directive"]),
    "confidence": st.sampled_from([0.0, 0.25, 1.0]),
    "importance": st.sampled_from([0.0, 0.5, 1.0]),
    "observed_at": MOMENTS,
    "valid_from": st.one_of(st.none(), st.just(NOW)),
    "valid_to": st.one_of(st.none(), MOMENTS),
    "expires_at": st.one_of(st.none(), MOMENTS),
    "sources": st.lists(
        st.fixed_dictionaries({"kind": st.just("file"), "trust": st.just("observed")}), max_size=2
    ),
}
EDITS = st.one_of(
    st.fixed_dictionaries({}, optional=CHANGES),
    st.sampled_from(["disable", "enable", "forget"]),
    st.integers(1, 30),
)
DRAFTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"content": st.just("kiwi"), "scope": st.just("user")},
    optional={
        "provenance": st.just({"kind": "inference", "origin": "probe"}),
        "expires_at": MOMENTS,
        "disabled": st.just(True),
    },
)


@settings(max_examples=60)
@given(DRAFTS, st.lists(EDITS, max_size=24))
def test_a_rollback_gives_any_kept_state_back(draft: dict[str, Any], edits: list[Any]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryStore.open(folder, index=False, durability="relaxed", clock=lambda: NOW) as store,
    ):
        record = store.remember(id="r", **draft)
        states = {1: state(record)}
        for edit in edits:
            match edit:
                case int() if edit in {former.revision for former in store.history("r")}:
                    record = store.rollback("r", edit, expected_revision=record.revision)
                    assert state(record) == states[edit]
                case int():
                    with pytest.raises(RevisionNotFoundError):
                        store.rollback("r", edit)
                    continue
                case "forget":
                    # What a tombstone says is what was said before, once it is restored.
                    states[store.delete("r").revision] = state(record)
                    record = store.restore("r")
                case str():
                    record = getattr(store, edit)("r")
                case _:
                    record = store.update("r", **edit)
            assert record.revision == len(states) + 1
            states[record.revision] = state(record)
            kept = [former.revision for former in record.history]
            assert kept == list(range(record.revision - len(kept), record.revision))
        assert store.get("r") == record


def test_a_rollback_takes_later_ends_and_marks_away(store: MemoryStore) -> None:
    first = store.remember("kiwi harvest", scope="user", id="k", provenance={"kind": "inference"})
    store.update(
        "k", content="walnut", valid_from=NOW - 2 * HOUR, valid_to=NOW - HOUR, expires_at=NOW
    )
    store.disable("k")
    assert found(store, "walnut") == ()
    back = store.rollback("k", 1, by="noa", reason="the first wording was right")
    assert (back.revision, back.content, back.provenance) == (4, "kiwi harvest", first.provenance)
    ends = (back.valid_from, back.valid_to, back.expires_at, back.disabled_at, back.corrected_from)
    assert ends == (None,) * 5
    assert found(store, "kiwi harvest") == ("k",)
    again = store.rollback("k", 3)
    assert (again.content, again.disabled_at is not None) == ("walnut", True)


def test_the_history_tells_when_by_which_verb_by_whom_and_why(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user", id="k")
    store.update("k", content="walnut", by="noa", reason="it was a walnut", now=NOW + HOUR)
    store.disable("k", by="crawler", reason="season is over")
    store.enable("k", reason="season began")
    store.delete("k", by="noa")
    store.restore("k", by="noa", reason="a slip")
    store.rollback("k", 1, by="noa", reason="a kiwi after all")
    successor = store.supersede("k", "almond", by="ben", reason="replanted", expected_revision=7)
    told = [(one.revision, one.operation, one.changed_by, one.reason) for one in store.history("k")]
    assert told == [
        (1, "update", "noa", "it was a walnut"),
        (2, "disable", "crawler", "season is over"),
        (3, "restore", None, "season began"),
        (4, "forget", "noa", None),
        (5, "restore", "noa", "a slip"),
        (6, "rollback", "noa", "a kiwi after all"),
        (7, "supersede", "ben", "replanted"),
    ]
    first, *_, last = store.history("k")
    assert (first.snapshot.content, last.snapshot.content) == ("kiwi", "kiwi")
    assert first.changed_at == "2026-07-01T13:00:00.000Z"
    assert store.history(successor.id) == ()
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301 — our own bytes
    with pytest.raises(NotFoundError):
        store.history("nobody")


REMARKS: list[tuple[str, object]] = [
    ("by", ""),
    ("by", "x" * 257),
    ("by", "a\0b"),
    ("by", 5),
    ("reason", "x" * 1_001),
    ("reason", "\ud800"),
    ("reason", b"x"),
]
VERBS: dict[str, Callable[..., object]] = {
    "update": lambda store, **noted: store.update("k", content="pear", **noted),
    "disable": lambda store, **noted: store.disable("k", **noted),
    "delete": lambda store, **noted: store.delete("k", **noted),
    "supersede": lambda store, **noted: store.supersede("k", "pear", **noted),
    "rollback": lambda store, **noted: store.rollback("k", 1, **noted),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("field", "value"), REMARKS, ids=ascii)
def test_a_remark_that_does_not_fit_changes_nothing(
    store: MemoryStore, verb: str, field: str, value: object
) -> None:
    store.remember("kiwi", scope="user", id="k")
    before = store.update("k", content="walnut")
    with pytest.raises(InvalidInputError) as refused:
        VERBS[verb](store, **{field: value})
    assert refused.value.field == field
    assert list(store.export()) == [before]


@pytest.mark.parametrize("verb", VERBS)
def test_who_read_another_revision_is_told_both(store: MemoryStore, verb: str) -> None:
    store.remember("kiwi", scope="user", id="k")
    before = store.update("k", content="walnut")
    with pytest.raises(RevisionConflictError) as refused:
        VERBS[verb](store, expected_revision=1)
    assert (refused.value.expected, refused.value.found) == (1, 2)
    assert "expected revision 1, found 2" in str(refused.value)
    assert list(store.export()) == [before]
    VERBS[verb](store, expected_revision=2)
    assert store.get("k").revision == 3


def test_a_rollback_that_cannot_be_says_why(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user", id="k")
    for number in range(24):
        store.update("k", content=f"kiwi {number}")
    for revision in (4, 25, 26):
        with pytest.raises(RevisionNotFoundError) as refused:
            store.rollback("k", revision)
        assert refused.value.kept == tuple(range(5, 25))
        assert "it keeps 5, 6, 7" in str(refused.value)
    with pytest.raises(InvalidInputError, match="revision"):
        store.rollback("k", 0)
    with pytest.raises(NotFoundError):
        store.rollback("nobody", 1)
    deleted = store.delete("k")
    with pytest.raises(ConflictError, match="restore it"):
        store.rollback("k", 20)
    assert store.get("k") == deleted


def test_a_rollback_obeys_the_rules_of_standing_rules_and_agents(store: MemoryStore) -> None:
    record = store.remember("kiwi", scope="user", id="k")
    former = store.update("k", content="walnut").to_dict()
    agent = {"schemaVersion": 1, "agentId": "a", "sourceConversationId": "c"}
    for id, changes in {
        "long": {"content": "x" * 1_001},
        "theirs": {"agentContext": agent},
    }.items():
        (entry,) = former["history"]
        snapshot = entry["snapshot"] | {"authority": "directive"} | changes
        tree = former | {"id": id, "history": [entry | {"snapshot": snapshot}]}
        store.import_records([MemoryRecord.from_dict(tree)])
    with pytest.raises(InvalidInputError, match="1,000 characters for a directive"):
        store.rollback("long", 1)
    with pytest.raises(ConflictError, match="another agent"):
        store.rollback("theirs", 1)
    assert (store.get("long").revision, store.get("theirs").revision) == (2, 2)
    assert state(store.rollback("k", 1)) == state(record)


def test_what_others_wrote_without_a_name_or_reason_can_be_read_and_gone_back_to(
    store: MemoryStore,
) -> None:
    tree = store.remember("walnut", scope="user").to_dict()
    tree |= {"id": "theirs", "revision": 2, "disabledAt": "at noon", "x-team": [1]}
    theirs: dict[str, Any] = {"content": "kiwi", "tags": [], "type": "fact", "sources": []}
    theirs |= {"authority": "reference", "confidence": 1, "importance": 0.5}
    theirs |= {"observedAt": "2026-01-01T00:00:00Z", "x-snapshot": 1}
    entry = {"revision": 1, "changedAt": "noon", "operation": "update", "snapshot": theirs}
    store.import_records([MemoryRecord.from_dict(tree | {"history": [entry | {"x-entry": 1}]})])
    (former,) = store.history("theirs")
    assert (former.changed_by, former.reason, former.loose) == (None, None, {"x-entry": 1})
    back = store.rollback("theirs", 1)
    assert (back.content, back.disabled_at, back.loose) == ("kiwi", None, {"x-team": [1]})


CYCLES = 60


def edit_again_and_again(folder: str, name: str) -> list[str]:
    """Adds a word to a record, 60 times; gives the words whose change was acknowledged."""
    acknowledged = []
    with MemoryStore.open(folder, durability="relaxed") as store:
        for number in range(CYCLES):
            word = f"{name}{number}"
            while True:
                record = store.get("shared")
                content = f"{record.content} {word}"
                try:
                    store.update(
                        "shared", content=content, expected_revision=record.revision, by=name
                    )
                except RevisionConflictError:
                    continue
                acknowledged.append(word)
                break
    return acknowledged


def test_two_processes_that_edit_one_record_lose_nothing(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        store.remember("words:", scope="user", id="shared")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        work = [pool.submit(edit_again_and_again, str(tmp_path), name) for name in "ab"]
        acknowledged = [word for done in work for word in done.result(120)]
    assert len(acknowledged) == 2 * CYCLES
    with MemoryStore.open(tmp_path, durability="relaxed") as store:
        record = store.get("shared")
        words = record.content.removeprefix("words: ").split()
        assert sorted(words) == sorted(acknowledged)
        assert record.revision == 1 + 2 * CYCLES
        # Each change was made to the state that its maker had read.
        for former in record.history:
            assert former.changed_by == words[former.revision - 1][0]
        assert store.verify().ok


def test_of_two_who_replace_one_record_the_second_is_told(store: MemoryStore) -> None:
    store.remember("kiwi", scope="user", id="k")
    store.supersede("k", "walnut", expected_revision=1)
    with pytest.raises(RevisionConflictError):
        store.supersede("k", "pear", expected_revision=1)
    with pytest.raises(ConflictError, match="replaced already"):
        store.supersede("k", "pear")
    assert len(store.list(include_inactive=True)) == 2


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("update", {"content": "pear", "expected_revison": 99}),
        ("update", {"changes": {"content": "pear"}}),
        ("disable", {"mark": "deleted_at"}),
        ("enable", {"bogus": 1}),
        ("delete", {"bogus": 1}),
        ("restore", {"bogus": 1}),
        ("rollback", {"revision": 1, "bogus": 1}),
        ("supersede", {"content": "pear", "bogus": 1}),
    ],
)
def test_a_word_that_no_verb_knows_changes_nothing(
    tmp_path: Path, verb: str, arguments: dict[str, Any]
) -> None:
    with MemoryStore.open(tmp_path) as store:
        first = store.remember("kiwi", scope="user", now=NOW)
        store.update(first.id, content="plum", now=NOW)
        if verb == "restore":
            store.delete(first.id, now=NOW)
        before = list(store.export())
        with pytest.raises((TypeError, InvalidInputError)):
            getattr(store, verb)(first.id, **arguments)
        assert list(store.export()) == before
