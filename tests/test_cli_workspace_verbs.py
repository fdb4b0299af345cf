"""The verbs of the group `workspace`, on real folders."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.command import Command

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

NOTE = "---\ntitle: 'Use Sqlite Queue'\ntags:\n  - decision\n---\n\nJobs go through SQLite.\n"


class Garden:
    """A workspace of a project, and `membound workspace` for it."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.root = folder / "stores"
        self.project.mkdir()
        self.command = Command(folder / "store")

    def __call__(self, *words: str, input: str | bytes | None = None) -> Result:
        places = ("--cwd", str(self.project), "--root", str(self.root))
        sessions = ("--sessions-root", str(self.root.parent / "sessions"))
        verb, *rest = words
        return self.command("workspace", verb, *places, *sessions, *rest, input=input)

    def ok(self, *words: str, input: str | bytes | None = None) -> str:
        result = self(*words, input=input)
        assert result.exit_code == 0, result.output
        return result.stdout

    @property
    def folder(self) -> Path:
        (found,) = self.root.glob("workspace-*")
        return found

    def write(self, path: str, text: str = NOTE) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Garden:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    made = Garden(tmp_path)
    made.ok("status")
    return made


def test_status_says_where_the_notes_are_and_what_there_is(garden: Garden) -> None:
    garden.write("memory/decisions/use-sqlite-queue.md")
    garden.write("notes/todo.md")
    shown = garden.ok("status")
    assert str(garden.project) in shown
    assert str(garden.folder) in shown
    assert "memory/decisions/use-sqlite-queue" in shown
    told = json.loads(garden.ok("status", "--json"))
    assert told["storePath"] == str(garden.folder)
    assert (told["notes"], told["scratch"], told["tags"]) == (1, 1, 1)
    assert (told["themes"], told["essenceBytes"]) == (0, 0)
    garden.ok("organize", "--store", "-", input="茶" * 100)
    assert "300 of 15,360 bytes" in garden.ok("status")


def test_a_folder_has_one_workspace_however_it_is_written(
    garden: Garden, monkeypatch: pytest.MonkeyPatch
) -> None:
    garden.write("memory/a.md")
    monkeypatch.chdir(garden.project)
    for spelled in (".", "../project", f"{garden.project}/"):
        words = ("status", "--root", str(garden.root), "--cwd", spelled, "--json")
        assert json.loads(garden.command.ok("workspace", *words))["notes"] == 1
        assert "1 notes" in garden.command.ok("workspace", "doctor", *words[1:-1])


