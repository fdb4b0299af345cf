"""Rows and words that are wrong under right checksums: found by verify, and made anew."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryStore
from tests.foreign import replace_in_pages_of_words, seal, sealed_sql

if TYPE_CHECKING:
    from pathlib import Path

    from membound.tokens import Tokenizer

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
IDS = {f"m{n}" for n in range(5)}


def opened(folder: Path, tokenizer: Tokenizer | None = None) -> MemoryStore:
    return MemoryStore.open(folder, clock=lambda: NOW, durability="relaxed", tokenizer=tokenizer)


@pytest.fixture(params=["v1", "v2"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    drafts = [MemoryDraft(f"kiwi harvest {id}", scope="user", id=id, tags=["fruit"]) for id in IDS]
    # So many others that recall asks for words.
    drafts += [MemoryDraft(f"plum {number}", scope="user") for number in range(60)]
    with opened(tmp_path / "store", request.param) as store:
        store.remember_many(drafts)
        store.remember("plum", scope="workspace", workspace="/ws", id="gone")
        store.delete("gone")
        store.rebuild_index()
    return tmp_path / "store"


SCRIPTS = {
    "a count": "UPDATE census SET records = records + 1",
    "a count that is gone": "DELETE FROM census",
    "rows": "DELETE FROM record",
    "one row": "DELETE FROM record WHERE id = 'm1'",
    "places": "DELETE FROM place",
    "a place": "UPDATE place SET key = 'x' WHERE key = 'user'",
    "tags": "DELETE FROM tag WHERE row = 2",
    "a tag": "UPDATE tag SET tag = 'vegetable' WHERE row = 2",
    "a standing": "UPDATE record SET standing = 0 WHERE id = 'm1'",
    "a type": "UPDATE record SET standing = 7 WHERE id = 'm1'",
    "a confidence": "UPDATE record SET confidence = 0.1 WHERE id = 'm1'",
    "hints": "UPDATE record SET answers = answers + 1 WHERE id = 'm1'",
    "a mark": "UPDATE record SET mark = NULL WHERE id = 'gone'",
    "a date": "UPDATE record SET updated = updated + 1 WHERE id = 'm1'",
    "a length": "UPDATE record SET length = length + 1 WHERE id = 'm1'",
    "a successor": "UPDATE record SET supersedes = 'm2' WHERE id = 'm1'",
    "no JSON": "UPDATE record SET json = x'7b' WHERE id = 'm1'",
    "another record's words": "UPDATE search_docsize SET id = 77 WHERE id = 2",
    "accounts of words": "DELETE FROM search_docsize",
    "a log of changes": "DELETE FROM change",
    "how far its words are": "DELETE FROM words",
    "words of changes to come": "UPDATE words SET merged = merged + 1",
    "words that are missing": "UPDATE words SET newest = newest + 9; DELETE FROM change",
    "rows that words are known of": "UPDATE words SET newest = 0",
    "pages of words": "DELETE FROM search_data WHERE id > 10",
}


def healed(folder: Path) -> None:
    with opened(folder) as store:
        report = store.verify()
        assert not report.ok
        assert report.reason
        assert store.wait_until_ready(30)
        result = store.retrieve("kiwi harvest")
        assert result.trace.mode == "sqlite-fts5"
        assert set(result.trace.selected_ids) == IDS
        assert store.verify().ok


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_wrong_row_word_or_count_is_found_and_healed(folder: Path, name: str) -> None:
    sealed_sql(folder, SCRIPTS[name])
    healed(folder)


@pytest.mark.parametrize("folder", ["v2"], indirect=True)
@pytest.mark.parametrize(
    "script",
    [
        "DELETE FROM vocabulary",
        "UPDATE vocabulary SET words = replace(words, 'harvest', 'harvesu')",
    ],
)
def test_a_word_that_the_vocabulary_lacks_is_found_and_healed(folder: Path, script: str) -> None:
    sealed_sql(folder, script)
    healed(folder)
    with opened(folder) as store:
        assert set(store.retrieve("harvests").trace.selected_ids) == IDS


def test_turned_bits_inside_a_page_of_words_are_found_and_healed(folder: Path) -> None:
    replace_in_pages_of_words(folder, "kiwi", "kiwj")
    seal(folder)
    healed(folder)


def test_turned_bits_are_no_answer(folder: Path) -> None:
    replace_in_pages_of_words(folder, "kiwi", "kiwj")
    with opened(folder) as store:
        assert set(store.retrieve("kiwi harvest").trace.selected_ids) == IDS
        assert store.wait_until_ready(30)
        result = store.retrieve("kiwi harvest")
        assert result.trace.mode == "sqlite-fts5"
        assert set(result.trace.selected_ids) == IDS
        assert store.verify().ok


def test_a_lost_way_to_the_words_is_found_and_healed(folder: Path) -> None:
    words = [" ".join(f"w{number}x{n}" for n in range(60)) for number in range(300)]
    with opened(folder) as store:
        store.remember_many([MemoryDraft(text, scope="user") for text in words])
        store.rebuild_index()
        assert store.verify().ok
    sealed_sql(folder, "DELETE FROM search_idx")
    healed(folder)


@pytest.mark.parametrize(
    "script",
    ["DELETE FROM record", "DELETE FROM record WHERE id = 'm1'", SCRIPTS["no JSON"]],
    ids=["rows", "one row", "no JSON"],
)
def test_words_without_a_record_are_no_empty_answer(folder: Path, script: str) -> None:
    sealed_sql(folder, script)
    with opened(folder) as store:
        result = store.retrieve("kiwi harvest")
        assert result.trace.mode == "filesystem-fallback"
        assert set(result.trace.selected_ids) == IDS
        assert store.wait_until_ready(30)
        assert set(store.retrieve("kiwi harvest").trace.selected_ids) == IDS


def test_words_that_are_not_accounted_for_are_not_left_behind(folder: Path) -> None:
    sealed_sql(folder, "DELETE FROM search_docsize")
    with opened(folder) as store:
        store.update("m1", content="walnut")
        assert set(store.retrieve("kiwi harvest").trace.selected_ids) == IDS - {"m1"}
        # So many changes that the words have to follow.
        store.remember_many([MemoryDraft(f"plum {number}", scope="user") for number in range(300)])
        assert set(store.retrieve("kiwi harvest").trace.selected_ids) == IDS - {"m1"}
        assert store.wait_until_ready(30)
        result = store.retrieve("kiwi harvest")
        assert result.trace.mode == "sqlite-fts5"
        assert set(result.trace.selected_ids) == IDS - {"m1"}
        assert store.verify().ok


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE meta SET value = '[' WHERE name = 'quarantined'",
        "UPDATE meta SET value = '{}' WHERE name = 'quarantined'",
        "UPDATE meta SET value = '[1]' WHERE name = 'quarantined'",
    ],
)
def test_a_note_that_cannot_be_read_is_damage(folder: Path, script: str) -> None:
    sealed_sql(folder, script)
    with opened(folder) as store:
        assert store.diagnostics().quarantined == ()
        assert set(store.retrieve("kiwi harvest").trace.selected_ids) == IDS
        assert store.wait_until_ready(30)
        assert store.verify().ok


def test_an_intent_that_names_no_record_is_damage(folder: Path) -> None:
    sealed_sql(folder, "INSERT INTO intent (id) VALUES ('')")
    with opened(folder) as store:
        assert store.wait_until_ready(30)
        assert store.retrieve("kiwi harvest").trace.mode == "sqlite-fts5"
        assert store.verify().ok


def test_a_list_ends_whatever_the_index_says_of_dates(folder: Path) -> None:
    sealed_sql(folder, "UPDATE record SET updated = NULL WHERE id = 'm1'")
    with opened(folder) as store:
        assert {record.id for record in store.list()} >= IDS
