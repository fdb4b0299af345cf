"""Stores on other file systems: one that folds case, and ones without locks or shared memory.

`file_system.c` lies between the process and libc, for where no such file system can be mounted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from membound import MemoryStore
from membound.errors import IndexUnavailableError
from tests.apart import tree
from tests.stores import NOW

SOURCE = Path(__file__).with_name("file_system.c")
IDS = ("tram", "TRAM", "Tram")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not sys.platform.startswith("linux") or (compiler := shutil.which("cc")) is None:
        pytest.skip("needs Linux and a C compiler")
    built = tmp_path_factory.mktemp("library") / "file_system.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, SOURCE], check=True)
    return built


def on(library: Path, folder: Path, script: str, **system: str) -> str:
    """Run a script for which a folder lies on another file system; give what it prints."""
    environment = os.environ | {"LD_PRELOAD": str(library), "FOLDER": str(folder), **system}
    words = [sys.executable, "-c", script, str(folder)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


FOLDING = """
import sys
from membound import MemoryDraft, MemoryRecord, MemoryStore
from membound.errors import CanonicalFileError, NotFoundError
def refused(error, verb, *parts):
    try:
        verb()
    except error as raised:
        assert all(part in str(raised) for part in parts), raised
        return
    raise AssertionError("not refused")
for index in (True, False):
    with MemoryStore.open(f"{sys.argv[1]}/{index}", index=index, durability="relaxed") as store:
        store.remember("the tram leaves at nine", scope="user", id="tram")
        refused(
            CanonicalFileError,
            lambda: store.remember("another tram", scope="user", id="TRAM"),
            "TRAM and tram", "choose another",
        )
        refused(NotFoundError, lambda: store.get("TRAM"))
        refused(NotFoundError, lambda: store.purge("TRAM"))
        refused(NotFoundError, lambda: store.delete("Tram"))
        refused(NotFoundError, lambda: store.update("Tram", content="x"))
        other = MemoryRecord.from_dict({**store.get("tram").to_dict(), "id": "Tram"})
        for conflict in ("error", "skip", "replace"):
            refused(
                CanonicalFileError,
                lambda: store.import_records([other], on_conflict=conflict),
                "Tram and tram",
            )
        batch = [MemoryDraft(f"{id} stop", scope="user", id=id) for id in ("bus", "cab", "BUS")]
        refused(CanonicalFileError, lambda: store.remember_many(batch), "BUS and bus")
        assert [record.id for record in store.export()] == ["tram"]
        store.remember_many(batch[:2])
        assert store.update("tram", content="the tram leaves at ten").revision == 2
        assert [record.id for record in store.export()] == ["bus", "cab", "tram"]
        if index:
            assert store.wait_until_ready(), store.diagnostics()
            assert (report := store.verify()).ok, report
        assert store.retrieve("tram ten").trace.selected_ids == ("tram",)
        assert store.retrieve("cab").trace.selected_ids == ("cab",)
        store.purge("tram")
        assert store.remember("another tram", scope="user", id="TRAM").revision == 1
        assert [record.id for record in store.export()] == ["TRAM", "bus", "cab"]
"""


def test_ids_that_differ_by_case_only_never_share_a_file(library: Path, tmp_path: Path) -> None:
    on(library, tmp_path, FOLDING, FOLDS="yes")


def test_an_unusable_file_belongs_to_its_own_id(library: Path, tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path) as store:
        store.remember("the tram leaves at nine", scope="user", id="tram")
    file = tmp_path / "memory" / "tram.json"
    file.write_bytes(b"{")
    script = (
        FOLDING.partition("for index")[0]
        + """
with MemoryStore.open(sys.argv[1]) as store:
    refused(NotFoundError, lambda: store.get("TRAM"))
    refused(NotFoundError, lambda: store.purge("TRAM"))
    refused(CanonicalFileError, lambda: store.remember("x", scope="user", id="TRAM"), "TRAM and")
    refused(CanonicalFileError, lambda: store.get("tram"))
"""
    )
    on(library, tmp_path, script, FOLDS="yes")
    assert file.read_bytes() == b"{"


DOCTOR = """
import sys
from membound import examine
for one in examine(sys.argv[1]):
    if one.severity != "ok":
        print(one.check, one.severity, one.what, one.advice, sep="|")
