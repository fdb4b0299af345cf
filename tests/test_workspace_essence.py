"""The essence: what it is made from comes within a budget, and says what was left out."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.workspace import essence
from membound.workspace.entry import Entry, path_order
from membound.workspace.essence import Page, Prepared, Stored, existing, pending

NOW = datetime(2026, 3, 1, 9, 18, tzinfo=UTC)


def entries_of(texts: dict[str, str]) -> list[Entry]:
    return [Entry(path=path, title="T", size=len(text.encode())) for path, text in texts.items()]


def characters(page: Page) -> int:
    return len(msgspec.json.encode(page.memories).decode())


@pytest.mark.parametrize(
    ("content", "size", "hint"),
    [
        ("x" * 15_360, 15_360, "within recommended limit"),
        ("茶" * 5_121, 15_363, "exceeds 15360 bytes, consider compressing next time"),
        ("", 0, "within recommended limit"),
    ],
)
def test_the_size_is_told_and_never_refused(content: str, size: int, hint: str) -> None:
    assert essence.content_size(content) == size
    assert essence.size_hint(content) == hint


def test_what_is_stored_has_the_fields_of_peers() -> None:
    stored = Stored(
        file_path="/s/essence/essence.md",
        content_size=77,
        size_hint=essence.size_hint("x"),
        sources=("memory/decisions/use-sqlite-queue",),
    )
    assert msgspec.to_builtins(stored) == {
        "success": True,
        "stage": "store",
        "filePath": "/s/essence/essence.md",
        "contentSize": 77,
        "recommendedMax": 15_360,
        "sizeHint": "within recommended limit",
        "sources": ("memory/decisions/use-sqlite-queue",),
    }
    assert essence.front_matter(NOW) == {
        "key": "essence",
        "title": "Workspace Essence",
        "tags": ["essence", "workspace-memory"],
        "updatedAt": "2026-03-01T09:18:00.000Z",
    }


def test_what_is_prepared_has_the_fields_of_peers() -> None:
    entry = Entry(path="memory/decisions/x.md", title="X", tags=("t",), size=303)
    page = pending([entry], lambda _: "# X", budget=1_000)
    prepared = Prepared(existing_essence=existing(None, 0, 100), pending_memories=page.memories)
    tree = msgspec.to_builtins(prepared)
    assert tree.pop("rules") == essence.RULES
    assert tree.pop("message")
    assert tree == {
        "stage": "prepare",
        "existingEssence": {"found": False},
        "pendingMemories": (
            {
                "key": "x",
                "folder": "memory/decisions",
                "title": "X",
                "tags": ("t",),
                "size": 303,
                "content": "# X",
            },
        ),
        "left": 0,
        "outputPath": "essence/essence.md",
        "maxRecommendedBytes": 15_360,
    }


def test_the_rules_are_told_in_two_languages() -> None:
    chinese, english = essence.RULES.split("\n\n")
    assert len(chinese.splitlines()) == len(english.splitlines()) == 9
    for told in (chinese, english):
        assert "notes/" in told
        assert "> 来源：memory/<folder>/key" in told
        assert "next_cursor" in told


def test_an_essence_of_any_size_is_cut_and_says_so() -> None:
    """W13: one of 1,000,000 bytes came back whole."""
    found = existing("茶" * 1_000_000, 3_000_100, 12_000)
    assert (found.found, found.size, found.omitted) == (True, 3_000_100, 988_000)
    assert found.content == "茶" * 12_000
    whole = msgspec.to_builtins(existing("# E", 90, 100))
    assert whole == {
        "found": True,
        "key": "essence",
        "folder": "essence",
        "size": 90,
        "content": "# E",
    }


def test_all_memories_come_in_order_and_notes_do_not() -> None:
    texts = {"memory/b.md": "B", "notes/n.md": "N", "memory/a/z.md": "Z", "essence/essence.md": "E"}
    page = pending(entries_of(texts), texts.__getitem__, budget=10_000)
    assert [one.content for one in page.memories] == ["Z", "B"]
    assert (page.left, page.next_cursor) == (0, None)


TEXTS = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "中", "x@y", "0@z"]), min_size=1, max_size=3).map(
        lambda names: f"memory/{'/'.join(names)}.md"
    ),
    st.text(max_size=700),
    max_size=8,
)


@given(TEXTS, st.integers(min_value=-10, max_value=900))
def test_with_all_cursors_every_character_comes_once(texts: dict[str, str], budget: int) -> None:
    """W13: in answers of which none is longer than its budget, but for one character."""
    came = dict.fromkeys(texts, "")
    left, cursor, order = len(texts), None, []
    while True:
        page = pending(entries_of(texts), texts.__getitem__, budget=budget, cursor=cursor)
        for one in page.memories:
            path = f"{one.folder}/{one.key}.md"
            assert len(came[path]) == (one.offset or 0)
            came[path] += one.content
            assert len(texts[path]) - len(came[path]) == (one.omitted or 0)
            order.append(path)
        told = sum(len(one.content) for one in page.memories)
        assert told <= max(budget, 1)
        assert page.left <= left
        assert (page.left > 0) == (page.next_cursor is not None)
        left, cursor = page.left, page.next_cursor
        if cursor is None:
            break
    assert came == texts
    assert list(dict.fromkeys(order)) == sorted(texts, key=path_order)


def test_a_memory_that_would_fit_alone_is_not_cut() -> None:
    texts = {f"memory/{at}.md": "x" * 400 for at in range(5)}
    page = pending(entries_of(texts), texts.__getitem__, budget=1_200)
    assert [len(one.content) for one in page.memories] == [400, 400]
    assert (page.left, page.next_cursor) == (3, "0@memory/2.md")


def test_a_thousand_memories_take_no_more_than_the_budget() -> None:
    """W13: the peer gave all of them, 754,000 characters."""
    texts = {f"memory/k{at:04d}.md": "word " * 140 for at in range(1_000)}
    asked: list[str] = []

    def text_of(path: str) -> str:
        asked.append(path)
        return texts[path]

    page = pending(entries_of(texts), text_of, budget=20_000)
    assert 15_000 < characters(page) < 22_000
    assert page.left == 1_000 - len(page.memories)
    assert len(asked) <= len(page.memories) + 1


def test_a_memory_that_cannot_be_read_is_named() -> None:
    texts = {"memory/a.md": None, "memory/b.md": "B"}
    entries = [Entry(path=path, title="T", size=9) for path in texts]
    first, second = pending(entries, texts.__getitem__, budget=1_000).memories
    assert (first.key, first.content, first.unreadable) == ("a", "", True)
    assert (second.content, second.unreadable) == ("B", msgspec.UNSET)


def test_a_cursor_outlives_the_memory_that_it_names() -> None:
    texts = {"memory/a.md": "A", "memory/c.md": "C"}
    page = pending(entries_of(texts), texts.__getitem__, budget=1_000, cursor="5@memory/b.md")
    assert [one.content for one in page.memories] == ["C"]


@pytest.mark.parametrize("cursor", ["", "memory/a.md", "-1@memory/a.md", "x@y", "1@", "9" * 99])
def test_another_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInputError, match="cursor: expected the next_cursor"):
        pending([], str, budget=10, cursor=cursor)


def test_sources_are_texts() -> None:
    assert essence.checked_sources(["memory/a", "b"]) == ("memory/a", "b")
    for sources, field in ((7, "sources"), ("memory/a", "sources"), (["a", 7], r"sources\.1")):
        with pytest.raises(InvalidInputError, match=f"^{field}: expected"):
            essence.checked_sources(sources)
