"""Pages: what `export` writes as Markdown comes back as it was, or is a problem, never a leak."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from membound.cli.markdown import page, record_of_page
from membound.cli.pages import write_pages
from membound.cli.reading import Item, Problem, Reader
from membound.errors import InvalidRecordError
from membound.records import MemoryRecord
from tests import strategies
from tests.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BREAKS = ["\n", "\r", "\r\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\ufeff"]
MARKS = ["---", "\n---\n", ": ", ":", '"', "\\", "'", "#", " ", "[", "{", "%", "&", "*", "\u202e"]
WORDS = ["id", "scope: user", 'scope: "user"', "createdAt", "content", "yes", "null", "x", "数据"]
hostile = st.lists(st.sampled_from(BREAKS + MARKS + WORDS), max_size=6).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)
KNOWN = {*MemoryRecord.__struct_encode_fields__, "content"} - {""}
loose = st.dictionaries(
    hostile.filter(lambda name: name not in KNOWN),
    hostile | st.lists(hostile, max_size=2) | st.dictionaries(hostile, hostile, max_size=2),
    max_size=3,
)


@st.composite
def hostile_records(draw: st.DrawFn) -> list[MemoryRecord]:
    """Draw generated records, some with hostile text in every place that takes any text."""
    made: list[dict[str, Any]] = draw(strategies.records())
    for tree in made[:3]:
        tree.update(draw(loose), content=draw(hostile) or "x", workspace=draw(hostile))
        tree.update(tags=draw(st.lists(hostile, max_size=2)), supersededAt=draw(hostile))
        tree.update(provenance=draw(loose) | {"kind": "file", "file": draw(hostile)})
    return [MemoryRecord.from_dict(tree) for tree in made]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=hostile_records())
def test_every_record_comes_back_at_its_place(
    tmp_path_factory: pytest.TempPathFactory, records: list[MemoryRecord]
) -> None:
    folder = tmp_path_factory.mktemp("pages")
    write_pages(folder, records, lambda _: None)
    found = list(Reader(scope="user", workspace=None, directives=True).read(folder))
    entries = {each.entry.id: each.entry for each in found if isinstance(each, Item)}
    assert not [each for each in found if isinstance(each, Problem) or each.derived]
    assert entries == {record.id: record for record in records if not record.deleted_at}


TREE = {
    "id": "m",
    "content": "the plan of /ws",
    "scope": "workspace",
    "workspace": "/ws",
    "createdAt": "2026-01-01T00:00:00.000Z",
    "updatedAt": "2026-01-01T00:00:00.000Z",
}
PAGE = page(MemoryRecord.from_dict(TREE))


@given(st.data())
def test_a_name_makes_no_field(data: st.DataObject) -> None:
    name = data.draw(hostile.filter(lambda name: name not in KNOWN))
    record = MemoryRecord.from_dict(TREE | {name: data.draw(hostile)})
    assert record_of_page(page(record)) == record


DAMAGE: dict[str, Callable[[str], str]] = {
    "field without a value": lambda text: text.replace("tags: []", "tags:"),
    "YAML": lambda text: text.replace('"', ""),
    "YAML list": lambda text: text.replace("tags: []", "tags:\n  - a\n  - b"),
    "single quotes": lambda text: text.replace('"', "'"),
    "no space": lambda text: text.replace(": ", ":"),
    "indent": lambda text: text.replace("scope", "  scope"),
    "blank line": lambda text: text.replace("scope", "\nscope"),
    "blank line before": lambda text: "\n" + text,
    "comment": lambda text: text.replace("scope", "# mine\nscope"),
    "old Macintosh": lambda text: text.replace("\n", "\r"),
    "U+2028": lambda text: text.replace("\n", "\u2028"),
    "blank at the first line": lambda text: text.replace("---", "--- ", 1),
    "blank at the last line": lambda text: text.replace("\n---\n", "\n--- \n"),
    "never closed": lambda text: text.replace("\n---\n", "\n"),
    "twice": lambda text: text.replace("scope", 'scope: "user"\nscope'),
    "twice in other words": lambda text: text.replace("scope", '"\\u0073cope": "user"\nscope'),
    "content twice": lambda text: text.replace("scope", 'content: "tea"\nscope'),
    "twice within": lambda text: text.replace("[]", '{"a": 1, "a": 2}'),
    "no number": lambda text: text.replace("[]", "NaN"),
    "nesting": lambda text: text.replace("[]", "[" * 100_000),
    "digits": lambda text: text.replace("[]", "9" * 5_000),
    "two values": lambda text: text.replace("[]", '[], "scope": "user"'),
    "BOM and damage": lambda text: "\ufeff" + text.replace("[]", "["),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_page_that_cannot_be_read_is_a_problem(
    tmp_path: Path, damage: Callable[[str], str]
) -> None:
    damaged = damage(PAGE)
    assert damaged != PAGE
    with pytest.raises(InvalidRecordError):
        record_of_page(damaged)
    (tmp_path / "a.md").write_bytes(damaged.encode())
    (tmp_path / "b.md").write_bytes(PAGE.encode())
    first, second = Reader(scope="user", workspace=None).read(tmp_path)
    assert isinstance(first, Problem)
    assert len(first.reason) < 200
    assert isinstance(second, Item)
    assert second.entry == MemoryRecord.from_dict(TREE)


@given(st.integers(0, PAGE.index("\n---\n")), st.integers(0, 3), hostile)
def test_no_edit_of_a_value_makes_paragraphs(at: int, cut: int, put: str) -> None:
    """Whatever an edit leaves, the text is a page or a problem, as long as the names are there."""
    edited = PAGE[:at] + put + PAGE[at + cut :]
    first, *rest = edited.partition("\n---\n")[0].splitlines() or [""]
    names = {line.partition(":")[0] for line in rest}
    assume(first == "---" and "---" not in map(str.strip, rest))
    assume(names >= {"id", "scope", "createdAt"})
    try:
        record = record_of_page(edited)
    except InvalidRecordError:
        return
    assert record is not None


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_marks_that_editors_add_are_taken_off(mark: str) -> None:
    turned = mark + PAGE.replace("\n", "\r\n")
    record = record_of_page(turned)
    assert record is not None
    assert record.to_dict() == MemoryRecord.from_dict(TREE).to_dict() | {
        "content": "the plan of /ws\r"
    }


def test_deep_nesting_in_other_markdown_is_only_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\na: " + "[" * 100_000 + "\n---\ntea\n")
    (tmp_path / "b.md").write_text("---\na: " + "[" * 100_000)
    (tmp_path / "c.md").write_text("coffee")
    found = list(Reader(scope="user", workspace=None).read(tmp_path))
    assert [each.where for each in found] == ["a.md:4", "b.md:1", "c.md:1"]
    assert [isinstance(each, Problem) for each in found] == [False, True, False]


def test_a_workspace_s_record_stays_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    membound, other = Command(tmp_path / "store"), Command(tmp_path / "second")
    name = 'x\nscope: "user"\nid: "forged"'
    tree = TREE | {name: "\x85\u2028", "tags": ["\u2028", "a\x85b"]}
    membound.ok("import", "-", input=json.dumps(tree))
    membound.ok("export", "pages")
    other.ok("import", "pages", "--scope", "user")
    assert other.lines("list", "--all") == membound.lines("list", "--all")
    assert other.ok("recall", "the plan", "--workspace", "/elsewhere") == ""
