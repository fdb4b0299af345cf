"""Hints of `foundation-v2`: what a query asks for by its words, and what a kind alone admits."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tests.adapters import (
    ask_oracle,
    ask_records,
    assert_same,
    moment,
    store_of,
    warm_store_of,
)
from tests.conformance import whole
from tests.oracle.hints_v2 import FILLERS, INNER_FILLERS, STRETCHES, WORDS, wish
from tests.strategies import NOW
from tests.test_paths import assert_paths_agree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.oracle.tokens import Record

KINDS = ("preference", "decision", "fact", "relationship", "episode", "insight")
BESIDE = "tea|Anna|database|茶|本|차|the|a|什么|的|は|를|?|,|. |、| "


def of_kinds(content: str, **fields: Any) -> list[Record]:  # noqa: ANN401 — any field of a record
    """Return a record of each type that says about the same."""
    return [
        whole({"id": kind, "type": kind, "content": f"{content} {number}", **fields})
        for number, kind in enumerate(KINDS)
    ]


def asked(query: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 — any option of a request
    return {
        "query": query,
        "now": NOW,
        "tokenizer": "v2",
        "relevance_mode": "foundation-v2",
        **more,
    }


def vocabulary() -> list[str]:
    """Return all that the rules name, and some that they do not."""
    lists = [text for cue in (*WORDS, *STRETCHES) for text in cue if isinstance(text, str)]
    named = "|".join([*lists, FILLERS, INNER_FILLERS, BESIDE])
    return sorted({one.replace("*", "Anna") for one in named.split("|") if one})


def queries(chance: random.Random) -> Iterator[str]:
    """Yield queries in which cues stand beside all that may keep them from being some."""
    words = vocabulary()
    for cue in (*WORDS, *STRETCHES):
        for _ in range(16):
            of_cue = chance.choice(cue.cues.split("|")).replace("*", "Anna")
            near = [text for text in cue[2:] if isinstance(text, str) and text]
            known = [one for text in near for one in text.split("|")] or words
            before = chance.choices([*known, *words[:40]], k=chance.randrange(4))
            rest = chance.choices([*known, *words[-40:]], k=chance.randrange(3))
            joint = chance.choice([" ", " ", " ", "", ", ", "-"])
            yield joint.join([*before, of_cue, *rest])


@pytest.mark.parametrize("number", range(2))
def test_each_rule_is_that_of_the_oracle(number: int) -> None:
    chance = random.Random(f"hints-{number}")
    hinted = alone = 0
    for query in queries(chance):
        # Each holds the whole query, so that words admit all where it has one.
        records = [*of_kinds(query), whole({"id": "other", "content": "zebra", "type": "decision"})]
        request = asked(query, policy=WIDE)
        answer = ask_records(records, request)
        assert_same(answer, ask_oracle(records, request))
        kinds, is_alone = wish(query)
        hinted, alone = hinted + bool(kinds), alone + is_alone
    assert hinted > 60
    assert alone > 10


WIDE = {
    "enabled": True,
    "scopes": ["user", "workspace", "project"],
    "maxInjectedRecords": 64,
    "directives": {"enabled": True, "maxRecords": 20, "maxCharacters": 4000},
}

ALONE = (
    ("what are my preferences?", {"preference"}),
    ("What do I like?", {"preference"}),
    ("things I like", {"preference"}),
    ("what did we decide?", {"decision"}),
    ("who am I?", {"fact", "relationship"}),
    ("我喜欢什么", {"preference"}),
    ("我们决定了什么？", {"decision"}),
    ("我是谁", {"fact", "relationship"}),
    ("私の好みは何ですか", {"preference"}),
    ("내가 좋아하는 것은 뭐야?", {"preference"}),
    ("내 이름이 뭐야", {"fact", "relationship"}),
)


@pytest.mark.parametrize(("query", "kinds"), ALONE)
def test_a_query_for_nothing_but_a_kind_admits_it(query: str, kinds: set[str]) -> None:
    answer = ask_records(of_kinds("Zebras graze."), asked(query))
    assert set(answer["selectedIds"]) == kinds
    assert all(row["features"]["lexical"] == 0.0 for row in answer["rankings"])


@pytest.mark.parametrize(
    "query",
    [
        "what does Caroline like?",
        "which tea do I like?",
        "what did we decide about the database?",
        "what does it look like",
        "would you like",
        "I feel like it",
        "things like that",
        "我喜欢喝什么茶",
        "我的身份证号",
        "identity function",
        "how are things",
        "",
    ],
)
def test_any_other_query_admits_nothing_by_kind(query: str) -> None:
    assert ask_records(of_kinds("Zebras graze."), asked(query))["selectedIds"] == []


def test_a_hint_beside_words_orders_what_words_admit() -> None:
    records = of_kinds("Anna drinks green tea.", importance=0.5)
    answer = ask_records(records, asked("which green tea does Anna like?"))
    first, *rest = answer["rankings"]
    assert first["memoryId"] == "preference"
    assert [row["features"]["typeAffinity"] for row in (first, *rest)] == [1.0] + [0.0] * 5


def test_of_a_kind_those_that_come_near_the_best_are_admitted() -> None:
    """Without words 0.2 is the most; 0.65 of the best is needed."""
    best = {"type": "preference", "scope": "project", "project": "/p", "importance": 1.0}
    records = [
        whole({**best, "id": "best", "content": "Zebras graze."}),
        whole(
            {
                "id": "far",
                "type": "preference",
                "scope": "user",
                "content": "Lions roar.",
                "importance": 0.0,
                "confidence": 0.0,
                "observedAt": "2019-01-01T00:00:00.000Z",
            }
        ),
    ]
    request = asked("what are my preferences?", project="/p")
    answer = ask_records(records, request)
    assert answer["selectedIds"] == ["best"]
    assert answer["filtered"]["irrelevant"] == 1
    assert ask_records(records[1:], request)["selectedIds"] == ["far"]


def test_words_admit_beside_a_kind_alone() -> None:
    records = [
        whole({"id": "said", "type": "episode", "content": "Preferences were lost."}),
        *of_kinds("Zebras graze."),
    ]
    answer = ask_records(records, asked("what are my preferences?"))
    assert set(answer["selectedIds"]) == {"said", "preference"}


def test_every_path_admits_the_same_by_kind(tmp_path: Path) -> None:
    chance = random.Random("kinds")
    records = [
        whole(
            {
                "id": f"m{number}",
                "type": chance.choice(KINDS),
                "content": f"{chance.choice(['Preferences', 'Decisions', 'Zebras'])} {number}",
                "scope": chance.choice(["user", "workspace"]),
                "workspace": "/w",
                "importance": chance.random(),
                "confidence": chance.random(),
                "tags": chance.choice([[], ["identity"], ["preference"]]),
                "observedAt": f"20{chance.randrange(10, 27)}-01-01T00:00:00.000Z",
                **chance.choice([{}, {}, {"validTo": "2031-01-01T00:00:00.000Z"}]),
            }
        )
        for number in range(700)
    ]
    requests = [
        asked(query, workspace="/w", **more)
        for query, _ in ALONE
        for more in ({}, {"limit": 64, "policy": WIDE}, {"min_confidence": 0.5}, {"type": "fact"})
    ]
    assert_paths_agree(tmp_path, records, requests)


def test_the_channel_says_that_a_kind_alone_proposed(tmp_path: Path) -> None:
    records = of_kinds("Zebras graze.")
    with (
        store_of(tmp_path, records, index=True, tokenizer="v2") as store,
        warm_store_of(tmp_path) as warm,
    ):
        for opened in (store, warm):
            found = opened.retrieve("what do I like?", now=moment(NOW))
            assert found.from_memory is (opened is warm)
            assert [row.channel for row in found.trace.rankings] == ["type-affinity"]
