"""What a store goes by: kept, never changed by opening, and followed by the index."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from membound import MemoryStore
from membound.doctor import examine
from membound.errors import CanonicalFileError, InvalidInputError

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from membound.tokens import Tokenizer

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
FILE = "memory-settings.json"

all_meet: Barrier


def found(store: MemoryStore, query: str) -> list[str]:
    return [record.content for record in store.retrieve(query, now=NOW).records]


def test_a_store_keeps_the_tokenizer_that_it_was_made_with(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, tokenizer="v2") as store:
        store.remember("set read_timeout to 30", scope="user", now=NOW)
        assert found(store, "timeout") == ["set read_timeout to 30"]
    for wanted in (None, "v2"):
        with MemoryStore.open(tmp_path, tokenizer=wanted) as store:
            assert store.diagnostics().tokenizer_version == "v2"
            assert store.retrieve("timeout", now=NOW).trace.tokenizer_version == "v2"
    with pytest.raises(
        InvalidInputError, match=r"v2, which this store has \(upgrade\(\) goes over\)"
    ):
        MemoryStore.open(tmp_path, tokenizer="v1")


@pytest.mark.parametrize("older", [True, False], ids=["without a file", "with one"])
def test_a_store_of_the_first_version_stays_one(tmp_path: Path, *, older: bool) -> None:
    with MemoryStore.open(tmp_path, tokenizer="v1") as store:
        store.remember("set read_timeout to 30", scope="user", now=NOW)
        assert store.diagnostics().tokenizer_version == "v1"
        assert found(store, "read_timeout") == ["set read_timeout to 30"]
    assert json.loads((tmp_path / FILE).read_bytes()) == {"tokenizer": "v1"}
    if older:
        (tmp_path / FILE).unlink()
        with MemoryStore.open(tmp_path) as store:
            assert store.diagnostics().tokenizer_version == "v1"
        assert not (tmp_path / FILE).exists()
    with pytest.raises(
        InvalidInputError, match=r"v1, which this store has \(upgrade\(\) goes over\)"
    ):
        MemoryStore.open(tmp_path, tokenizer="v2")


def test_an_index_of_another_tokenizer_is_made_anew(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, tokenizer="v1") as store:
        store.remember("set read_timeout to 30", scope="user", now=NOW)
    (tmp_path / FILE).write_text('{"tokenizer": "v2"}')
    with MemoryStore.open(tmp_path) as store:
        assert store.wait_until_ready(60)
        result = store.retrieve("timeout", now=NOW)
        assert (result.trace.mode, len(result.records)) == ("sqlite-fts5", 1)
        assert store.verify().ok


@pytest.mark.parametrize(
    "text",
    ["", "{", "{}", '{"tokenizer": "v9"}', '{"tokenizer": 2}', '{"tokeniser": "v2"}', "\udcff"],
)
def test_settings_that_cannot_be_read_are_named_and_nothing_is_guessed(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / FILE).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(CanonicalFileError, match=FILE) as refusal:
        MemoryStore.open(tmp_path)
    assert "v9" not in str(refusal.value)
    [finding] = examine(tmp_path)
    assert (finding.check, finding.severity) == ("folder", "problem")
    assert FILE in finding.what


def test_no_word_of_what_a_record_is_finds_it(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, tokenizer="v2") as store:
        store.remember(
            "walnut",
            scope="user",
            type="episode",
            sources=[{"kind": "file", "trust": "observed", "locator": "memory"}],
            now=NOW,
        )
        store.remember(
            "kiwi",
            scope="user",
            sources=[{"kind": "file", "trust": "observed", "locator": "notes/orchard.md"}],
            now=NOW,
        )
        for query in ("episode", "file", "memory", "fact"):
            assert found(store, query) == []
        assert found(store, "orchard") == found(store, "notes/orchard.md") == ["kiwi"]


def test_who_said_it_and_what_it_is_about_finds_a_record(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, tokenizer="v2") as store:
        made = store.remember(
            "I adopted a cat", scope="user", speaker="Melanie", subject="Biscuit", now=NOW
        )
        assert (made.speaker, made.subject) == ("Melanie", "Biscuit")
        assert found(store, "Melanie") == found(store, "biscuit") == ["I adopted a cat"]
    with MemoryStore.open(tmp_path, index=False) as store:
        assert found(store, "Melanie") == ["I adopted a cat"]


def test_speaker_and_subject_are_changed_and_taken_back_like_all_else(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path, tokenizer="v2") as store:
        first = store.remember("a cat", scope="user", speaker="Melanie", subject="Biscuit", now=NOW)
        store.update(first.id, speaker=None, subject="Muffin", now=NOW)
        assert found(store, "Biscuit") == found(store, "Melanie") == []
        assert found(store, "Muffin") == ["a cat"]
        back = store.rollback(first.id, 1, now=NOW)
        assert (back.speaker, back.subject) == ("Melanie", "Biscuit")
        later = store.supersede(first.id, "two cats", now=NOW)
        assert (later.speaker, later.subject) == (None, "Biscuit")
        dead = store.delete(later.id, now=NOW)
        assert dead.speaker is dead.subject is None
        assert not any(entry.snapshot.subject for entry in store.get(later.id).history)
        with pytest.raises(InvalidInputError, match="subject"):
            store.update(first.id, subject="", now=NOW)


def join(barrier: Barrier) -> None:
    global all_meet  # noqa: PLW0603 — how a pool's process keeps what it was given
    all_meet = barrier
    barrier.wait(120)


def opened(folder: str, tokenizer: Tokenizer | None) -> list[str | None]:
    """Opens new stores at the same moments as the other does: with what, None where refused."""
    kept: list[str | None] = []
    for number in range(20):
        all_meet.wait(60)
        try:
            with MemoryStore.open(f"{folder}/{number}", tokenizer=tokenizer) as store:
                kept.append(store.diagnostics().tokenizer_version)
        except InvalidInputError:
            kept.append(None)
    return kept


@pytest.mark.parametrize("other", ["v1", None])
def test_of_two_that_make_a_store_at_once_one_is_first(
    tmp_path: Path, other: Tokenizer | None
) -> None:
    context = get_context("spawn")
    barrier = context.Barrier(2)
    with ProcessPoolExecutor(2, mp_context=context, initializer=join, initargs=(barrier,)) as pool:
        both = list(pool.map(opened, [str(tmp_path)] * 2, [other, "v2"]))
    for one, second in zip(*both, strict=True):
        kept = (one, second)
        assert kept in {("v1", None), (None, "v2") if other else ("v2", "v2")}
