"""Revisions: former files to the byte, the last twenty of a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membound.workspace.disk import Root
from membound.workspace.paths import Address
from membound.workspace.revisions import MOST_REVISIONS, Revisions

if TYPE_CHECKING:
    from pathlib import Path

NOTE = Address("memory/a b", "批次 编号:规则")


@pytest.fixture
def revisions(tmp_path: Path) -> Revisions:
    return Revisions(Root(tmp_path))


def test_a_note_without_revisions_has_none(revisions: Revisions) -> None:
    assert revisions.numbers(NOTE) == ()
    assert revisions.read(NOTE, 1) is None


def test_the_last_ones_are_kept_under_numbers_that_only_grow(revisions: Revisions) -> None:
    files = [b"%d\r\n\xff" % number for number in range(1, MOST_REVISIONS + 6)]
    assert [revisions.keep(NOTE, data) for data in files] == [*range(1, len(files) + 1)]
    kept = revisions.numbers(NOTE)
    assert kept == tuple(range(6, len(files) + 1))
    assert [revisions.read(NOTE, number) for number in kept] == files[5:]
    assert revisions.read(NOTE, 5) is None


def test_each_note_has_its_own_even_one_in_a_folder_named_like_another(
    revisions: Revisions,
) -> None:
    first, second = Address("memory", "a"), Address("memory/a.md", ".1")
    revisions.keep(first, b"first")
    revisions.keep(Address("memory/a.md", "1"), b"second")
    assert revisions.read(first, 1) == b"first"
    assert revisions.read(Address("memory/a.md", "1"), 1) == b"second"
    assert revisions.numbers(first) == (1,)
    assert revisions.numbers(second) == ()


def test_files_of_others_in_the_folder_are_let_be(revisions: Revisions, tmp_path: Path) -> None:
    revisions.keep(NOTE, b"one")
    folder = tmp_path / ".membound/revisions" / NOTE.path
    for name in (".md", ".x.md", "7.md", ".007.md", ".²\N{SUPERSCRIPT TWO}.md", ".DS_Store"):
        (folder / name).write_bytes(b"")
    assert revisions.keep(NOTE, b"two") == 2
    assert revisions.numbers(NOTE) == (1, 2)


@settings(max_examples=10)
@given(st.lists(st.binary(max_size=20), max_size=30))
def test_what_is_kept_is_the_tail_of_what_was_given(
    tmp_path_factory: pytest.TempPathFactory, files: list[bytes]
) -> None:
    revisions = Revisions(Root(tmp_path_factory.mktemp("revisions")))
    for data in files:
        revisions.keep(NOTE, data)
    kept = [revisions.read(NOTE, number) for number in revisions.numbers(NOTE)]
    assert kept == files[-MOST_REVISIONS:]
