"""The cache `index.json`: read whatever it is, and written as peers read it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.workspace.entry import Entry
from membound.workspace.index_json import IndexJson, Listed, Renderer, backup_path, read

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "cache"
GOLDEN = sorted(FIXTURES.glob("*/index.json"))
NOW = "2026-03-01T09:23:00.000Z"


def entries_of(index: IndexJson) -> list[Entry]:
    return [Entry(path=path, title=one.title, tags=one.tags) for path, one in index.files.items()]


def rendered(entries: list[Entry], comments: dict[str, str], former: IndexJson) -> bytes:
    return Renderer().render(entries, comments, former, synced_at=NOW, structure_hash=None)


def cached(index: object, **others: object) -> bytes:
    meta = {"lastSyncAt": NOW, "structureHash": None}
    return json.dumps({"version": "3-kv", "meta": meta, "index": index, **others}).encode()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_a_peers_cache_comes_out_as_it_came_in(path: Path) -> None:
    data = path.read_bytes()
    index = read(data)
    assert (index.state, index.dropped) == ("whole", 0)
    again = Renderer().render(
        entries_of(index),
        index.comments,
        index,
        synced_at=str(index.synced_at),
        structure_hash=index.structure_hash,
    )
    assert json.loads(again) == json.loads(data)
    assert again == data


@pytest.mark.parametrize(
    "key",
    [
        "memory/../../../../secret.md",
        "memory/../../secret.md",
        "/etc/passwd.md",
        "memory//etc/passwd.md",
        "memory/a\0b.md",
        "memory/a\nb.md",
        "memory/.hidden.md",
        "memory/.git/x.md",
        "memory/.md",
        "memory\\..\\x.md",
        "C:/x.md",
        "themes/x.md",
        "memory/x.txt",
        "memory/x.MD",
        "memory",
        "x.md",
        "",
        "/",
        "../../up/",
        "memory/../x/",
        "memory//x/",
    ],
)
def test_a_key_that_leads_elsewhere_is_dropped_and_counted(key: str) -> None:
    """W19: none of them is searched, listed, or drawn."""
    value = {"comment": "x"} if key.endswith("/") else {"title": "X", "tags": []}
    good = {"memory/good.md": {"title": "Good", "tags": ["t"]}, "memory/": {"comment": "c"}}
    index = read(cached({key: value, **good}))
    assert index.files == {"memory/good.md": Listed("Good", ("t",))}
    assert index.comments == {"memory": "c"}
    assert index.keys == ("memory/good.md", "memory/")
    assert (index.state, index.dropped) == ("whole", 1)


def test_one_wrong_value_spoils_no_other() -> None:
    """W17 and W12: values that made every tool of the peer fail, or were drawn as objects."""
    good = {"memory/good.md": {"title": "Good", "tags": ["t"]}, "memory/": {"comment": "c"}}
    wrong: dict[str, object] = {
        "memory/a.md": None,
        "memory/b.md": 7,
        "memory/c.md": {"title": [], "tags": "x"},
        "memory/obj/": {"comment": {}},
        "memory/list/": [],
    }
    index = read(cached({**wrong, **good}))
    assert list(index.files) == ["memory/good.md"]
    assert index.comments == {"memory": "c"}
    assert (index.state, index.dropped) == ("whole", len(wrong))


@pytest.mark.parametrize(
    "data",
    [
        b'{"version":"3-kv","index":{}}',
        b'{"version":"3-kv","meta":null,"index":null}',
        b'{"version":"3-kv","meta":{"lastSyncAt":5,"structureHash":[]},"index":[]}',
        b'{"version":"3-kv"}',
    ],
)
def test_a_cache_without_its_parts_is_an_empty_one(data: bytes) -> None:
    """W17: which made the peer fail until somebody repaired it by hand."""
    assert read(data) == IndexJson()


@pytest.mark.parametrize(
    "data",
    [b"", b"{not json", b"[]", b"null", b'"x"', b'{"version":"4"}', b"{}", b"[" * 100_000, b"\xff"],
)
def test_what_is_no_cache_is_told_and_gives_nothing(data: bytes) -> None:
    assert read(data) == IndexJson(state="damaged")


def test_no_cache_is_no_damage() -> None:
    assert read(None) == IndexJson(state="missing")


def test_the_first_version_is_migrated() -> None:
    entries = {
        "1": {"folder": "memory/decisions", "key": "use-x", "title": "Use X", "tags": ["d"]},
        "2": {"folder": "memory", "key": "no-title"},
        "3": {"folder": "memory"},
        "4": {"folder": "../..", "key": "secret"},
        "5": {"folder": "memory", "key": "../../secret"},
        "6": None,
    }
    index = read(json.dumps({"version": 1, "entries": entries}).encode())
    assert index.files == {
        "memory/decisions/use-x.md": Listed("Use X", ("d",)),
        "memory/no-title.md": Listed("No Title"),
    }
    assert (index.state, index.dropped) == ("migrated", 4)


def test_a_backup_has_the_first_free_number_of_its_day() -> None:
    now = datetime(2026, 3, 1, 23, tzinfo=UTC)
    assert backup_path([], now) == "backup/260301_01/index.json"
    assert backup_path(["260301_01", "260228_02"], now) == "backup/260301_02/index.json"


def test_what_is_there_keeps_its_place_and_what_is_new_comes_behind() -> None:
    former = read(
        cached(
            {
                "memory/z.md": {"title": "Z", "tags": []},
                "memory/": {"comment": "old"},
                "memory/gone/": {"comment": "gone"},
                "memory/gone.md": {"title": "Gone", "tags": []},
                "memory/a.md": {"title": "A", "tags": []},
            }
        )
    )
    entries = [
        Entry(path="memory/a.md", title="A"),
        Entry(path="memory/b/c/d.md", title="D"),
        Entry(path="memory/z.md", title="Z2", tags=("t",)),
    ]
    data = rendered(entries, {"memory": "new", "memory/empty": ""}, former)
    index: dict[str, Any] = json.loads(data)["index"]
    assert list(index) == [
        "memory/z.md",
        "memory/",
        "memory/a.md",
        "memory/b/c/d.md",
        "memory/b/",
        "memory/b/c/",
        "memory/empty/",
    ]
    assert index["memory/z.md"] == {"title": "Z2", "tags": ["t"]}
    assert index["memory/"] == {"comment": "new"}


def test_a_cache_of_nothing_is_as_peers_write_it() -> None:
    assert rendered([], {}, IndexJson()).endswith(b'},\n  "index": {}\n}')


def test_a_note_without_a_title_has_that_of_its_key() -> None:
    """As peers read it: a title that is empty is none."""
    data = rendered([Entry(path="memory/use-sqlite.md", title="")], {}, IndexJson())
    assert json.loads(data)["index"]["memory/use-sqlite.md"]["title"] == "Use Sqlite"


def test_a_name_that_is_no_text_does_not_spoil_the_rest() -> None:
    entries = [
        Entry(path="memory/\udcff.md", title="X\udcff"),
        Entry(path="memory/a.md", title="A"),
    ]
    assert list(read(rendered(entries, {}, IndexJson())).files) == [
        "memory/\ufffd.md",
        "memory/a.md",
    ]


NAMES = st.sampled_from(["a", "B-2", "缓存层", "two words", "x.y", "é"])


@given(
    st.dictionaries(
        st.lists(NAMES, min_size=1, max_size=4).map(lambda names: f"memory/{'/'.join(names)}.md"),
        st.tuples(st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1), NAMES),
    ),
    st.dictionaries(NAMES.map(lambda name: f"memory/{name}"), NAMES),
)
def test_what_is_written_is_read_again(
    notes: dict[str, tuple[str, str]], comments: dict[str, str]
) -> None:
    entries = [Entry(path=path, title=title, tags=(tag,)) for path, (title, tag) in notes.items()]
    data = rendered(entries, comments, IndexJson())
    index = read(data)
    assert (index.state, index.dropped, index.synced_at) == ("whole", 0, NOW)
    assert index.files == {path: Listed(title, (tag,)) for path, (title, tag) in notes.items()}
    assert {folder: one for folder, one in index.comments.items() if one} == comments
    assert rendered(entries_of(index), index.comments, index) == data


@given(
    st.recursive(
        st.none() | st.text() | st.integers() | st.booleans(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_nothing_that_it_may_hold_is_too_much(value: object) -> None:
    for data in (cached(value), cached({}, meta=value), cached({"memory/a.md": value})):
        assert read(data).state in {"whole", "damaged"}
    assert read(json.dumps({"version": 1, "entries": value}).encode()).files == {}


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["memory/a.md", "memory/b/c.md", "memory/b/d.md", "notes/e/f.md"]),
            st.sampled_from(["One", "Two"]),
        ),
        max_size=5,
    )
)
def test_what_was_written_before_changes_nothing(states: list[dict[str, str]]) -> None:
    renderer, former = Renderer(), IndexJson()
    for state in states:
        entries = [Entry(path=path, title=title) for path, title in state.items()]
        comments = {"memory": state.get("memory/a.md", ""), "notes": ""}
        data = renderer.render(entries, comments, former, synced_at=NOW, structure_hash=None)
        assert data == rendered(entries, comments, former)
        former = read(data)
        assert former.files.keys() == state.keys()


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["memory/a.md", "memory/b/c.md", "memory/b/d.md", "notes/e/f.md"]),
            st.sampled_from(["One", "Two", None]),
        ),
        max_size=6,
    )
)
def test_changes_one_by_one_lead_to_what_is_rendered_as_a_whole(
    steps: list[dict[str, str | None]],
) -> None:
    renderer, entries = Renderer(), dict[str, Entry]()
    data = renderer.render([], {}, IndexJson(), synced_at=NOW, structure_hash=None)
    for step in steps:
        former = read(data)
        changed = {
            path: None if title is None else Entry(path=path, title=title)
            for path, title in step.items()
        }
        entries |= {path: entry for path, entry in changed.items() if entry is not None}
        entries = {path: one for path, one in entries.items() if changed.get(path, one) is not None}
        comments = {"memory": "why"} if entries else {}
        data = renderer.change(changed, comments, synced_at=NOW, structure_hash=None)
        whole = rendered([*entries.values()], comments, former)
        assert json.loads(data) == json.loads(whole)
        assert read(data).keys == renderer.rendered().keys
