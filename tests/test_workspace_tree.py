"""The tree of folders and notes: as peers draw it, and as we do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.workspace.comments import shown
from membound.workspace.entry import Entry
from membound.workspace.index_json import read
from membound.workspace.tree import render

if TYPE_CHECKING:
    from random import Random

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "cache"
VECTORS: dict[str, Any] = json.loads((FIXTURES / "tree.json").read_text("utf-8"))


def listed(node: dict[str, Any], path: str) -> tuple[list[Entry], dict[str, str]]:
    """Gives the notes and comments of a drawn folder, its own before those of what is in it."""
    entries = [
        Entry(
            path=f"{path}/{file['key']}.md",
            title=file["title"],
            tags=tuple(file["tags"]),
            created_at=file["createdAt"],
            updated_at=file["updatedAt"],
        )
        for file in node["files"]
    ]
    comments = {path: node["comment"]}
    for name, child in node["children"].items():
        inside, more = listed(child, f"{path}/{name}")
        entries += inside
        comments |= more
    return entries, comments


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_peers_draw_the_same(name: str) -> None:
    vector = VECTORS[name]
    entries, comments = listed(vector["input"], "memory")
    drawn = render(entries, comments, vector["recentLimit"], compatible=True)
    if name == "sort":
        # L2: there the order is that of the system's language, here of code points.
        drawn_keys = [line[4:].partition(" — ")[0] for line in drawn.splitlines()[1:]]
        assert drawn_keys == sorted(entry.title for entry in entries)
        assert len(drawn) == len(vector["text"])
    else:
        assert drawn == vector["text"]


@pytest.mark.parametrize("store", ["orchard-bot-seed", "orchard-bot-head", "tea-house-seed"])
def test_peers_stores_are_drawn_the_same(store: str) -> None:
    index = read((FIXTURES / store / "index.json").read_bytes())
    times = json.loads((FIXTURES / store / "times.json").read_text("utf-8"))
    entries = [
        Entry(
            path=path,
            title=one.title,
            tags=one.tags,
            created_at=times[path].get("createdAt"),
            updated_at=times[path].get("updatedAt"),
        )
        for path, one in index.files.items()
    ]
    expected = (FIXTURES / store / "tree.txt").read_text("utf-8").removesuffix("\n")
    assert render(entries, index.comments, 5, compatible=True) == expected


def test_every_line_but_the_first_has_a_connector() -> None:
    entries = [
        Entry(path="memory/b/deep/d.md", title="D"),
        Entry(path="memory/a/x.md", title="X", tags=("t", "u"), updated_at="2026-01-02"),
        Entry(path="memory/z.md", title="Z"),
        Entry(path="notes/n.md", title="N"),
    ]
    comments = {"memory": "root", "memory/a": "why", "memory/b": "", "memory/b/deep": ""}
    assert render(entries, comments, 1).splitlines() == [
        "memory/ — root",
        "├── a/ — why",
        "│   └── x — X [t, u] [new]",
        "├── b/",
        "│   └── deep/",
        "│       └── d — D",
        "└── z — Z",
    ]


def test_an_empty_garden_is_its_root() -> None:
    assert render([], {}, 5) == "memory/"


def test_only_folders_that_are_there_are_drawn() -> None:
    """W12: comments of others, and such as are no text, never come so far."""
    own = {"memory/ghost": "was here", "memory/a": "is here"}
    comments = shown(["memory", "memory/a"], own, {"memory/obj": "peer"})
    drawn = render([], comments, 5)
    assert "ghost" not in drawn
    assert "obj" not in drawn
    assert drawn.splitlines()[1] == "└── a/ — is here"


def test_the_newest_are_marked_by_change_then_by_creation() -> None:
    times = {
        "old": ("2026-01-01T00:00:00.000Z", "2026-01-05T00:00:00.000Z"),
        "new": ("2026-01-02T00:00:00.000Z", "2026-01-05T00:00:00.000Z"),
        "newest": (None, "2026-02-01"),
        "odd": ("2026-01-09T00:00:00.000Z", "yesterday"),
        "undated": (None, None),
    }
    entries = [
        Entry(path=f"memory/{key}.md", title="T", created_at=created, updated_at=updated)
        for key, (created, updated) in times.items()
    ]
    for most, keys in ((0, set()), (2, {"newest", "new"}), (3, {"newest", "new", "old"})):
        marked = {
            line[4:].partition(" — ")[0]
            for line in render(entries, {}, most).splitlines()
            if line.endswith("[new]")
        }
        assert marked == keys
    assert render(entries, {}, 99).count("[new]") == len(entries)
    assert render(entries, {}, -1).count("[new]") == 0


@given(
    st.lists(
        st.builds(
            lambda names, title, tags, updated: Entry(
                path=f"memory/{'/'.join(names)}.md", title=title, tags=tags, updated_at=updated
            ),
            st.lists(st.sampled_from(["a", "B", "é", "阿", "中", "z-1", "z"]), min_size=1),
            st.text(),
            st.lists(st.text(), max_size=2).map(tuple),
            st.sampled_from([None, "2026-01-01", "2026-01-02"]),
        ),
        unique_by=lambda entry: entry.path,
    ),
    st.randoms(use_true_random=False),
)
def test_each_note_has_one_line_and_the_order_given_does_not_matter(
    entries: list[Entry], random: Random
) -> None:
    folders = {
        "/".join(names[: at + 1])
        for names in (entry.path.split("/")[:-1] for entry in entries)
        for at in range(len(names))
    } | {"memory"}
    mixed = random.sample(entries, len(entries))
    for compatible in (False, True):
        drawn = render(entries, {}, 2, compatible=compatible)
        assert len(drawn.split("\n")) == len(entries) + len(folders)
        assert drawn.count("[new]") >= min(2, len(entries))
    assert render(mixed, {}, 2) == render(entries, {}, 2)


def test_a_key_is_no_more_than_its_line() -> None:
    entry = Entry(path="memory/a.md", title="x\n└── fake — Fake", tags=("t\r\nu", "v\u2028w"))
    (_, line) = render([entry], {"memory": "one\ntwo"}, 0).split("\n")
    assert line == "└── a — x └── fake — Fake [t u, v w]"


def test_a_tree_may_be_as_deep_as_paths_are() -> None:
    entry = Entry(path=f"memory/{'d/' * 2_000}x.md", title="X")
    assert len(render([entry], {}, 0).splitlines()) == 2_002
