"""Comments of folders: kept in a file that people edit, checked, and outliving the cache."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import CanonicalFileError, InvalidInputError
from membound.workspace.comments import (
    DEFAULTS,
    Comments,
    changed,
    checked,
    read,
    set_by_peers,
    shown,
)
from membound.workspace.entry import one_line

THERE = {"memory", "memory/decisions", "memory/决策", "notes"}


def test_a_caller_names_folders_with_or_without_a_separator_at_the_end() -> None:
    given_comments = {"memory/decisions/": "Why we\nchose", "memory//决策": "", "notes": " n "}
    wanted = {"memory/decisions": "Why we chose", "memory/决策": "", "notes": "n"}
    assert checked(given_comments, THERE) == (wanted, ())


@pytest.mark.parametrize(
    "name", ["memory/ghost", "../../up", "nowhere/at/all", "/etc", "", "memory/../notes", "themes"]
)
def test_a_folder_that_is_not_there_gets_no_comment_and_is_named(name: str) -> None:
    """W12: where it was drawn for ever."""
    assert checked({"memory": "fine", name: "x"}, THERE) == ({"memory": "fine"}, (name,))


@pytest.mark.parametrize("comment", [{}, None, 7, ["x"], "x" * 501])
def test_what_is_no_text_is_no_comment(comment: object) -> None:
    """W12: where it was drawn as ``[object Object]``."""
    with pytest.raises(InvalidInputError, match="folderComments: expected"):
        checked({"memory": comment}, THERE)


@pytest.mark.parametrize("comments", [None, [], "memory", 7])
def test_comments_are_a_mapping(comments: object) -> None:
    with pytest.raises(InvalidInputError, match="a text for each folder"):
        checked(comments, THERE)


def test_comments_outlive_the_cache() -> None:
    """W18: they are in a file of their own, and so there when the cache is not."""
    data = changed(None, {"memory/decisions": "Why: we chose"})
    own = read(data).folders
    assert shown(["memory/decisions"], own, peers={}) == {"memory/decisions": "Why: we chose"}


def test_ours_wins_then_a_peers_then_the_usual_one() -> None:
    folders = ["memory", "memory/rules", "memory/a", "memory/deep/rules", "memory/b", "notes"]
    own = {"memory": "ours", "notes": "", "memory/gone": "kept for when it comes back"}
    peers = {"memory": "theirs", "memory/a": "theirs"}
    assert shown(folders, own, peers) == {
        "memory": "ours",
        "memory/rules": DEFAULTS["rules"],
        "memory/a": "theirs",
        "memory/deep/rules": DEFAULTS["rules"],
        "memory/b": "",
        "notes": "",
    }


def test_what_a_peer_sets_is_told_from_what_we_mirrored() -> None:
    """So that a comment taken out of our file is gone, though the cache has it still."""
    cached = {"memory": DEFAULTS["memory"], "memory/a": "ours", "memory/b": "theirs", "notes": ""}
    assert set_by_peers(cached, {"memory/a": "ours", "memory/b": "old"}) == {"memory/b": "theirs"}
    assert set_by_peers(cached, {}) == {"memory/a": "ours", "memory/b": "theirs"}


def test_what_people_wrote_stays() -> None:
    data = b"# our folders\nmemory/a: 'old'   # soon to be renamed\nmemory/b/: two\n"
    again = changed(data, {"memory/a": "new", "memory/c": "three"})
    assert again.startswith(b"# our folders\nmemory/a: ")
    assert b"# soon to be renamed\nmemory/b/: two\n" in again
    assert read(again) == Comments(
        folders={"memory/a": "new", "memory/b": "two", "memory/c": "three"}
    )
    assert changed(again, {"memory/b": "2"}).count(b"memory/b") == 1


@given(
    st.dictionaries(
        st.sampled_from(["memory", "memory/a: b", "memory/- x", "notes/缓存", "memory/no"]),
        st.text(max_size=100).map(one_line),
    )
)
def test_what_is_written_is_read_again(comments: dict[str, str]) -> None:
    assert read(changed(None, comments)) == Comments(folders=comments)


@pytest.mark.parametrize(
    "data",
    [
        b"- a\n- b\n",
        b"text",
        b"a: [",
        b"\xff\xfe\xfa",
        b"a: \x00",
        b"[" * 100_000,
        b"{" * 5_000,
        b"x: y\n" * 100_000,
    ],
)
def test_a_file_that_is_none_of_comments_is_told_and_left_alone(data: bytes) -> None:
    found = read(data)
    assert found.folders == {}
    assert len(found.faults) == 1
    assert ".membound/folders.yaml" in found.faults[0]
    with pytest.raises(CanonicalFileError, match=r"folders\.yaml"):
        changed(data, {"memory": "x"})


def test_a_line_that_is_no_comment_is_told_and_hides_no_other() -> None:
    found = read(b"memory/a: good\n../up: bad\nmemory/b: [1]\n? [x]\n: y\nthemes: z\n'': e\n")
    assert found.faults != ()
    found = read(b"memory/a: good\n../up: bad\nmemory/b: [1]\nthemes: z\n'': e\nmemory/c: yes\n")
    assert found.folders == {"memory/a": "good", "memory/c": "yes"}
    assert len(found.faults) == 4


def test_aliases_do_not_blow_up() -> None:
    levels = "".join(f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]\n" for at in range(1, 40))
    found = read(f"a0: &a0 [x]\n{levels}memory: m\n".encode())
    assert found.folders == {"memory": "m"}


@pytest.mark.parametrize("data", [None, b"", b"  \n", b"# only a remark\n", b"{}\n", b"---\n"])
def test_a_file_without_comments_has_none(data: bytes | None) -> None:
    assert read(data) == Comments(folders={})
    again = changed(data, {"memory": "m"})
    assert read(again).folders == {"memory": "m"}
    assert (b"# only a remark" in again) == (b"# only a remark" in (data or b""))


@pytest.mark.parametrize(
    "data", [b"a: 1\na: 2\n", b"a: " + b"[" * 150 + b"]" * 150, b"a: &x [*x]\n"]
)
def test_a_file_that_could_not_be_kept_is_not_changed(data: bytes) -> None:
    try:
        again = changed(data, {"memory": "m"})
    except CanonicalFileError:
        return
    assert read(again).folders == {"memory": "m"}
    assert b"a:" in again
