"""Keys, folders and titles: one way from the two to a path, and what names nothing."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidNameError
from membound.workspace.paths import Address, address, folder_name, key_name, title_of

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "fixtures/workspace/garden/vectors.json").read_text("utf-8")
)
OURS: dict[str, str | None] = {
    "memory//x": "memory/x",  # W03: written under a name that lists do not find
    "memory/中文": "memory/中文",  # W03: refused
    "memory/a b": "memory/a b",  # W03: refused
    "memory/v1.2": "memory/v1.2",  # W03: refused
    "Memory": None,  # W03: an area that no list looks into
    "-_9": None,  # W03
}


@pytest.mark.parametrize("row", VECTORS["sanitize_folder"], ids=lambda row: repr(row["in"]))
def test_a_folder_is_what_a_peer_makes_of_it_but_for_its_faults(row: dict[str, Any]) -> None:
    given, wanted = row["in"], OURS.get(row["in"], row["out"])
    if wanted is None:
        with pytest.raises(InvalidNameError) as refused:
            folder_name(given, new=True)
        assert refused.value.field == "folder"
    else:
        assert folder_name(given, new=True) == wanted


@pytest.mark.parametrize("row", VECTORS["to_title"], ids=lambda row: repr(row["in"]))
def test_a_key_stands_for_the_title_that_a_peer_makes_of_it(row: dict[str, Any]) -> None:
    assert title_of(row["in"]) == row["out"]


@pytest.mark.parametrize("row", VECTORS["sanitize_key"], ids=lambda row: repr(row["in"])[:40])
def test_a_new_key_is_taken_as_it_is_or_refused_and_never_changed(row: dict[str, Any]) -> None:
    """W02 and W08: a key that was changed in silence no longer found its note."""
    try:
        named = key_name(row["in"], new=True)
    except InvalidNameError:
        assert row["in"] != row["out"] or row["in"] == ".." or "🚀" in row["in"]
    else:
        assert named == unicodedata.normalize("NFC", row["in"])


@pytest.mark.parametrize(
    "key",
    [
        *("../essence/essence", "../notes/evil", "a/b/c", "back\\slash", ".secret", "..", ".", ""),
        *("a\nb", "a\0b", "nul", "COM1.txt", "ends.", " starts", "ends ", "é" * 101, "\ud800"),
        *("批次 编号:规则", "sub/deep", "a?b", "🚀"),
    ],
)
def test_a_new_key_that_is_no_name_on_every_system_is_refused_w01_w02(key: str) -> None:
    with pytest.raises(InvalidNameError) as refused:
        key_name(key, new=True)
    assert refused.value.field == "key"


@pytest.mark.parametrize("key", ["批次 编号:规则", "emoji-🚀", "what?", "nul", "ends."])
def test_a_key_that_is_there_already_may_be_any_name(key: str) -> None:
    assert address("memory", key).path == f"memory/{key}.md"


@pytest.mark.parametrize("key", ["../x", "a/b", ".hidden", "a\0", "", None, 7])
def test_no_key_leads_out_of_its_folder_even_where_it_need_not_be_new_w01(key: object) -> None:
    with pytest.raises(InvalidNameError):
        address("memory", key)


@pytest.mark.parametrize(
    "folder",
    [
        *("themes", "a", "refined", "/memory", "../memory", "memory/../notes", "memory/.x"),
        *("C:\\Users\\ada", "/mnt/c/Users", "\\\\host\\share", "c:/memory"),
    ],
)
def test_a_folder_outside_of_the_areas_is_refused_w03_complaints_12_and_14(folder: str) -> None:
    with pytest.raises(InvalidNameError):
        folder_name(folder)


def test_nothing_new_is_made_in_the_essence() -> None:
    assert address("essence", "essence").path == "essence/essence.md"
    with pytest.raises(InvalidNameError):
        address("essence", "other", new=True)


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_path_that_is_made_is_one_line_within_its_area_and_tells_its_address(
    folder: str, key: str
) -> None:
    try:
        named = address(f"memory/{folder}", key, new=True)
    except InvalidNameError:
        return
    assert named == Address.of(named.path)
    assert named.path.startswith("memory/")
    names = named.path.split("/")
    assert not any(name.startswith(".") or not name for name in names)
    assert named.path == unicodedata.normalize("NFC", named.path)
    assert named == address(named.folder, named.key, new=True)
