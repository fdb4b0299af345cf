"""Notes: what the index remembers of itself, kept and forgotten by name."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound import _core

NAMES = st.text(alphabet="ab/%_\x00é\U0010ffff", max_size=4)
CHANGES = st.lists(
    st.lists(st.tuples(NAMES, st.none() | st.text(max_size=3)), max_size=6), max_size=6
)


@pytest.fixture(name="index")
def empty_index(tmp_path: Path) -> _core.Index:
    return opened(tmp_path)


def opened(folder: Path) -> _core.Index:
    return _core.Index.open(folder / "index.sqlite3", False, "v2")


def note(index: _core.Index, *notes: tuple[str, str | None]) -> None:
    index.apply(records=[], removed=[], settled=[], notes=notes)


def test_notes_are_listed_by_prefix_in_the_order_of_their_names(index: _core.Index) -> None:
    note(index, ("file/b.md", "2"), ("file/a.md", "1"), ("files", "no"), ("file", "no"))
    assert index.notes("file/") == [("file/a.md", "1"), ("file/b.md", "2")]
    assert index.notes("nothing") == []


def test_a_note_without_a_value_is_forgotten(index: _core.Index) -> None:
    note(index, ("file/a.md", "1"), ("file/b.md", "2"))
    note(index, ("file/a.md", None), ("file/never.md", None))
    assert index.notes("file/") == [("file/b.md", "2")]
    assert index.note("file/a.md") is None


def test_a_change_that_fails_leaves_the_notes_as_they_were(index: _core.Index) -> None:
    note(index, ("file/a.md", "1"))
    with pytest.raises(ValueError, match="canonical JSON"):
        index.apply(records=[b"{}"], removed=[], settled=[], notes=[("file/a.md", None)])
    assert index.notes("file/") == [("file/a.md", "1")]


@given(CHANGES, NAMES)
def test_notes_are_what_the_changes_left_of_a_plain_mapping(
    changes: list[list[tuple[str, str | None]]], prefix: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = opened(Path(folder))
        kept = dict(index.notes(""))
        for notes in changes:
            note(index, *notes)
            for name, value in notes:
                kept.pop(name, None)
                if value is not None:
                    kept[name] = value
        expected = sorted((name, value) for name, value in kept.items() if name.startswith(prefix))
        assert index.notes(prefix) == expected
        assert [index.note(name) for name, _ in expected] == [value for _, value in expected]