@pytest.mark.parametrize("verb", ["status", "sync", "tree", "organize", "doctor", "relink"])
def test_a_folder_that_is_not_there_has_no_workspace(
    garden: Garden, tmp_path: Path, verb: str
) -> None:
    stores = sorted(garden.root.iterdir())
    words = ("--root", str(garden.root), "--cwd", str(tmp_path / "typo"))
    result = garden.command("workspace", verb, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "does not exist" in result.stderr
    assert sorted(garden.root.iterdir()) == stores


def test_tree_draws_the_notes(garden: Garden) -> None:
    garden.write("memory/decisions/use-sqlite-queue.md")
    garden.write("memory/决策/缓存层.md", "缓存层用 SQLite。")
    assert garden.ok("tree").splitlines() == [
        "memory/ — 完整记忆索引（按领域分组）",
        "├── decisions/ — 关键产品/架构决策",
        "│   └── use-sqlite-queue — Use Sqlite Queue [decision] [new]",
        "└── 决策/",
        "    └── 缓存层 — 缓存层 [new]",
    ]


def test_sync_says_what_was_brought_in_line(garden: Garden) -> None:
    garden.ok("sync")
    garden.write("memory/a.md")
    assert "1 added" in garden.ok("sync")
    assert garden.ok("sync") == "nothing has changed\n"
    assert json.loads(garden.ok("sync", "--json"))["skipped"] is True


def test_search_finds_in_folders_below_and_says_where(garden: Garden) -> None:
    """W09: a folder is searched with those below it, and words need not be neighbours."""
    garden.write("memory/decisions/use-sqlite-queue.md")
    shown = garden.ok("search", "sqlite jobs", "--folder", "memory")
    assert "memory/decisions/use-sqlite-queue · decision" in shown
    assert "Jobs go through SQLite." in shown
    found = json.loads(garden.ok("search", "sqlite", "--json"))
    assert [item["key"] for item in found["items"]] == ["use-sqlite-queue"]


def test_search_that_finds_nothing_exits_with_1(garden: Garden) -> None:
    result = garden("search", "comets")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no note is relevant" in result.stderr


def test_organize_shows_what_there_is_and_stores_what_is_written(garden: Garden) -> None:
    garden.write("memory/decisions/use-sqlite-queue.md")
    assert "memory/decisions/use-sqlite-queue" in garden.ok("organize")
    prepared = json.loads(garden.ok("organize", "--json"))
    assert prepared["pendingMemories"][0]["content"] == "Jobs go through SQLite.\n"
    said = garden.ok("organize", "--store", "-", input="# Essence\n")
    assert "essence/essence.md" in said
    assert "# Essence\n" in (garden.folder / "essence" / "essence.md").read_text()


def test_organize_gives_every_note_page_by_page(garden: Garden) -> None:
    for number in range(5):
        garden.write(f"memory/n{number}.md", f"{number}" * 9_000)
    words: tuple[str, ...] = ()
    texts: dict[str, str] = {}
    pages = 0
    while pages == 0 or words:
        page = json.loads(garden.ok("organize", "--json", *words))
        for note in page["pendingMemories"]:
            texts[note["key"]] = texts.get(note["key"], "") + note["content"]
        words = ("--cursor", page["next_cursor"]) if "next_cursor" in page else ()
        pages += 1
    assert pages > 1
    assert texts == {f"n{number}": f"{number}" * 9_000 for number in range(5)}


def test_an_essence_that_is_no_text_is_refused(garden: Garden) -> None:
    result = garden("organize", "--store", "-", input=b"\xff")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no UTF-8" in result.stderr


def test_doctor_says_healthy_or_what_to_do(garden: Garden) -> None:
    garden.write("memory/a.md")
    garden.ok("sync")
    assert garden.ok("doctor").endswith("healthy\n")
    (garden.folder / "memory" / "b.md").write_bytes(b"---\ntitle: \xff\n---\n")
    (garden.folder / "memory" / "out.md").symlink_to("/etc/hostname")
    result = garden("doctor")
    assert result.exit_code == 1
    assert "memory/b.md: " in result.stdout
    assert "memory/out.md: it leads out" in result.stdout
    assert result.stdout.endswith("2 to be mended\n")
    report = json.loads(garden("doctor", "--json").stdout)
    assert report["healthy"] is False
    assert {one["check"] for one in report["findings"] if one["severity"] == "problem"} == {
        "notes",
        "links",
    }


def test_a_folder_that_moved_gets_its_notes_back(garden: Garden, tmp_path: Path) -> None:
    """C2: the hash of a path is another one elsewhere; a link leads to the former store."""
    garden.write("memory/a.md")
    store = garden.folder.name
    garden.project.rename(tmp_path / "elsewhere")
    garden.project = tmp_path / "elsewhere"
    assert store in garden.ok("relink")
    assert store in garden.ok("relink", store)
    assert "a — " in garden.ok("tree")
    garden.ok("relink", "--undo")
    assert "a — " not in garden.ok("tree")


def test_relink_says_how_many_notes_each_store_has_and_which_are_left(
    garden: Garden, tmp_path: Path
) -> None:
    garden.write("memory/a.md")
    garden.write("notes/b.md")
    store = garden.folder.name
    garden.project.rename(tmp_path / "elsewhere")
    garden.project = tmp_path / "elsewhere"
    assert f"{store}  2 notes, of a folder that is no more" in garden.ok("relink")
    linked = garden("relink", store)
    assert (linked.exit_code, linked.stderr) == (0, "")
    garden.ok("relink", "--undo")

    garden.ok("status")
    (own,) = (path for path in garden.root.glob("workspace-*") if path.name != store)
    (own / "memory" / "c.md").write_text(NOTE)
    linked = garden("relink", store)
    assert linked.stderr == (
        f"1 note of the folder's own store {own.name} cannot be seen meanwhile; "
        "membound workspace relink --undo brings it back\n"
    )
    undone = garden("relink", "--undo")
    assert (undone.exit_code, undone.stderr) == (0, "")
    assert "c — " in garden.ok("tree")


def test_a_store_that_is_none_is_not_linked(garden: Garden) -> None:
    result = garden("relink", "../elsewhere")
    assert result.exit_code == 2
    assert not (garden.root / "links.json").exists()


def test_another_program_s_store_is_offered_and_left(garden: Garden, tmp_path: Path) -> None:
    name = garden.folder.name
    peer = tmp_path / "home" / ".kimi-code-memory" / name / "memory"
    peer.mkdir(parents=True)
    (peer / "a.md").write_text("tea")
    before = sorted(os.walk(peer))
    assert f"{peer.parent}; --root {peer.parent.parent} uses it" in garden("status").stderr
    assert sorted(os.walk(peer)) == before