"""


def test_the_doctor_states_that_case_is_folded(library: Path, tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path) as store:
        store.remember("the tram leaves at nine", scope="user", id="tram")
    assert on(library, tmp_path, DOCTOR) == ""
    check, severity, what, advice = on(library, tmp_path, DOCTOR, FOLDS="yes").strip().split("|")
    assert (check, severity) == ("file system", "warning")
    assert "differ by case" in what
    assert advice


def test_where_case_counts_every_id_has_its_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    if (tmp_path / "A").exists():
        pytest.skip("this file system folds case")
    with MemoryStore.open(tmp_path / "store", clock=lambda: NOW) as store:
        for id in IDS:
            store.remember(f"the {id} leaves at nine", scope="user", id=id)
        store.purge("Tram")
        assert [record.id for record in store.export()] == ["TRAM", "tram"]


ANSWERS = """
import sys
from membound import MemoryStore
from membound.errors import CanonicalFileError
with MemoryStore.open(sys.argv[1]) as store:
    found = store.retrieve("tram nine")
    state = store.diagnostics()
    assert found.trace.selected_ids == ("tram",), found.trace
    assert (found.trace.index_state, state.index_state) == ("degraded", "degraded"), state
    assert state.reason, state
    assert [record.id for record in store.list()] == ["tram"]
    assert store.verify().reason
    try:
        store.remember("the bus leaves at ten", scope="user", id="bus")
        store.update("bus", content="the bus leaves at eleven")
        assert store.retrieve("bus eleven").trace.selected_ids == ("bus",)
        print("written")
    except CanonicalFileError as error:
        assert "memory.queue" in str(error), error
        print("refused")
"""


@pytest.mark.parametrize("new", [True, False], ids=["a new store", "a store with an index"])
@pytest.mark.parametrize(
    ("calls", "outcome"),
    [
        ("fcntl", "written"),
        ("mmap", "written"),
        ("flock", "refused"),
        ("flock fcntl mmap", "refused"),
    ],
)
def test_without_locks_or_shared_memory_the_files_answer(
    library: Path, tmp_path: Path, calls: str, outcome: str, *, new: bool
) -> None:
    with MemoryStore.open(tmp_path, index=not new, clock=lambda: NOW) as store:
        store.remember("the tram leaves at nine", scope="user", id="tram")
    before = tree(tmp_path / "memory")
    assert on(library, tmp_path, ANSWERS, REFUSES=calls).split() == [outcome]
    if outcome == "refused":
        assert tree(tmp_path / "memory") == before
    with MemoryStore.open(tmp_path, clock=lambda: NOW) as store:
        assert store.retrieve("tram nine").trace.selected_ids == ("tram",)
        assert store.wait_until_ready()
        assert store.verify().ok


def test_on_a_network_file_system_the_files_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MemoryStore.open(tmp_path / "store", clock=lambda: NOW, tokenizer="v1") as store:
        store.remember("the tram leaves at nine", scope="user", id="tram")
        store.remember("the bus leaves at ten", scope="user", id="bus")
    index = (tmp_path / "store" / "memory-index.sqlite3").read_bytes()
    table = tmp_path / "mounts"
    table.write_text(f"/dev/vda / ext4 rw 0 0\nnas:/x {tmp_path.resolve()} nfs4 rw 0 0\n")
    monkeypatch.setattr("membound.file_system._MOUNTS", table)
    with MemoryStore.open(tmp_path / "store", clock=lambda: NOW) as store:
        result = store.retrieve("tram nine")
        assert (result.trace.selected_ids, result.trace.index_state) == (("tram",), "degraded")
        assert "nfs4, a network file system" in str(store.diagnostics().reason)
        store.update("tram", content="the tram leaves at ten")
        assert store.retrieve("tram ten").trace.selected_ids == ("tram",)
        assert "nfs4" in str(store.verify().reason)
        with pytest.raises(IndexUnavailableError, match="keep it on a local disk"):
            store.rebuild_index()
        with pytest.raises(IndexUnavailableError, match="keep it on a local disk"):
            store.purge("bus")
    assert (tmp_path / "store" / "memory-index.sqlite3").read_bytes() == index
    with MemoryStore.open(tmp_path / "other", clock=lambda: NOW) as store:
        store.remember("the bus leaves at ten", scope="user", id="bus")
        store.purge("bus")  # without an index nothing is left of it
        assert not list((tmp_path / "other").glob("memory-index*"))
    monkeypatch.undo()
    with MemoryStore.open(tmp_path / "store", clock=lambda: NOW) as store:
        assert store.retrieve("tram ten").trace.selected_ids == ("tram",)
        assert store.verify().ok
