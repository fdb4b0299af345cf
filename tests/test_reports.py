"""Faults that users of memory and search software met, by class: words, queries, limits, pages."""

from __future__ import annotations

import math
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft, MemoryPolicy, matched_words, search_tokens
from membound.errors import CanonicalFileError, InvalidInputError
from tests.command import Command
from tests.stores import NOW, recalled, say

if TYPE_CHECKING:
    from membound import MemoryStore

SYNTAX = ['tram "nine', "NEAR(tram nine, 2)", "tram* OR -nine", "tokens:tram ^nine", "tram;--'"]


@pytest.mark.parametrize("query", SYNTAX)
def test_fts_syntax(store: MemoryStore, query: str) -> None:
    say(store, 'the tram "leaves" at nine; bring NEAR tokens')
    say(store, "we picked F# for tools/build.fsx")
    assert recalled(store, query) == ['the tram "leaves" at nine; bring NEAR tokens']
    assert recalled(store, "tools/build.fsx") == ["we picked F# for tools/build.fsx"]
    assert recalled(store, "F#") == ["we picked F# for tools/build.fsx"]


def test_fts_syntax_fails_aloud(store: MemoryStore) -> None:
    """What cannot be looked up is an error, not an empty answer."""
    say(store, "we picked F# for tools/build.fsx")
    folder = Path(store.diagnostics().path)
    (folder / "memory").rename(folder / "aside")
    (folder / "memory").write_bytes(b"")
    with pytest.raises(CanonicalFileError, match="memory"):
        store.retrieve("F#")
    told = Command(folder)("recall", "F#")
    assert told.exit_code in (2, 3)
    assert "nothing relevant" not in told.output


def test_fts_hyphen(store: MemoryStore) -> None:
    say(store, "warranty ends 2033-11-02, ticket OPS-117")
    assert recalled(store, "2033-11-02")
    assert recalled(store, "-ops-117-")


@pytest.mark.parametrize("query", ["", "   ", "\u3000", "?!", "\U0001f44d", "\0"], ids=ascii)
def test_fts_empty(store: MemoryStore, query: str) -> None:
    say(store, "the tram leaves at nine")
    found = store.retrieve(query)
    assert (found.records, found.context, found.trace.query_token_count) == ((), "", 0)
    assert found.trace.filtered.irrelevant == 1
    assert "the query has no word to search by" in found.trace.explain()
    told = Command(Path(store.diagnostics().path))("recall", "--", query.replace("\0", ""))
    assert (told.exit_code, told.stdout) == (0, "")
    assert "no word to search by" in told.stderr


def test_long_query(store: MemoryStore) -> None:
    query = " ".join(f"word{number}" for number in range(400))
    for expected in (0, 1):
        began = perf_counter()
        found = store.retrieve(query)
        assert perf_counter() - began < 2
        assert len(found.records) == expected
        assert (found.trace.query_token_count, found.trace.query_tokens_truncated) == (128, True)
        say(store, query)


def test_multiword(store: MemoryStore) -> None:
    id = say(store, "kernel upgrades ran on Friday", tags=["ops"])
    for query in ("plan for kernel upgrade", "kernel upgrade plan", "Friday 内核 kernel"):
        (record,) = store.retrieve(query).records
        assert record.id == id
        words = matched_words(query, record)
        told = {*words.matched, *words.partly, *words.missed}
        assert told == {token[1:] for token in search_tokens(query).tokens if token[0] != "g"}
    words = matched_words("plan for KERNEL upgrade 内核 fact", store.get(id))
    assert words.matched == ("kernel", "fact")
    assert words.partly == ("upgrade",)
    assert words.missed == ("plan", "for", "内核")
    shown = Command(Path(store.diagnostics().path)).ok(
        "recall", "plan for kernel upgrade", "--explain"
    )
    assert f"{id}: matched kernel; partly upgrade; missed plan, for" in shown


