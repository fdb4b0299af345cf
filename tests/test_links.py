"""Links in the data folder: nothing outside of it is read, made, changed or removed through one."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from membound import MemoryPolicy, MemoryStore, record_retrieved
from membound.errors import (
    CanonicalFileError,
    DuplicateIdError,
    IndexUnavailableError,
    NotFoundError,
)
from membound.policy import FeedbackPolicy
from tests.apart import tree
from tests.foreign import INDEX, python
from tests.stores import NOW, found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

POLICY = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))


def opened(folder: Path, **options: Any) -> MemoryStore:  # noqa: ANN401 — as open
    return MemoryStore.open(folder, policy=POLICY, clock=lambda: NOW, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with a record, beside another folder that has all that a store has."""
    for name, id in (("store", "tram"), ("outside", "stranger")):
        with opened(tmp_path / name) as store:
            store.remember(f"the tram of {name} leaves at nine", scope="user", id=id)
            record_retrieved(store, thread_id="t", turn_id="1", memory_ids=[id])
    return tmp_path / "store"


@pytest.fixture
def outside(folder: Path) -> Iterator[Path]:
    """The other folder, which is afterwards as it was before."""
    outside = folder.parent / "outside"
    before = tree(outside)
    yield outside
    assert tree(outside) == before


def linked(path: Path, target: Path) -> None:
    """Put a symbolic link in the place of whatever is at a path."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.symlink_to(target)


EVERY_VERB: dict[str, Callable[[MemoryStore], object]] = {
    "retrieve": lambda store: store.retrieve("tram nine"),
    "list": lambda store: store.list(),
    "get": lambda store: store.get("stranger"),
    "export": lambda store: list(store.export()),
    "directives": lambda store: store.list_directives(),
    "diagnostics": lambda store: store.diagnostics(),
    "verify": lambda store: store.verify(),
    "remember": lambda store: store.remember("new", scope="user"),
    "update": lambda store: store.update("stranger", content="other"),
    "delete": lambda store: store.delete("stranger"),
    "purge": lambda store: store.purge("stranger"),
    "import": lambda store: store.import_records(list(store.export())),
    "rebuild": lambda store: store.rebuild_index(),
}


@pytest.mark.parametrize("index", [True, False], ids=["index", "files"])
@pytest.mark.parametrize("target", ["memory", "nothing"])
@pytest.mark.parametrize("verb", EVERY_VERB)
def test_a_link_in_the_place_of_the_records(
    folder: Path, outside: Path, verb: str, target: str, *, index: bool
) -> None:
    linked(folder / "memory", outside / target)
    with opened(folder, index=index) as store:
        if verb == "rebuild" and not index:
            pytest.skip("there is none")
        with pytest.raises(CanonicalFileError, match=r"memory: .*a link is not followed"):
            EVERY_VERB[verb](store)


def test_the_records_become_a_link_while_the_store_is_open(folder: Path, outside: Path) -> None:
    with opened(folder) as store:
        assert found(store, "tram nine") == ("tram",)
        linked(folder / "memory", outside / "memory")
        for verb in ("retrieve", "get", "list", "remember"):
            with pytest.raises(CanonicalFileError, match="a link is not followed"):
                EVERY_VERB[verb](store)


@pytest.mark.parametrize("target", ["memory/stranger.json", "nothing.json"])
@pytest.mark.parametrize("index", [True, False], ids=["index", "files"])
def test_a_link_in_the_place_of_a_record(
    folder: Path, outside: Path, target: str, *, index: bool
) -> None:
    link = folder / "memory" / "stranger.json"
    linked(link, outside / target)
    with opened(folder, index=index) as store:
        assert found(store, "tram nine") == ("tram",)
        assert [record.id for record in (*store.list(), *store.export())] == ["tram", "tram"]
        for verb in ("get", "update", "delete"):
            with pytest.raises(CanonicalFileError, match="a link is not followed"):
                EVERY_VERB[verb](store)
        with pytest.raises(DuplicateIdError, match="stranger"):
            store.remember("other", scope="user", id="stranger")
        assert link.is_symlink()
        store.purge("stranger")
        assert not link.is_symlink()
        with pytest.raises(NotFoundError):
            store.get("stranger")


def test_a_link_to_a_record_of_the_same_store_is_no_second_record(folder: Path) -> None:
    linked(folder / "memory" / "twin.json", folder / "memory" / "tram.json")
    with opened(folder) as store:
        assert found(store, "tram nine") == ("tram",)
        assert store.verify().ok
        with pytest.raises(CanonicalFileError, match="a link is not followed"):
            store.get("twin")
        store.purge("twin")
        assert store.get("tram").revision == 1


@pytest.mark.parametrize("target", [INDEX, "nothing", "memory/stranger.json"])
def test_a_link_in_the_place_of_the_index(folder: Path, outside: Path, target: str) -> None:
    linked(folder / INDEX, outside / target)
    with opened(folder) as store:
        result = store.retrieve("tram nine")
        assert (result.trace.selected_ids, result.trace.index_state) == (("tram",), "degraded")
        assert "link" in str(store.diagnostics().reason)
        assert store.remember("bus at ten", scope="user", id="bus").revision == 1
        assert store.verify().reason
        with pytest.raises(IndexUnavailableError, match="remove it"):
            store.rebuild_index()
        (folder / INDEX).unlink()
        store.rebuild_index()
        assert store.retrieve("bus ten").trace.index_state == "ready"


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
@pytest.mark.parametrize("target", [INDEX, "nothing", "memory/stranger.json"])
def test_a_link_in_the_place_of_a_side_file(
    folder: Path, outside: Path, target: str, ending: str
) -> None:
    linked(folder / (INDEX + ending), outside / target)
    with opened(folder) as store:
        assert found(store, "tram nine") == ("tram",)
        store.remember("bus at ten", scope="user", id="bus")
        assert found(store, "bus ten") == ("bus",)
        assert store.verify().ok
        assert store.diagnostics().index_state == "ready"
        assert not (folder / (INDEX + ending)).is_symlink()


@pytest.mark.parametrize("name", ["memory-deleted", "memory-purged"])
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("index", [True, False], ids=["index", "files"])
def test_a_link_in_the_place_of_what_was_forgotten(
    folder: Path, tmp_path: Path, name: str, *, there: bool, index: bool
) -> None:
    """Nothing is set aside, marked or erased elsewhere; marks of elsewhere do not count."""
    with opened(elsewhere := tmp_path / "elsewhere") as store:
        for id in ("tram", "bus"):
            store.remember("the tram of elsewhere", scope="user", id=id)
        store.delete("tram")
        store.purge("bus")
    before = tree(elsewhere)
    linked(folder / name, elsewhere / (name if there else "nothing"))
    with opened(folder, index=index) as store:
        for verb in (lambda: store.delete("tram"), lambda: store.purge("tram")):
            with pytest.raises(CanonicalFileError, match=f"{name}.*a link is not followed"):
                verb()
        if name == "memory-purged":
            with pytest.raises(CanonicalFileError, match="a link is not followed"):
                store.get("tram")
            with pytest.raises(CanonicalFileError, match="a link is not followed"):
                store.remember("the bus leaves at ten", scope="user", id="bus")
    assert tree(elsewhere) == before


@pytest.mark.parametrize("target", [INDEX, "nothing"])
@pytest.mark.parametrize("name", ["memory.lock", "memory.queue"])
def test_a_link_in_the_place_of_the_lock(
    folder: Path, outside: Path, name: str, target: str
) -> None:
    linked(folder / name, outside / target)
    with opened(folder) as store:
        assert found(store, "tram nine") == ("tram",)
        with pytest.raises(CanonicalFileError, match=f"{name}.*remove it"):
            store.remember("bus at ten", scope="user")
        (folder / name).unlink()
        assert store.remember("bus at ten", scope="user").revision == 1


def test_a_pipe_in_the_place_of_the_lock_is_not_waited_for(folder: Path) -> None:
    (folder / "memory.lock").unlink()
    os.mkfifo(folder / "memory.lock")
    script = "import sys, membound; s = membound.MemoryStore.open(sys.argv[1]); s.delete('tram')"
    with python(script, folder) as refused:
        assert refused.wait(60) != 0


@pytest.mark.parametrize("target", ["memory-feedback", "nothing"])
def test_a_link_in_the_place_of_the_feedback_log(folder: Path, outside: Path, target: str) -> None:
    linked(folder / "memory-feedback", outside / target)
    feedback_is_refused(folder)


@pytest.mark.parametrize("target", ["memory-feedback/events-000001.jsonl", "nothing"])
@pytest.mark.parametrize("segment", ["events-000001.jsonl", "events-000002.jsonl"])
def test_a_link_in_the_place_of_a_segment(
    folder: Path, outside: Path, target: str, segment: str
) -> None:
    linked(folder / "memory-feedback" / segment, outside / target)
    feedback_is_refused(folder)


def feedback_is_refused(folder: Path) -> None:
    with opened(folder) as store:
        status = store.feedback.status()
        assert (status.state, status.event_count) == ("degraded", 0)
        assert "link" in str(status.reason)
        assert record_retrieved(store, thread_id="t", turn_id="2", memory_ids=["tram"]) == ()
        assert found(store, "tram nine") == ("tram",)


def test_the_data_folder_itself_may_be_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    with opened(tmp_path / "link") as store, opened(folder) as other:
        store.remember("bus at ten", scope="user", id="bus")
        assert found(other, "bus ten") == ("bus",)
        assert (store.retrieve("tram nine").trace.index_state, store.verify().ok) == ("ready", True)
        store.rebuild_index()
        assert found(other, "bus ten") == ("bus",)


def test_a_second_name_of_a_record_keeps_what_was_there(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.hardlink_to(folder / "memory" / "tram.json")
    before = kept.read_bytes()
    with opened(folder) as store:
        store.update("tram", content="the tram leaves at ten")
        store.purge("tram")
    assert kept.read_bytes() == before


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_a_second_name_of_the_index_is_not_written_through(
    folder: Path, tmp_path: Path, ending: str
) -> None:
    kept = tmp_path / "kept"
    if ending:
        kept.write_bytes(b"of another program" * 999)
        (folder / (INDEX + ending)).hardlink_to(kept)
    else:
        kept.hardlink_to(folder / INDEX)
    before = kept.read_bytes()
    with opened(folder) as store:
        store.remember("bus at ten", scope="user", id="bus")
        assert found(store, "bus ten") == ("bus",)
        assert store.retrieve("tram nine").trace.index_state == "ready"
    assert kept.read_bytes() == before


def test_a_second_name_of_a_segment_is_not_written_through(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    kept.hardlink_to(folder / "memory-feedback" / "events-000001.jsonl")
    before = kept.read_bytes()
    feedback_is_refused(folder)
    assert kept.read_bytes() == before


def test_what_is_made_does_not_follow_a_link_either(tmp_path: Path) -> None:
    """A store that is made where links wait at every name that it uses."""
    (outside := tmp_path / "outside").mkdir()
    (folder := tmp_path / "store").mkdir()
    for name in ("memory", INDEX, f"{INDEX}-wal", f"{INDEX}-shm", f"{INDEX}-journal"):
        (folder / name).symlink_to(outside / name)
    (folder / "memory.lock").symlink_to(outside / "lock")
    (folder / "memory-feedback").symlink_to(outside / "feedback")
    with opened(folder) as store:
        with pytest.raises(CanonicalFileError):
            store.remember("bus at ten", scope="user")
        assert record_retrieved(store, thread_id="t", turn_id="1", memory_ids=["tram"]) == ()
    assert list(outside.iterdir()) == []
