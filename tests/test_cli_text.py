"""What may reach a terminal, and Markdown in and out: pure functions."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound import directive_block
from membound.cli.markdown import page, paragraphs, record_of_page
from membound.cli.text import json_line, one_line, printable, printable_lines
from membound.draft import MemoryDraft
from tests.command import strict_json

if TYPE_CHECKING:
    from membound.records import MemoryRecord

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
SHOWN_FORMAT_CHARACTERS = {  # marks that are drawn around the digits or letters they belong to
    *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    *range(0x13430, 0x13440),
}  # fmt: skip


def test_no_control_or_format_character_survives() -> None:
    hidden = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        and code not in SHOWN_FORMAT_CHARACTERS
    ]
    assert [character for character in hidden if printable(character) == character] == []


def test_what_a_block_hides_is_hidden_here_too() -> None:
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    every.remove("x")
    all_of_them = msgspec.structs.replace(record("kiwi"), content="x".join(every))
    block = directive_block([all_of_them])
    pieces = block.partition('] "')[2].rpartition('" (id=')[0].split("x")
    in_blocks = {one for one, piece in zip(every, pieces, strict=True) if one != piece}
    here = {one for one in every if one != printable(one)}
    assert in_blocks - here == set('"\\<>&')  # they could forge a tag or end a text
    assert here - in_blocks == {"\x7f"}


@given(st.text())
def test_printable_is_stable_and_keeps_what_can_be_seen(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown
    assert [c for c in text if c.isalnum() and c.isprintable()] == [
        c for c in text if c.isalnum() and c in shown
    ]


def test_printable_spells_escapes_as_json_does() -> None:
    assert printable("a\x1b[31m\u202eb") == "a\\u001b[31m\\u202eb"
    assert printable("a\x1b[31m\n") == "a\\u001b[31m\\u000a"
    assert printable("\U000e0041") == "\\udb40\\udc41"
    assert printable_lines("a\x07\nb") == "a\\u0007\nb"


@given(st.dictionaries(st.text(), st.text()))
def test_a_json_line_is_one_strict_line_and_loses_nothing(value: dict[str, str]) -> None:
    for ascii_only in (False, True):
        line = json_line(value, ascii_only=ascii_only)
        assert "\n" not in line
        assert printable(line) == line
        assert strict_json(line) == value


def test_a_json_line_refuses_what_json_cannot_carry() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_line(float("nan"))


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("a\n  b", 9, "a b"), ("abcdefgh", 6, "abc..."), ("", 5, ""), ("数据库备份", 5, "数据库备份")],
)
def test_one_line_folds_and_cuts(text: str, width: int, shown: str) -> None:
    assert one_line(text, width) == shown


def record(content: str, **fields: object) -> MemoryRecord:
    draft = MemoryDraft.from_keywords({"content": content, "workspace": "/w", **fields})
    return draft.to_record(id="r1", now=NOW)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_a_page_reads_back_as_the_record_it_was(content: str) -> None:
    written = record(content, tags=["2031-01-02", "yes", "007", "null", "1e3", "a: b"])
    assert record_of_page(page(written)) == written


def test_a_page_may_hold_what_looks_like_a_front_matter() -> None:
    written = record("---\nid: 1\n---\n\nbody\n\n")
    assert record_of_page(page(written)) == written


@pytest.mark.parametrize(
    "text",
    ["", "# Title\n", "---\ntitle: Plan: phase (Split: b)\n---\nbody", "---\nid: 7\n---\nbody"],
)
def test_other_markdown_is_no_page(text: str) -> None:
    assert record_of_page(text) is None


def test_paragraphs_of_markdown() -> None:
    text = (
        "---\ntitle: x\n---\n# Setup\n\n## Linux\n\nInstall it.\nThen run it.\r\n\r\n"
        "```sh\nfirst\n\nsecond\n```\n\n# End\n"
    )
    assert list(paragraphs(text, markdown=True)) == [
        (4, "# Setup\n## Linux\nInstall it.\nThen run it."),
        (11, "```sh\nfirst\n\nsecond\n```"),
        (17, "# End"),
    ]


def test_paragraphs_of_plain_text_know_no_markup() -> None:
    text = "\ufeff# one\n\n```\n\n---\nthree\n---\n"
    assert list(paragraphs(text, markdown=False)) == [
        (1, "# one"),
        (3, "```"),
        (5, "---\nthree\n---"),
    ]


@given(st.text(st.sampled_from("a #`~-\n\r\t")))
def test_paragraphs_lose_no_word(text: str) -> None:
    found = list(paragraphs(text, markdown=False))
    assert "".join("".join(p.split()) for _, p in found) == "".join(text.split())
    assert [line for line, _ in found] == sorted({line for line, _ in found})
