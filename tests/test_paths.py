"""Every path to the same answer: the pure function, memory, the index's file, the canonical files.

MEMBOUND_STORES says how many generated stores are asked, each 25 requests; the seeds are fixed. The
acceptance run is

    MEMBOUND_STORES=10000 python -m pytest tests/test_paths.py -k generated
"""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING

import pytest

import membound
from tests.adapters import (
    answer_of,
    ask,
    ask_oracle,
    ask_records,
    assert_same,
    moment,
    options_of,
    store_of,
    warm_store_of,
    without_channels,
)
from tests.conformance import Request, request_of, rows, whole
from tests.oracle import DEFAULT_POLICY
from tests.strategies import NOW, make_records, make_request
from tests.wordings import make_asking, make_memories

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracle.tokens import Record

REQUESTS_PER_STORE = 25
STORES = int(os.environ.get("MEMBOUND_STORES", "30"))
WIDE = {**DEFAULT_POLICY, "maxInjectedRecords": 64}
MODES = {True: "sqlite-fts5", False: "filesystem-fallback"}


def assert_paths_agree(folder: Path, records: list[Record], requests: list[Request]) -> None:
    """Ask the stores and the pure function: equal to the last bit, and to the oracle's answer."""
    assert len({request.get("tokenizer") for request in requests}) == 1
    tokenizer = requests[0].get("tokenizer", "v1")
    with (
        store_of(folder, records, index=True, tokenizer=tokenizer) as indexed,
        store_of(folder, records, index=False, tokenizer=tokenizer) as files,
        warm_store_of(folder) as warm,
    ):
        for request in requests:
            pure = without_channels(ask_records(records, request))
            for store, index in ((warm, True), (indexed, True), (files, False)):
                result = store.retrieve(request["query"], **options_of(request))
                assert result.trace.mode == MODES[index]
                assert result.from_memory == (store is warm)
                assert without_channels(answer_of(result)) == pure, (index, request)
            assert_same(pure, ask_oracle(records, request))


@pytest.mark.parametrize("tokenizer", ["v1", "v2"])
@pytest.mark.parametrize("number", range(STORES))
def test_generated(number: int, tokenizer: str, tmp_path: Path) -> None:
    chance = random.Random(f"paths-{number}")
    records = make_records(chance, chance.choice([3, 20, 40, 40, 120]))
    asked = [make_request(chance, records) for _ in range(REQUESTS_PER_STORE)]
    requests = [{**request, "tokenizer": tokenizer} for request in asked]
    assert_paths_agree(tmp_path, records, requests)


@pytest.mark.parametrize("number", range(STORES))
def test_generated_for_words_that_are_weighed(number: int, tmp_path: Path) -> None:
    chance = random.Random(f"weighed-{number}")
    records = make_memories(chance, chance.choice([0, 3, 20, 40, 40, 120]))
    requests = [make_asking(chance, records) for _ in range(REQUESTS_PER_STORE)]
    assert_paths_agree(tmp_path, records, requests)


def test_a_sentence_that_is_wholly_answered(tmp_path: Path) -> None:
    """Nothing is above its lexical then but what rounding adds; others need all of the best."""
    said = [f"7{at:02}1 7{at:02}2 7{at:02}3" for at in range(24)]
    records = [
        whole({"id": f"m{at}", "content": f"{words} {'x' * (at + 1)} {'wall' * (at % 2)}"})
        for at, words in enumerate(said)
    ]
    policy = {**DEFAULT_POLICY, "ranking": {"relativeFloor": 1}}
    base = {"now": NOW, "policy": policy, "tokenizer": "v2", "relevance_mode": "foundation-v2"}
    requests = [{**base, "query": f"{words}. tomatoes and garlic"} for words in said]
    found = [ask_records(records, request)["selectedIds"] for request in requests]
    assert found == [[record["id"]] for record in records]
    assert_paths_agree(tmp_path, records, requests)


