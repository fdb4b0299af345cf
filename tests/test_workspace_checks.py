"""What the checks find in the files of a workspace, and that they change nothing."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, get_args

import pytest

from membound.workspace.checks import Check, Finding, examine
from membound.workspace.disk import Root

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "---\ntitle: 'A'\n---\n\nbody\n"


@pytest.fixture(name="root")
def workspace_folder(tmp_path: Path) -> Root:
    for path in ("memory/decisions/use-sqlite.md", "memory/缓存.md", "notes/todo.md"):
        write(tmp_path / "w", path, NOTE)
    return Root(tmp_path / "w")


def write(folder: Path, path: str, text: str | bytes) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def found(root: Root, check: Check, **given: Any) -> list[Finding]:  # noqa: ANN401 — passed on
    return [one for one in examine(root, **given) if one.check == check and one.severity != "ok"]


def test_a_sound_workspace_has_nothing_to_be_mended(root: Root) -> None:
    findings = examine(root, sessions={"session_a": None})
    assert [one.check for one in findings] == list(get_args(Check))
    assert {one.severity for one in findings} == {"ok"}
    assert {one.advice for one in findings} == {""}


def test_a_folder_without_anything_is_sound(tmp_path: Path) -> None:
    assert {one.severity for one in examine(Root(tmp_path / "none"))} == {"ok"}


def test_a_note_that_cannot_be_read_is_named(root: Root) -> None:
    write(root.folder, "memory/bad.md", b"\xff\xfe")
    (finding,) = found(root, "notes")
    assert finding.severity == "problem"
    assert finding.what.startswith("1 of 4 notes")
    assert [one.partition(": ")[0] for one in finding.details] == ["memory/bad.md"]


def test_a_cache_that_is_no_json_is_told(root: Root) -> None:
    write(root.folder, "index.json", "{not json")
    (finding,) = found(root, "index.json")
    assert finding.severity == "problem"
    assert "sync" in finding.advice


def test_a_cache_that_is_behind_is_told_with_each_note(root: Root) -> None:
    """W19: a path in the cache that leads out is no note, and is not looked for."""
    entries = {
        "memory/decisions/use-sqlite.md": {"title": "T", "tags": []},
        "memory/缓存.md": {"title": "T", "tags": []},
        "memory/gone.md": {"title": "T", "tags": []},
        "memory/../../../secret.md": {"title": "T", "tags": []},
        "memory/": {"comment": ""},
    }
    cache = {"version": "3-kv", "meta": {}, "index": entries}
    write(root.folder, "index.json", json.dumps(cache))
    (finding,) = found(root, "index.json")
    assert finding.severity == "warning"
    assert finding.details == (
        "1 entries that name no note",
        "memory/gone.md: it is gone, and listed still",
        "notes/todo.md: it is not listed yet",
    )


def test_links_that_lead_out_are_named_and_not_followed(root: Root, tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", b"\xff")
    (root.folder / "memory" / "out").symlink_to(tmp_path / "outside")
    (root.folder / "memory" / "loop.md").symlink_to("loop.md")
    (root.folder / "memory" / "in.md").symlink_to("缓存.md")
    (finding,) = found(root, "links")
    assert finding.severity == "problem"
    assert "memory/out: it leads out" in finding.details
    assert not any("in.md" in one for one in finding.details)
    assert found(root, "notes") == []


def test_names_that_are_one_on_other_systems_are_told(root: Root) -> None:
    for name in ("Café", "Cafe\u0301", "CAFÉ", "Straße", "STRASSE"):
        write(root.folder, f"memory/{name}.md", NOTE)
    (finding,) = found(root, "names")
    assert finding.severity == "warning"
    assert sorted(len(one.split(" and ")) for one in finding.details) == [2, 3]


def test_names_that_other_systems_lack_are_told_with_the_rule(root: Root) -> None:
    for name in ("con", "a:b", "end ", "end."):
        write(root.folder, f"memory/{name}.md", NOTE)
    (finding,) = found(root, "names")
    assert len(finding.details) == 4
    assert all(": expected a name " in one for one in finding.details)


def theme(**references: Any) -> str:  # noqa: ANN401 — JSON is anything
    return json.dumps({"theme": "q", "displayName": "q", "turns": [], "memories": []} | references)


def test_references_that_lead_nowhere_are_told(root: Root) -> None:
    memories = [
        {"key": "use-sqlite", "folder": "memory/decisions", "title": "t", "timestamp": "x"},
        {"key": "ghost", "folder": "memory", "title": "t", "timestamp": "x"},
        {"key": "old", "folder": "memory", "title": "t", "timestamp": "x", "deleted": True},
    ]
    turns = [
        {"sessionId": "session_a", "turnId": 1, "timestamp": "x"},
        {"sessionId": "session_gone", "turnId": 2, "timestamp": "x"},
    ]
    write(root.folder, "themes/q.json", theme(memories=memories, turns=turns))
    (finding,) = found(root, "themes", sessions={"session_a": None})
    assert finding.severity == "warning"
    assert finding.details == (
        "q: memory/ghost.md is not there",
        "q: turn 2 of session_gone, a session that is not there",
    )
    (finding,) = found(root, "themes")
    assert len(finding.details) == 1, "where no session is known, none is missed"


def test_a_theme_that_cannot_be_read_hides_no_other(root: Root) -> None:
    write(root.folder, "themes/bad.json", "{")
    memories = [{"key": "ghost", "folder": "memory", "title": "t", "timestamp": "x"}]
    write(root.folder, "themes/q.json", theme(memories=memories))
    problem, warning = found(root, "themes")
    assert (problem.severity, warning.severity) == ("problem", "warning")
    assert "bad.json" in problem.details[0]


def test_torn_lines_and_unused_settings_are_told(root: Root) -> None:
    (finding,) = found(root, "sessions", sessions={"session_a": None, "session_b": "2 lines"})
    assert finding.details == ("session_b: 2 lines",)
    (finding,) = found(root, "settings", notices=("recentChangeLimit: expected a number",))
    assert finding.details == ("recentChangeLimit: expected a number",)


def test_looking_changes_nothing(root: Root) -> None:
    write(root.folder, "index.json", "{not json")
    write(root.folder, "memory/bad.md", b"\xff")
    files = {path: path.stat() for path in sorted(root.folder.rglob("*"))}
    examine(root)
    now = {path: path.stat() for path in sorted(root.folder.rglob("*"))}
    assert {p: s.st_mtime_ns for p, s in now.items()} == {
        p: s.st_mtime_ns for p, s in files.items()
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="no folder is closed to root")
def test_a_closed_folder_is_told_and_the_rest_is_looked_at(root: Root) -> None:
    closed = root.folder / "memory/closed"
    closed.mkdir(mode=0)
    try:
        (finding,) = found(root, "notes")
    finally:
        closed.chmod(0o700)
    assert finding.details[0].startswith("memory/closed/: ")


def test_comments_that_cannot_be_used_are_told(root: Root) -> None:
    write(root.folder, ".membound/folders.yaml", "memory: [\n")
    (finding,) = found(root, "comments")
    assert "folders.yaml" in finding.advice
    write(root.folder, ".membound/folders.yaml", "memory/decisions: Why\nmemory: [1]\n")
    (finding,) = found(root, "comments")
    assert len(finding.details) == 1


def test_an_identity_that_cannot_be_read_is_told(root: Root) -> None:
    write(root.folder, ".membound/identity.json", "{")
    (finding,) = found(root, "identity")
    assert finding.severity == "warning"
