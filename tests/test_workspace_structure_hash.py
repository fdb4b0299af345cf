"""The structure hash: as peers keep it, and as it is documented."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.workspace.structure_hash import dated, documented, empty_folders

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "cache"
GOLDEN = sorted(FIXTURES.glob("*/structure_hash.json"))


def nanoseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000) * 1_000_000


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_peers_find_the_hash_that_they_would_make_themselves(path: Path) -> None:
    golden = json.loads(path.read_text("utf-8"))
    lines = [line for line in golden["preimage_lines"] if not line.endswith("/")]
    empty = [line for line in golden["preimage_lines"] if line.endswith("/")]
    files = {name: nanoseconds(moment) for name, moment in (line.split(".md:") for line in lines)}
    files = {f"{name}.md": changed for name, changed in files.items()}
    assert dated(files, empty) == golden["md5"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_the_documented_form_is_of_paths_alone(path: Path) -> None:
    lines = json.loads(path.read_text("utf-8"))["preimage_lines"]
    plain = [line if line.endswith("/") else line.partition(".md:")[0] + ".md" for line in lines]
    files = [line for line in plain if not line.endswith("/")]
    empty = [line for line in plain if line.endswith("/")]
    expected = hashlib.md5("\n".join(sorted(plain)).encode(), usedforsecurity=False).hexdigest()
    assert documented(files, empty) == expected


def test_no_form_tells_of_an_edit_that_keeps_the_time(tmp_path: Path) -> None:
    """H1: so that whoever needs to know reads the file's size, inode and content too."""
    note = tmp_path / "a.md"
    note.write_text("before")
    os.utime(note, ns=(0, 1_700_000_000_000_000_000))
    before = dated({"memory/a.md": note.stat().st_mtime_ns}), documented(["memory/a.md"])
    note.write_text("after!")
    os.utime(note, ns=(0, 1_700_000_000_000_000_000))
    assert (dated({"memory/a.md": note.stat().st_mtime_ns}), documented(["memory/a.md"])) == before
    os.utime(note, ns=(0, 1_700_000_000_001_000_000))
    assert dated({"memory/a.md": note.stat().st_mtime_ns}) != before[0]


def test_nothing_has_an_empty_hash() -> None:
    assert documented([]) == dated({}) == ""


def test_lines_are_sorted_by_utf_16_units() -> None:
    """Where U+E000 comes behind what lies beyond U+FFFF, other than in code points and in UTF-8."""
    lines = "memory/🚀.md\nmemory/\ue000.md"
    expected = hashlib.md5(lines.encode(), usedforsecurity=False).hexdigest()
    assert documented(["memory/\ue000.md", "memory/🚀.md"]) == expected


@given(st.lists(st.text(st.characters(), min_size=1), unique=True, min_size=1))
def test_any_names_have_a_hash_whatever_their_order(names: list[str]) -> None:
    files = [f"memory/{name}.md" for name in names]
    assert len(documented(files)) == 32
    assert documented(files) == documented(files[::-1])
    assert documented(files) != documented([*files, "memory/one/more.md"])


@pytest.mark.parametrize("changed", [10**30, -(10**30), -1, 253402300800 * 10**9])
def test_a_file_of_any_time_has_a_hash(changed: int) -> None:
    assert len(dated({"memory/a.md": changed})) == 32


def test_a_folder_is_empty_if_no_file_lies_under_it() -> None:
    folders = ["memory", "memory/a", "memory/a/b", "memory/c", "memory/c/d", "notes"]
    files = ["memory/a/b/x.md"]
    assert empty_folders(folders, files) == ("memory/c", "memory/c/d", "notes")