@pytest.mark.parametrize("length", [300, 800, 16_000])
def test_long_words_that_are_nearly_the_same(length: int, tmp_path: Path) -> None:
    """More trigrams are common than a byte counts."""
    chance = random.Random(f"long-{length}")
    word = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=length))
    said = [
        word,
        f"{word} tail",
        f"{word[:-1]}zq",
        f"{word[:9]}é{word[9:]}",
        word[: length // 2],
        "x",
    ]
    records = [whole({"id": f"m{at}", "content": text}) for at, text in enumerate(said)]
    base = {"now": NOW, "tokenizer": "v2", "relevance_mode": "foundation-v2"}
    requests = [{**base, "query": query} for query in (word, f"{word}a", f"tail {word[1:]}")]
    assert ask_records(records, requests[1])["weighing"]["holders"][0] >= 4
    assert_paths_agree(tmp_path, records, requests)


def test_many_words_that_are_alike_to_many(tmp_path: Path) -> None:
    """Every record has a word of its own, and all may stand in for each that is asked for."""
    ends = [one + other for one in "bcdefghijklmno" for other in "bcdefghijklmno"]
    records = [
        whole({"id": f"m{at}", "content": f"harbourmaster{end} {'note ' * (at % 3)}"})
        for at, end in enumerate(ends)
    ]
    base = {"now": NOW, "tokenizer": "v2", "relevance_mode": "foundation-v2"}
    words = [f"harbourmaster{end[::-1]}" for end in ends[: 4 * 14 : 3]]
    said = " ".join(words)
    requests = [{**base, "query": query} for query in (said, words[1], said.replace(" ", ". "))]
    assert ask_records(records, requests[0])["weighing"]["holders"] == [len(ends)] * len(words)
    assert_paths_agree(tmp_path, records, requests)


def test_words_that_are_weighed_among_many(tmp_path: Path) -> None:
    """So many records that words, and characters of pairs, are held by lists and by bits."""
    chance = random.Random("weighed-many")
    records = make_memories(chance, 4000)
    requests = [make_asking(chance, records) for _ in range(40)]
    assert_paths_agree(tmp_path, records, requests)


def test_a_query_of_as_many_units_as_there_may_be(tmp_path: Path) -> None:
    """Postings count in a byte, by lists of few records and by bits of many."""
    words = [f"w{number:03}" for number in range(300)]
    records = [
        whole({"id": f"m{number}", "content": " ".join(words[: 300 - number % 70])})
        for number in range(600)
    ]
    records += [whole({"id": f"few{number}", "content": f"few{number}"}) for number in range(9)]
    few = " ".join(f"few{number}" for number in range(9))
    queries = [" ".join(words), f"{few} {' '.join(words)}", " ".join(words[:85])]
    requests = [{"query": query, "now": NOW, "tokenizer": "v2"} for query in queries]
    assert_paths_agree(tmp_path, records, requests)
    assert ask_records(records, requests[0])["queryTokenCount"] == 255


def test_mode_and_index_state_name_the_path(tmp_path: Path) -> None:
    for index, mode in MODES.items():
        with store_of(tmp_path, [whole({})], index=index) as store:
            trace = store.retrieve("kiwi", now=moment(NOW)).trace
            assert trace.mode == mode
            assert trace.index_state == ("ready" if index else "disabled")


def test_three_thousand_matches(tmp_path: Path) -> None:
    """W01: the selection is the true top, however many match."""
    records = [
        whole(
            {
                "id": f"m{number}",
                "content": f"kiwi {number} " + "filler " * (number % 40),
                "importance": (number * 7 % 3000) / 3000,
            }
        )
        for number in range(3000)
    ]
    limits: list[Request] = [{"limit": 1}, {}, {"policy": WIDE}]
    requests = [{"query": "kiwi", "now": NOW, **more} for more in limits]
    assert_paths_agree(tmp_path, records, requests)


def test_hint_through_a_tag(tmp_path: Path) -> None:
    """W14: no word of the query is in the record; its tag answers the hint."""
    records = [
        whole({"id": "a", "content": "walnut", "tags": [" ＰＲＥＦＥＲＥＮＣＥ "]}),
        whole({"id": "b", "content": "walnut tree", "tags": ["身份"]}),
        whole({"id": "c", "content": "walnut wood"}),
    ]
    requests = [{"query": query, "now": NOW} for query in ("what do I like", "who am i", "身份")]
    assert ask_records(records, requests[0])["selectedIds"] == ["a"]
    assert "b" in ask_records(records, requests[1])["selectedIds"]
    assert_paths_agree(tmp_path, records, requests)


def test_successor_that_does_not_match(tmp_path: Path) -> None:
    """W15: the older record is gone although only it holds the word."""
    records = [
        whole({"id": "old", "content": "kiwi"}),
        whole({"id": "new", "content": "walnut", "supersedes": "old"}),
    ]
    request = {"query": "kiwi", "now": NOW}
    assert ask_records(records, request)["selectedIds"] == []
    assert_paths_agree(tmp_path, records, [request])


def test_successor_that_is_itself_gone(tmp_path: Path) -> None:
    """A successor replaces only while it is itself active, visible and sure enough."""
    successors: list[Record] = [
        {"expiresAt": NOW},
        {"deletedAt": NOW},
        {"scope": "workspace", "workspace": "/elsewhere"},
        {"confidence": 0.1},
        {"authority": "directive"},
        {"type": "episode"},
    ]
    records = []
    for number, fields in enumerate(successors):
        records.append(whole({"id": f"old{number}", "content": f"kiwi {number}"}))
        records.append(
            whole({"id": f"new{number}", "content": "x", "supersedes": f"old{number}", **fields})
        )
    base = {"query": "kiwi", "now": NOW, "min_confidence": 0.5}
    requests = [base, {**base, "type": "fact"}, {**base, "purpose": "tool"}]
    assert set(ask_records(records, base)["selectedIds"]) == {"old0", "old1", "old2", "old3"}
    assert_paths_agree(tmp_path, records, requests)


def test_directives_do_not_crowd_out_references(tmp_path: Path) -> None:
    """W16: 300 rules hold every word; one reference holds them too."""
    records = [
        whole({"id": f"rule{number}", "content": f"kiwi kiwi {number}", "authority": "directive"})
        for number in range(300)
    ]
    records.append(whole({"id": "ref", "content": "a longer text about kiwi " * 3}))
    requests = [
        {"query": "kiwi", "now": NOW, "purpose": purpose} for purpose in ("tool", "injection")
    ]
    assert ask_records(records, requests[1])["selectedIds"] == ["ref"]
    assert_paths_agree(tmp_path, records, requests)


@pytest.mark.parametrize(
    "text", ["𠀀𠀁𠀂", "𠀀", "𐌰𐌱𐌲𐌳", "😀", "・紅", "・", "ー", "が\u3099", "々", "_", "a_b"]
)
def test_characters_that_an_index_could_lose(text: str, tmp_path: Path) -> None:
    """W04, W36: what the tokenizer yields is found on every path."""
    records = [whole({"id": "a", "content": text}), whole({"id": "b", "content": "walnut"})]
    assert_paths_agree(tmp_path, records, [{"query": text, "now": NOW}])


def test_each_lost_record_is_counted_once(tmp_path: Path) -> None:
    """W17: expired is lifecycle, not scope as well; what no word finds is irrelevant."""
    records = [
        whole({"id": "a"}),
        whole({"id": "expired", "expiresAt": NOW}),
        whole({"id": "elsewhere", "scope": "workspace", "workspace": "/elsewhere"}),
        whole({"id": "gone", "scope": "workspace", "workspace": "/elsewhere", "deletedAt": NOW}),
        whole({"id": "rule", "authority": "directive"}),
        whole({"id": "episode", "type": "episode"}),
        *[whole({"id": f"no{number}", "content": "walnut"}) for number in range(5)],
    ]
    request = {"query": "kiwi", "now": NOW, "type": "fact"}
    assert ask_records(records, request)["filtered"] == {
        "scope": 2,
        "lifecycle": 1,
        "purpose": 1,
        "request": 1,
        "irrelevant": 5,
    }
    assert_paths_agree(tmp_path, records, [request])


def test_times_are_compared_as_instants(tmp_path: Path) -> None:
    """W47: "…00Z" and "…00.000Z" are the same instant, at every border."""
    forms = ["2026-07-01T12:00:00Z", "2026-07-01T12:00:00.0Z", NOW, "2026-07-01T12:00:00.0009Z"]
    records = [
        whole({"id": f"{field}{number}", "content": f"kiwi {field} {number}", field: form})
        for field in ("validFrom", "validTo", "expiresAt", "updatedAt")
        for number, form in enumerate(forms)
    ]
    nows = [NOW, "2026-07-01T11:59:59.999Z", "2026-07-01T12:00:00.001Z"]
    assert_paths_agree(
        tmp_path, records, [{"query": "kiwi", "now": now, "policy": WIDE} for now in nows]
    )


def test_owners_are_compared_after_normalising(tmp_path: Path) -> None:
    """A workspace stored with a slash, a project record that only names its workspace."""
    records = [
        whole(
            {"id": "slash", "content": "kiwi 1", "scope": "workspace", "workspace": "/ws/alpha/"}
        ),
        whole(
            {
                "id": "dots",
                "content": "kiwi 2",
                "scope": "workspace",
                "workspace": " /ws/x/../alpha",
            }
        ),
        whole({"id": "bare", "content": "kiwi 3", "scope": "project", "workspace": "/ws/alpha"}),
        whole(
            {
                "id": "both",
                "content": "kiwi 4",
                "scope": "project",
                "workspace": "/ws/alpha",
                "project": "/p",
            }
        ),
        whole(
            {"id": "repo", "content": "kiwi 5", "scope": "project", "projectIdentity": "/repo/one/"}
        ),
    ]
    accesses: list[Request] = [
        {"workspace": "/ws/alpha"},
        {"workspace": " /ws/alpha/ "},
        {"workspace": "/ws/alpha", "project": "/p/"},
        {"project": "/ws/alpha"},
        {"project_identity": "/repo/one"},
        {},
    ]
    requests = [{"query": "kiwi", "now": NOW, **access} for access in accesses]
    assert_paths_agree(tmp_path, records, requests)


def test_conformance_rows(tmp_path: Path) -> None:
    for row in rows("index"):
        folder = tmp_path / row["id"]
        assert_paths_agree(folder, row["records"], [request_of(row)])


def test_files_written_by_others(tmp_path: Path) -> None:
    """Canonical files without the optional fields mean the same on every path."""
    short = {
        "content": "kiwi harvest",
        "scope": "user",
        "createdAt": "2026-03-01T00:00:00.000Z",
        "updatedAt": "2026-04-01T00:00:00Z",
        "unknown": {"kept": [1, 2]},
    }
    provenance = {"kind": "file", "file": "notes/kiwi.md"}
    others: list[Record] = [
        {},
        {"tags": ["偏好"]},
        {"tags": ["Episode "], "provenance": provenance},
        {"updatedAt": "", "provenance": {"kind": "inference", "origin": "a walk"}},
        {"updatedAt": "soon", "supersedes": "other0"},
    ]
    made = [{**short, "id": f"other{number}", **more} for number, more in enumerate(others)]
    requests = [
        {"query": query, "now": NOW} for query in ("kiwi", "what do I like", "notes kiwi", "a walk")
    ]
    for index, mode in MODES.items():
        folder = tmp_path / mode
        (folder / "memory").mkdir(parents=True)
        for record in made:
            (folder / "memory" / f"{record['id']}.json").write_text(json.dumps(record), "utf-8")
        with membound.MemoryStore.open(folder, index=index) as store:
            if index:
                store.wait_until_ready(60)
            for request in requests:
                found = ask(store.retrieve, request)
                assert without_channels(found) == without_channels(ask_records(made, request))


def test_at_the_floor(tmp_path: Path) -> None:
    """Queries of many tokens, of which a record holds just enough, or just too few."""
    chance = random.Random("floor")
    latin = [f"{a}{b}" for a in "abcdef" for b in "vwxyz"]
    chinese = list("数据库备份缓存日志队列喜欢决定部署")
    records = []
    for number in range(250):
        held = chance.sample(latin, chance.randint(1, 20)) + chance.sample(
            chinese, chance.randint(0, 6)
        )
        records.append(whole({"id": f"m{number}", "content": " ".join(held)}))
    requests = []
    for _ in range(120):
        asked = chance.sample(latin, chance.randint(1, 30))
        if chance.random() < 0.4:
            asked += chance.sample(chinese, chance.randint(1, 5))
        mode = chance.choice(["foundation-v1", "foundation-v1", "historical-v1"])
        requests.append({"query": " ".join(asked), "now": NOW, "relevance_mode": mode})
    assert_paths_agree(tmp_path, records, requests)


def test_a_word_as_long_as_one_that_was_cut(tmp_path: Path) -> None:
    """FTS5 cuts words at 32,768 bytes: the record's longer word then looks like the query's."""
    word = "\U00020000" * 8191 + "\u0e01"
    records = [
        whole({"id": name, "content": text}) for name, text in (("a", word), ("b", word + "ab"))
    ]
    assert len(f"w{word}".encode()) == 32_768
    assert_paths_agree(tmp_path, records, [{"query": word, "now": NOW, "character_budget": 40_000}])
