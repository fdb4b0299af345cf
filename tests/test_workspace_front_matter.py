"""Front matter: read whatever it holds, and changed field by field, the rest to the byte."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import UnreadableNoteError
from membound.workspace.front_matter import changed, read_document
from membound.workspace.note import checked_tags, note_of
from membound.workspace.paths import Address

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "garden"
VECTORS: dict[str, Any] = json.loads((FIXTURES / "vectors.json").read_text("utf-8"))
BLOCK = (
    b"---\nkey: 'a'\ntitle: 'T'\ntags:\n  - x\n  - y z\n"
    b"createdAt: '2026-03-01T09:01:00.000Z'\nupdatedAt: '2026-03-01T09:09:00.000Z'\n---\n\nbody"
)

# Where a peer reads something else, by what is faulty there; None stands for no front matter.
W06: dict[str, tuple[dict[str, Any] | None, str]] = {
    "---\r\nkey: a\r\n---\r\nbody\r\nx": ({}, "body\r\nx"),
    "\ufeff---\nkey: a\n---\nb": ({}, "b"),
    "---\n---\nbody": ({}, "body"),
    "---\ntags: [a, b]\n---\n": ({"tags": ("a", "b")}, ""),
    "---\ntags: []\n---\n": ({"tags": ()}, ""),
    "---\ntags:\n- flush\n---\n": ({"tags": ("flush",)}, ""),
    "---\nk: v\n----\nbody": (None, "---\nk: v\n----\nbody"),
    "---\nk: v\n---trailing\nbody": (None, "---\nk: v\n---trailing\nbody"),
    "---\nk: v\n---\n\n\n\nbody": ({}, "\n\nbody"),
    "--- \nk: v\n---\n": ({}, ""),
    "---\ntitle: 'It''s'\n---\n": ({"title": "It's"}, ""),  # W05
    '---\ntitle: "a \\"q\\" b"\n---\n': ({"title": 'a "q" b'}, ""),  # W05
}


@pytest.mark.parametrize("row", VECTORS["frontmatter_parse"], ids=lambda row: repr(row["in"])[:50])
def test_front_matter_is_read_as_a_peer_reads_it_but_for_w05_and_w06(row: dict[str, Any]) -> None:
    text, theirs = row["in"], row["out"]
    document = read_document(text.encode())
    if text in W06:
        fields, body = W06[text]
    elif theirs is None:
        fields, body = None, text
    else:
        fields, body = theirs["frontmatter"], theirs["body"]
    assert document.body == body
    assert (document.head is None) == (fields is None)
    assert document.fields.title == (fields or {}).get("title")
    wanted = (fields or {}).get("tags")
    assert document.fields.tags == (None if wanted is None else tuple(wanted))


@pytest.mark.parametrize("title", ["2031-01-02", "yes", "007", "null", "1e3", "~", "0x1F", "It's"])
def test_a_title_stays_text_and_comes_back_the_same(title: str) -> None:
    written = changed(None, set={"title": title, "tags": (title,)}, path="x")
    fields = read_document(written).fields
    assert (fields.title, fields.tags) == (title, (title,))
    known = yaml.safe_load(written.decode().split("---\n")[1])
    assert known == {"title": title, "tags": [title]}
    by_hand = read_document(f"---\ntitle: {title}\ntags: [{title}]\n---\n".encode()).fields
    assert (by_hand.title, by_hand.tags) == (title, (title,))


def test_a_title_with_a_colon_is_quoted_by_us_and_read_where_it_is_not_complaint_10() -> None:
    title = "Plan: phase (Split: b)"
    assert f"title: '{title}'\n".encode() in changed(None, set={"title": title}, path="x")
    by_hand = f"---\ntitle: {title}\ntags: [a]\nowner: Mara\n---\n\nbody".encode()
    document = read_document(by_hand)
    assert (document.fields.title, document.fields.tags, document.body) == (title, ("a",), "body")
    assert document.fault is not None
    assert "line 2" in document.fault
    with pytest.raises(UnreadableNoteError, match="no YAML"):
        changed(by_hand, body="other", set={"title": "x"}, path="x")


@pytest.mark.parametrize("row", VECTORS["frontmatter_stringify"], ids=lambda row: repr(row["out"]))
def test_a_new_block_has_the_shape_of_a_peers(row: dict[str, Any]) -> None:
    values = {
        name: tuple(value) if isinstance(value, list) else "null" if value is None else str(value)
        for name, value in row["in"].items()
        if name != "tags" or isinstance(value, list)
    }
    ours = (  # W04: what would be other YAML, or another field, is quoted
        row["out"].replace("- y: z\n", "- 'y: z'\n").replace("multi\nline", '"multi\\u000aline"')
    ).replace("tags: 'str'\n", "")
    written = changed(None, set=values, path="x").decode()
    assert written.replace("\\n", "\\u000a") == ours


def test_the_files_of_a_peer_are_written_anew_to_the_same_byte() -> None:
    files = sorted((FIXTURES / "by-a-peer").rglob("*.md"))
    assert len(files) > 8
    for file in files:
        data = file.read_bytes()
        document = read_document(data)
        assert document.head is not None
        fields = yaml.load(document.head, Loader=yaml.BaseLoader)  # noqa: S506 — text and lists only
        values = {
            key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
        }
        assert changed(None, body=document.body, set=values, path="x") == data


def test_a_field_cannot_come_in_through_a_tag_or_title_w04() -> None:
    value = "x\ntitle: 'HACKED'\n---\n"
    written = changed(None, body="b", set={"title": value, "tags": (value,)}, path="x")
    document = read_document(written)
    assert (document.fields.title, document.fields.tags, document.body) == (value, (value,), "b")
    assert note_of(Address("memory", "a"), written).title == "x title: 'HACKED' ---"


def test_a_quote_stays_one_quote_however_often_it_is_saved_w05() -> None:
    data = changed(None, body="0", set={"key": "it's", "title": "It's"}, path="x")
    for number in range(6):
        data = changed(data, body=str(number), set={"updatedAt": str(number)}, path="x")
    assert read_document(data).fields.title == "It's"
    assert b"key: 'it''s'\ntitle: 'It''s'\n" in data


def test_unknown_fields_comments_order_quotes_and_marks_stay_w06() -> None:
    data = (
        "\ufeff---\r\n# mine\r\ntitle:   Old   # why\r\nowner: &o Mara\r\n\r\n"
        "tags: [a, b] # two\r\n"
        "nested:\r\n  - {x: *o}\r\n# the end\r\n---\r\n\r\n\r\nbody\r\n"
    ).encode()
    wanted = (
        data.replace(b"Old ", b"'New' ")
        .replace(b"[a, b]", b"[b, 'c: d']")
        .replace(b"# the end\r\n", b"# the end\r\nupdatedAt: 't'\r\n")
    )
    values: dict[str, Any] = {"title": "New", "tags": ("b", "c: d"), "updatedAt": "t"}
    assert changed(data, set=values, path="x") == wanted


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ("tags: solo # one\n", "tags:  # one\n  - b\n"),
        ("tags: # none\n", "tags: # none\n  - b\n"),
        ("tags:\n- a # first\n- c\n# after\n", "tags:\n- b\n# after\n"),
        ("tags:\n\n  - a\n  -   c\n\n", "tags:\n\n  - b\n\n"),
        ("tags: |\n  a\n  # text\n# after\n", "tags:\n  - b\n# after\n"),
        ("tags:\n  - a: b\n", "tags:\n  - b\n"),
        ("tags: {a: 1}\n", "tags:\n  - b\n"),
    ],
)
def test_tags_are_replaced_in_the_form_they_have(tags: str, wanted: str) -> None:
    data = f"---\nx: 1\n{tags}y: 2\n---\nbody"
    after = changed(data.encode(), set={"tags": ("b",)}, path="x").decode()
    assert after == f"---\nx: 1\n{wanted}y: 2\n---\nbody"


def test_what_a_field_says_already_is_left_alone() -> None:
    values: dict[str, Any] = {"title": "T", "tags": ("x", "y z")}
    assert changed(BLOCK, body="body", set=values, path="x") == BLOCK


@pytest.mark.parametrize(
    "data",
    [
        b"---\ntitle: \xff\n---\nbody",
        b"---\na: b: c\n---\nbody",
        b"---\nkey: a\nno close",
        b"---\nk: v\n----\nbody",
        b"---\ntitle:Unspaced\n---\nbody",
        b"---\n\ttitle: a\n---\nbody",
        b"---\nno colon\ntitle: a\n---\nbody",
        b"---\n# mine\n\nkey: a\nno close",
        b"---\ntitle: a\n...\n---\nbody",
        b"---\n{title: a}\n---\nbody",
        b"---\ntitle: &t [x]\nother: *t\n---\nbody",
    ],
)
def test_a_file_that_cannot_be_kept_is_refused_and_no_block_is_put_before_it_complaint_9(
    data: bytes,
) -> None:
    with pytest.raises(UnreadableNoteError) as refused:
        changed(data, set={"title": "b", "new": "c"}, path="memory/x.md")
    assert refused.value.path == "memory/x.md"


@pytest.mark.parametrize(
    "data",
    [
        b"---\nA rule above.\n\n---\nand below",
        b"---\nA rule above.\n\nNote: more\n---\nand below",
        b"---\nhttps://example.org\n---\n",
        b"---\n\nno end",
        b"",
    ],
)
def test_rules_are_no_front_matter_and_a_block_comes_before_them(data: bytes) -> None:
    assert read_document(data).fault is None
    after = changed(data, set={"title": "b"}, path="x")
    assert after == b"---\ntitle: 'b'\n---\n\n" + data
    assert changed(after, set={"title": "b"}, path="x") == after


@pytest.mark.parametrize(
    "head",
    ["[" * 9_000, "- " * 9_000, "{a: " * 9_000, "? " * 9_000, "[" * 40 + "]" * 40, "x" * 70_000],
)
def test_a_head_that_is_deep_or_long_is_a_fault_and_soon_told(head: str) -> None:
    started = time.perf_counter()
    document = read_document(f"---\ntitle: T\nx: {head}\n---\nbody".encode())
    assert document.fault is not None
    assert (document.fields.title, document.body) == ("T", "body")
    assert time.perf_counter() - started < 1


def test_aliases_that_multiply_are_never_multiplied() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    head = "\n".join([*lines, "tags: [*a59, b]"])
    started = time.perf_counter()
    assert read_document(f"---\n{head}\n---\n".encode()).fields.tags == ("*a59", "b")
    assert time.perf_counter() - started < 1


def test_ten_thousand_heads_are_read_in_less_than_two_seconds() -> None:
    data = BLOCK + b" text" * 300
    started = time.perf_counter()
    for _ in range(10_000):
        read_document(data)
    assert time.perf_counter() - started < 2


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LINES = st.sampled_from(
    [
        *("owner: Mara", "# a comment", "", "list: [a, 'b']", "deep:\n  x: {y: 1}\n  # in\n  z: 2"),
        *("'quoted key': \"v\"  # c", "fold: >\n  some\n\n  text", "k: 2026-01-02", "n: ~"),
        *("title: Old", "title: 'It''s'", "title: |\n  two\n  lines", "title:"),
        *("tags:", "tags: [a, b]", "tags:\n- a\n- b", "tags:\n  - a\n\n  - 'b'", "tags: solo"),
        *("updatedAt: 2026-01-01", "updatedAt: '2026-01-01T00:00:00.000Z' # then"),
    ]
)
OURS = ("title", "tags", "updatedAt")


def _is_sound(lines: list[str]) -> bool:
    names = [line.partition(":")[0] for line in lines if ":" in line]
    return len(names) == len(set(names))


@given(
    lines=st.lists(LINES, max_size=8).filter(_is_sound),
    body=TEXTS,
    line_end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
    values=st.fixed_dictionaries(
        {},
        optional={
            "title": TEXTS,
            "tags": st.lists(TEXTS, max_size=3).map(tuple),
            "updatedAt": TEXTS,
        },
    ),
)
def test_a_change_keeps_each_byte_of_the_body_and_of_what_is_not_changed(
    lines: list[str], body: str, line_end: str, mark: str, values: dict[str, Any]
) -> None:
    head = "".join(f"{line}\n" for line in lines).replace("\n", line_end)
    data = f"{mark}---{line_end}{head}---{line_end}{line_end}{body}".encode()
    document = read_document(data)
    assert (document.head, document.body, document.fault) == (head, body, None)
    after = changed(data, set=values, path="x")
    now = read_document(after)
    assert (now.body, now.fault) == (body, None)
    assert after.endswith(data[len(f"{mark}---{line_end}{head}".encode()) :])
    kept = [line for line in lines if line.partition(":")[0] not in OURS]
    rest = now.head or ""
    for line in kept:
        text = line.replace("\n", line_end) + line_end
        assert text in rest
        rest = rest[rest.index(text) + len(text) :] if line else rest
    for name, value in values.items():
        found = {"title": now.fields.title, "tags": now.fields.tags}.get(
            name, now.fields.updated_at
        )
        assert found == value
    assert changed(after, set=values, path="x") == after


@given(st.binary(max_size=60) | st.text("-\n\r :ak'[]{}#&*|>\ufeff", max_size=40).map(str.encode))
def test_any_bytes_are_a_document_and_a_change_of_nothing_changes_nothing(data: bytes) -> None:
    document = read_document(data)
    assert data.decode("utf-8", "replace").endswith(document.body)
    if document.fault is None and document.head is not None:
        assert changed(data, set={}, path="x") == data


@given(TEXTS, TEXTS)
def test_a_body_comes_back_as_it_was_given_w06(first: str, second: str) -> None:
    data = changed(None, body=first, set={"title": "t"}, path="x")
    assert read_document(data).body == first
    assert read_document(changed(data, body=second, set={}, path="x")).body == second


def test_tags_are_not_parted_at_commas() -> None:
    assert checked_tags(["a, b"]) == ("a, b",)
    assert read_document(b"---\ntags: a, b\n---\n").fields.tags == ("a, b",)
