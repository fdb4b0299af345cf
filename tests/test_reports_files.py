"""Faults that users met, by class: damage, folders that cannot be written, links, paths, pages."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore, _core
from membound.errors import CanonicalFileError, IndexSchemaError, InvalidInputError
from tests.apart import tree, without_privileges
from tests.command import Command
from tests.foreign import INDEX, sql
from tests.stores import NOW, found, recalled, say

if TYPE_CHECKING:
    from collections.abc import Callable


def opened(folder: Path) -> MemoryStore:
    return MemoryStore.open(folder, clock=lambda: NOW, durability="relaxed")


def zeroed(index: Path) -> None:
    data = bytearray(index.read_bytes())
    data[8192:] = bytes(len(data) - 8192)
    index.write_bytes(data)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "docsize": lambda folder: sql(folder, "DELETE FROM search_docsize"),
    "data": lambda folder: sql(folder, "DELETE FROM search_data"),
    "a table": lambda folder: sql(folder, "DROP TABLE search_docsize"),
    "pages": lambda folder: zeroed(folder / INDEX),
    "half": lambda folder: (folder / INDEX).write_bytes((folder / INDEX).read_bytes()[:20_000]),
    "no index": lambda folder: (folder / INDEX).write_bytes(b"\0" * 50_000),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_fts_corruption(tmp_path: Path, damage: str) -> None:
    """Found out, answered rightly and healed, without a restart; never an empty answer."""
    with opened(tmp_path) as store:
        for n in range(40):
            say(store, f"kiwi harvest {n}", id=f"m{n}")
    DAMAGE[damage](tmp_path)
    with opened(tmp_path) as store:
        assert len(store.retrieve("kiwi harvest", limit=64).records) == 8
        assert found(store, "harvest 7")[0] == "m7"
        report = store.verify()
        assert report.ok or report.reason
        assert store.wait_until_ready()
        assert store.verify().ok
        trace = store.retrieve("harvest 7").trace
        assert (trace.selected_ids[0], trace.index_state) == ("m7", "ready")


def test_read_only(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as store:
        say(store, "the tram leaves at nine", id="tram")
    folders = (tmp_path / "store" / "memory", tmp_path / "store")
    for folder in folders:
        folder.chmod(0o555)
    before = tree(tmp_path / "store")
    script = """
import sys
from membound import MemoryStore
from membound.errors import CanonicalFileError
with MemoryStore.open(sys.argv[1]) as store:
    assert store.retrieve("tram nine").trace.selected_ids == ("tram",)
    try:
        store.delete("tram")
    except CanonicalFileError as error:
        assert "permission" in str(error), error