@pytest.mark.parametrize(
    "query", ["plan the kernel upgrades", "Friday!", "升级 kernel", "ops fact"]
)
def test_multiword_lists_what_the_score_counts(store: MemoryStore, query: str) -> None:
    source = {"kind": "file", "trust": "observed", "locator": "升级/plan.md"}
    id = say(store, "kernel upgrades ran on Friday", tags=["ops"], sources=[source])
    words = matched_words(query, store.get(id))
    tokens = search_tokens(query).tokens
    whole = sum(token[1:] in words.matched for token in tokens if token[0] != "g")
    (ranking,) = store.retrieve(query, relevance_mode="historical-v1").trace.rankings
    assert whole / len(tokens) <= ranking.features.lexical
    assert (ranking.features.lexical == 1) == (not words.missed and not words.partly)


def test_cjk(store: MemoryStore) -> None:
    say(store, "门禁卡已经补办")
    assert recalled(store, "门禁卡") == ["门禁卡已经补办"]


@pytest.mark.parametrize("query", ["db-proxy", "proxy 升级", "px", "db-px", "升级px"])
def test_cjk_mixed(store: MemoryStore, query: str) -> None:
    text = "升级db-proxy后变慢" if "proxy" in query else "升级db-px后变慢"
    say(store, text)
    assert recalled(store, query) == [text]


def test_limit(store: MemoryStore) -> None:
    for number in range(5):
        say(store, f"fact {number}")
    assert recalled(store, "fact", limit=0) == []
    assert store.list(limit=0) == ()
    command = Command(Path(store.diagnostics().path))
    assert command.ok("recall", "fact", "--limit", "0") == command.ok("list", "--limit", "0") == ""
    assert recalled(store, "fact", limit=-3) == []
    for verb in (["recall", "fact"], ["list"]):
        assert command(*verb, "--limit", "-3").exit_code == 2
    assert len(store.list(limit=2.9)) == len(recalled(store, "fact", limit=2.9)) == 2
    assert len(store.list(limit=math.inf)) == len(recalled(store, "fact", limit=math.inf)) == 5
    for refused in (math.nan, True, "2"):
        with pytest.raises(InvalidInputError, match="limit"):
            store.retrieve("fact", limit=refused)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError, match="limit"):
            store.list(limit=refused)  # type: ignore[arg-type]


def test_pagination(store: MemoryStore) -> None:
    """Every surviving record once, whatever comes and goes between the pages."""
    many, step = (1000, 7) if store.diagnostics().index_state == "ready" else (120, 7)
    drafts = [MemoryDraft(f"note {n}", scope="user", id=f"n{n:04}") for n in range(many)]
    store.remember_many(drafts)
    seen: list[str] = []
    cursor = None
    while page := store.list(limit=step, before=cursor):
        assert len(page) <= step
        seen += [record.id for record in page]
        cursor = (page[-1].updated_at, page[-1].id)
        at = len(seen)
        if at % 5 == 0:  # one that was seen goes, one that was not, and one comes before the cursor
            store.purge(seen[at - 5])
            store.delete(f"n{many - at // 5:04}", now=NOW)
            say(store, f"late {at}", id=f"a{at:04}")
    assert len(set(seen)) == len(seen)
    left = {record.id for record in store.list()}
    came = {id for id in left if id.startswith("a")}
    assert came
    assert left - came <= set(seen)
    assert not came & set(seen)


def test_tags(store: MemoryStore) -> None:
    say(store, "one", tags=["net"])
    say(store, "two", tags=["network", "n%t"])
    assert [record.content for record in store.list(tags=["ＮＥＴ "])] == ["one"]
    assert recalled(store, "one two", tags=["net"]) == ["one"]
    assert recalled(store, "one two", tags=["n_t"]) == []


def test_a_disabled_policy_recalls_nothing(store: MemoryStore) -> None:
    say(store, "the tram leaves at nine")
    found = store.retrieve("tram", policy=MemoryPolicy(enabled=False))
    assert (found.records, found.context, found.trace.rankings) == ((), "", ())
