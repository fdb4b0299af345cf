"""A file as a note: title, tags and text of whatever lies there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError, InvalidNameError
from membound.workspace.note import checked_content, checked_tags, checked_title, note_of
from membound.workspace.paths import Address

BY_HAND = Path(__file__).parent.parent / "fixtures" / "workspace" / "garden" / "made-by-hand"
READ: dict[str, tuple[str, tuple[str, ...], str]] = {
    "memory/a-crlf.md": (
        "CRLF file",
        ("win", "crlf"),
        "line one\r\nline two needle-crlf\r\n",
    ),  # W06
    "memory/b-bom.md": ("Bom title", ("bom",), "body with needle-bom\n"),  # W06
    "memory/c-nofm.md": (
        "C Nofm",
        (),
        "# Plain heading\n\nno frontmatter at all, needle-plain\n",
    ),
    "memory/d-inline-tags.md": ("Inline tags", ("alpha", "beta"), "inline tags body\n"),  # W06
    "memory/e-quotes.md": (  # W05
        'It\'s "quoted": yes',
        ("has, comma", "a: b", "dq"),
        "quotes body\n",
    ),
    "memory/emoji-🚀.md": ("Rocket 🚀 plan", ("🚀",), "lift-off body\n"),
    "memory/f-unclosed.md": (
        "F Unclosed",
        (),
        "---\nkey: f-unclosed\ntitle: Never closed\n\nbody needle-unclosed\n",
    ),
    "memory/g-keymismatch.md": ("Key differs", ("mismatch",), "mismatch body\n"),
    "memory/h-colon.md": ("Plan: phase 2 - 10:30", (), "colon body\n"),  # complaint 10
    "memory/i-block.md": ("Two line title", ("flush-left",), "block body\n"),  # W06
    "memory/j-emptyfm.md": ("J Emptyfm", (), "empty frontmatter body\n"),  # W06
    "memory/k-hr.md": ("Rule inside", (), "above\n\n---\n\nbelow needle-hr\n"),
    "memory/m-badutf8.md": ("Bad \ufffd\ufffd bytes", ("bad",), "body \ufffd( end\n"),
    "memory/n-tagstring.md": ("Tag string", ("solo",), "solo body\n"),
    "memory/o-comment.md": ("Spaced title", ("one", "two"), "no blank line after fence\n"),
    "memory/中文键.md": ("中文标题", ("决策",), "中文正文\n"),
    "notes/inbox/n2.md": ("N2", (), "note two without frontmatter\n"),
}
FAULTY = {
    "memory/f-unclosed.md": "not closed",
    "memory/h-colon.md": "no YAML",
    "memory/m-badutf8.md": "not UTF-8",
    "memory/o-comment.md": "no YAML",
}


def at(path: str) -> Address:
    """Gives the address of a path."""
    return Address.of(path)


@pytest.mark.parametrize("path", READ)
def test_a_file_made_by_hand_has_a_title_tags_and_its_text(path: str) -> None:
    data = (BY_HAND / path).read_bytes()
    note = note_of(at(path), data)
    assert (note.title, note.tags, note.content) == READ[path]
    assert (note.address.path, note.size) == (path, len(data))
    assert (note.fault is None) == (path not in FAULTY)
    assert FAULTY.get(path, "") in (note.fault or "")


def test_times_are_told_as_the_file_says_them() -> None:
    by_hand = note_of(at("memory/d.md"), (BY_HAND / "memory/d-inline-tags.md").read_bytes())
    assert (by_hand.created_at, by_hand.updated_at) == (None, "2026-01-09T00:00:00Z")
    odd = note_of(at("memory/d.md"), b"---\ncreatedAt: soon\nupdatedAt: [x]\n---\n")
    assert (odd.created_at, odd.updated_at) == ("soon", None)


@given(st.binary(max_size=80), st.text("a-_. é🚀", min_size=1, max_size=8))
def test_any_bytes_are_a_note_with_one_line_of_title_and_tags(data: bytes, key: str) -> None:
    for whole in (data, b"---\ntags:\n  - " + data + b"\ntitle: " + data + b"\n---\n" + data):
        note = note_of(Address("memory", key), whole)
        assert note.title
        lines = (note.title, *note.tags)
        assert all(line == " ".join(line.splitlines()).strip() for line in lines)
        assert all(note.tags)
        assert len(set(note.tags)) == len(note.tags)


def test_tags_are_composed_and_each_is_there_once_in_order() -> None:
    assert checked_tags(["b", " e\u0301 ", "b", "\u00e9", "a, b"]) == ("b", "\u00e9", "a, b")
    assert checked_tags([]) == ()


@pytest.mark.parametrize(
    "tag", ["", "  ", "a\nb", "x\ntitle: 'HACKED'", "\x1b[2J", "/x", "a" * 101, "\ud800", None, 7]
)
def test_a_tag_that_is_none_is_refused_with_its_place_w04(tag: object) -> None:
    with pytest.raises(InvalidNameError) as refused:
        checked_tags(["ok", tag])
    assert refused.value.field == "tags.1"


@pytest.mark.parametrize("tags", ["a, b", 7, None])
def test_tags_that_are_no_list_are_refused_rather_than_dropped(tags: object) -> None:
    with pytest.raises(InvalidNameError):
        checked_tags(tags)  # type: ignore[arg-type]  # what a caller without types may give


@pytest.mark.parametrize("title", ["", " ", "a\nb", "a" * 301, "\ud800", None])
def test_a_title_is_one_line(title: object) -> None:
    assert checked_title("Plan: phase (Split: b)") == "Plan: phase (Split: b)"
    with pytest.raises(InvalidNameError):
        checked_title(title)


@pytest.mark.parametrize("content", [None, b"", 7, "a\ud800"])
def test_a_text_that_no_file_can_hold_is_refused(content: object) -> None:
    assert checked_content("\r\n\0\ufeff") == "\r\n\0\ufeff"
    with pytest.raises(InvalidInputError):
        checked_content(content)