"""
    without_privileges(script, tmp_path / "store")
    assert tree(tmp_path / "store") == before
    for folder in folders:
        folder.chmod(0o700)


SPELLINGS: list[str | PureWindowsPath] = [
    r"C:\notes\memory",
    "c:/notes/memory/",
    r"C:\Notes\\.\x\..\Memory",
    r"\\?\C:\notes\memory",
    PureWindowsPath(r"C:\notes", "memory"),
    r"C:\notes.\memory  ",
]
ELSEWHERE = [
    r"D:\notes\memory",
    r"C:\notes\memory2",
    r"C:\notes\memory\sub",
    r"C:notes\memory",
    r"\notes\memory",
    r"\\C\notes\memory",
    "/c:/notes/memory",
    r"\\?\C:\notes.\memory",
]


@pytest.mark.parametrize("home", SPELLINGS, ids=repr)
def test_windows_path(store: MemoryStore, home: str | PureWindowsPath) -> None:
    store.remember("the tram leaves at nine", workspace=home)
    for spelling in SPELLINGS:
        assert recalled(store, "tram nine", workspace=spelling)
        assert len(store.list(workspace=spelling)) == 1
    for place in ELSEWHERE:
        assert recalled(store, "tram nine", workspace=place) == []
    assert _core.place(store.list()[0].to_json()) == r"workspace:C:\NOTES\MEMORY"


def test_windows_path_leaves_posix_paths_alone(store: MemoryStore) -> None:
    places = ["/Notes/Memory", "/notes/memory", r"/notes\memory", "/notes/memory.", "notes:x"]
    for number, place in enumerate(places):
        store.remember(f"tram {number}", workspace=place)
    for number, place in enumerate(places):
        assert recalled(store, "tram", workspace=place) == [f"tram {number}"]


@pytest.mark.parametrize(
    "root", [r"C:\Users\x\mem", "C:/Users/x/mem", r"\\server\share\mem", "C:mem", r"\\?\C:\mem"]
)
def test_windows_path_as_a_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match="a path of this system, not a Windows path"):
        MemoryStore.open(root)
    told = Command(Path(root))("init")
    assert told.exit_code == 2
    assert "not a Windows path" in told.stderr
    assert list(tmp_path.iterdir()) == []


def test_symlink(tmp_path: Path) -> None:
    with opened(tmp_path / "outside") as store:
        say(store, "the tram of a stranger", id="stranger")
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "memory").symlink_to(tmp_path / "outside" / "memory")
    before = tree(tmp_path / "outside")
    with opened(tmp_path / "store") as store:
        for verb in (
            lambda: store.get("stranger"),
            store.list,
            lambda: store.retrieve("tram"),
            lambda: say(store, "mine"),
            lambda: store.purge("stranger"),
        ):
            with pytest.raises(CanonicalFileError, match="a link is not followed"):
                verb()
    assert tree(tmp_path / "outside") == before


def test_symlink_among_what_is_imported(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("the vault code is 4711")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "notes" / "folder").symlink_to(tmp_path)
    command = Command(tmp_path / "store")
    command.ok("import", str(tmp_path / "notes"), "--scope", "user")
    assert command.ok("list") == ""


def test_path_traversal(store: MemoryStore, tmp_path: Path) -> None:
    for id in ("../x", "..", "a/b", "/etc/x", r"..\x", "a\0b", "%2e%2e/x"):
        with pytest.raises(InvalidInputError, match="id"):
            say(store, "escaped", id=id)
        with pytest.raises((InvalidInputError, LookupError)):
            store.purge(id)
    store.remember("the tram leaves at nine", workspace="/r/mem")
    for place in ("/r/mem-evil", "/r/mem-evil/../mem-evil", "/r/memo", "/r", "/r/mem/.."):
        assert recalled(store, "tram nine", workspace=place) == []
    for place in ("/r/mem/", "/r/mem-evil/../mem", "/r/./mem"):
        assert recalled(store, "tram nine", workspace=place)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"store"}


TITLES = ["Plan: phase (Split: b)", "2031-01-02", "yes", "007", "null", "1e3", "- x", "#", "'", '"']


def test_frontmatter(tmp_path: Path) -> None:
    """Whatever YAML would make of it, it is the text it was."""
    command, other = Command(tmp_path / "one"), Command(tmp_path / "two")
    with opened(tmp_path / "one") as store:
        for title in TITLES:
            store.remember(f"note\n---\n{title}", workspace=f"/{title}", tags=[title])
        before = {record.id: record.to_json() for record in store.export()}
    command.ok("export", str(tmp_path / "pages"))
    (tmp_path / "pages" / "broken.md").write_text("---\nid: a\nscope: user\ncreatedAt: [\n---\nx\n")
    told = other("import", str(tmp_path / "pages"))
    assert told.exit_code == 1
    assert "broken.md" in told.output
    with opened(tmp_path / "two") as store:
        assert {record.id: record.to_json() for record in store.export()} == before


def test_migration_of_a_newer_schema(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        say(store, "the tram leaves at nine", id="tram")
    sql(tmp_path, "PRAGMA user_version = 9999")
    before = (tmp_path / INDEX).read_bytes()
    with opened(tmp_path) as store:
        assert found(store, "tram nine") == ("tram",)
        reason = str(store.diagnostics().reason)
        assert "9999" in reason
        assert f" {_core.index_schema_version}," in reason
        with pytest.raises(IndexSchemaError, match="9999"):
            store.rebuild_index()
    assert (tmp_path / INDEX).read_bytes() == before
