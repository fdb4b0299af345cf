"""What requests of the core have and no verb: every path gives what the oracle gives."""

from __future__ import annotations

import json
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from membound import MemoryPolicy, _core
from membound.request import Request as Asked
from membound.request import retrieval_request
from membound.retrieval import RetrievalResult
from tests.adapters import account_of, ask_oracle, assert_same, options_of, without_channels
from tests.conformance import Request, whole
from tests.oracle import DEFAULT_POLICY
from tests.oracle.dates import milliseconds
from tests.oracle.eligibility import wanted
from tests.oracle.ranking import order
from tests.strategies import DAY, NOW, maybe, stamp
from tests.test_paths import REQUESTS_PER_STORE, STORES
from tests.wordings import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conformance import Row
    from tests.oracle.tokens import Record

INSTANTS = ("since", "until")
BESIDE = ("within", "offset", *INSTANTS)
FILES = [
    "memory/a.md",
    "memory/a/one.md",
    "memory/a/two.md",
    "memory/ab.md",
    "memory/A/one.md",
    "notes/a/b/c.md",
    "notes//a.md",
    "/memory/a.md",
    "notes/cafe\u0301/a.md",
]
FOLDERS = ["memory", "memory/a", "memory/a.md", "notes/a", "notes", "notes/", "", "notes/caf\u00e9"]
FOLDERS += ["memory/", "/memory", "kiwi", "nowhere"]

each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.tokenizer for kind in KINDS])


def file_source(number: int, locator: str, kind: str = "file") -> dict[str, Any]:
    return {"id": f"file_{number}", "kind": kind, "trust": "observed", "locator": locator}


def make_filed(chance: random.Random, kind: Kind, count: int) -> list[Record]:
    """Make records that come from files, most of them; of some no text says when."""
    return [
        {
            **one,
            **maybe(
                chance,
                0.8,
                sources=[
                    file_source(at, chance.choice(FILES), chance.choice(["file", "file", "web"]))
                    for at in range(chance.choice([1, 1, 2, 3]))
                ],
            ),
            **maybe(chance, 0.2, observedAt=chance.choice(["soon", "", "2026-06-30"])),
        }
        for one in kind.records(chance, count)
    ]


def make_picking(chance: random.Random, kind: Kind, records: list[Record]) -> Request:
    away = [0, 1, 90, 360]
    return {
        **kind.request(chance, records),
        **maybe(chance, 0.5, within=chance.choice(FOLDERS)),
        **maybe(chance, 0.4, since=stamp(chance, chance.choice(away) * -DAY)),
        **maybe(chance, 0.4, until=stamp(chance, chance.choice(away) * -DAY)),
        **maybe(chance, 0.3, offset=chance.choice([0, 1, 2, 7, 64, 1000])),
    }


def asked_of(request: Request) -> Asked:
    """Return the request that the core reads."""
    given = {name: value for name, value in request.items() if name not in BESIDE}
    beside = {
        name: milliseconds(request[name]) if name in INSTANTS else request[name]
        for name in BESIDE
        if name in request
    }
    tokenizer = request.get("tokenizer", "v1")
    options = {"policy": MemoryPolicy(), **options_of(given)}
    asked = retrieval_request(request["query"], **options, tokenizer=tokenizer)
    return msgspec.structs.replace(asked, **beside)


@contextmanager
def paths_of(
    folder: Path, records: list[Record], tokenizer: str
) -> Iterator[dict[str, Callable[[bytes], _core.Recalled]]]:
    """Give every way to ask some records: themselves, an index's file, memory."""
    lines = [json.dumps(record).encode() for record in records]
    file, memory = (
        _core.Index.open(folder / f"{name}.sqlite3", durable=False, tokenizer=tokenizer)
        for name in ("file", "memory")
    )
    for index in (file, memory):
        index.apply(records=lines, removed=[], settled=[], notes=[])
    memory.limit_memory(1 << 30)
    while memory.fill_memory(1000):
        pass
    yield {
        "records": lambda request: _core.retrieve_records(request, lines),
        "file": file.retrieve,
        "memory": memory.retrieve,
    }
    for index in (file, memory):
        index.check()


def answer_of(recalled: _core.Recalled) -> Row:
    """Return what the core gives; its records need not be such as the schema lets through."""
    selected = [
        json.loads(record)["content"] if content is None else content
        for record, content in recalled.records()
    ]
    trace = RetrievalResult.found(recalled, "ready").trace
    return account_of(trace, selected, recalled.context())


def assert_paths_agree(folder: Path, records: list[Record], requests: list[Request]) -> list[Row]:
    """Ask every path: equal to the last bit, and to the oracle's answer, which is given."""
    answers = []
    with paths_of(folder, records, requests[0].get("tokenizer", "v1")) as paths:
        for request in requests:
            asked = asked_of(request).to_json()
            found = {}
            for name, retrieve in paths.items():
                recalled = retrieve(asked)
                assert recalled.is_from_memory() == (name == "memory")
                found[name] = answer_of(recalled)
            pure = without_channels(found["records"])
            assert without_channels(found["file"]) == pure, request
            assert without_channels(found["memory"]) == pure, request
            answers.append(ask_oracle(records, request))
            assert_same(pure, answers[-1])
    return answers


@each_kind
@pytest.mark.parametrize("number", range(STORES))
def test_generated_filters(number: int, kind: Kind, tmp_path: Path) -> None:
    chance = random.Random(f"filters-{number}")
    records = make_filed(chance, kind, chance.choice([3, 20, 40, 120]))
    requests = [make_picking(chance, kind, records) for _ in range(REQUESTS_PER_STORE)]
    assert_paths_agree(tmp_path, records, requests)


@pytest.mark.parametrize("tokenizer", ["v1", "v2"])
def test_filters_among_many(tokenizer: str, tmp_path: Path) -> None:
    """So many records that words and labels are held by lists and by bits."""
    chance = random.Random("filters-many")
    kind = next(kind for kind in KINDS if kind.tokenizer == tokenizer)
    records = make_filed(chance, kind, 2000)
    requests = [make_picking(chance, kind, records) for _ in range(20)]
    assert_paths_agree(tmp_path, records, requests)


def filed(id: str, *locators: str, **fields: object) -> Record:
    sources = [file_source(at, locator) for at, locator in enumerate(locators)]
    return whole({"id": id, "content": f"kiwi {id}", "sources": sources, **fields})


def found_by(folder: Path, records: list[Record], *requests: Request) -> list[list[str]]:
    """Give the ids that each request ranks, in their order, as every path has them."""
    base: Request = {"query": "kiwi", "now": NOW}
    modes: list[Request] = [{"tokenizer": "v1"}]
    modes += [{"tokenizer": "v2", "relevance_mode": "foundation-v2"}]
    answers = []
    for mode in modes:
        asked = [{**base, **mode, **request} for request in requests]
        place = folder / str(mode["tokenizer"])
        place.mkdir()
        answers.append(
            [
                sorted(ranking["memoryId"] for ranking in answer["rankings"])
                for answer in assert_paths_agree(place, records, asked)
            ]
        )
    assert answers[0] == answers[1]
    return answers[0]


def test_within_a_folder_is_what_lies_in_it_or_below_it(tmp_path: Path) -> None:
    records = [
        filed("a", "memory/a.md"),
        filed("b", "memory/a/b.md"),
        filed("c", "memory/ab/c.md", "notes/c.md"),
        filed("d", "/memory/d.md"),
        whole({"id": "e", "content": "kiwi", "tags": ["memory", "IN memory"]}),
        whole({"id": "f", "content": "kiwi", "sources": [file_source(1, "memory/f", "web")]}),
    ]
    folders = ["memory", "memory/a", "memory/a.md", "notes", "/memory", "memory/", "Memory", ""]
    assert found_by(tmp_path, records, *[{"within": folder} for folder in folders]) == [
        ["a", "b", "c"], ["b"], ["a"], ["c"], ["d"], [], [], ["d"],
    ]  # fmt: skip


def test_within_counts_at_the_stage_of_the_request_and_with_tags(tmp_path: Path) -> None:
    records = [
        filed("a", "memory/a.md", tags=["fruit"]),
        filed("b", "memory/b.md"),
        filed("c", "notes/c.md", tags=["fruit"]),
    ]
    request = {"query": "kiwi", "now": NOW, "within": "memory", "tags": ["Fruit"]}
    (answer,) = assert_paths_agree(tmp_path, records, [request])
    assert answer["filtered"]["request"] == 2
    assert answer["selectedIds"] == ["a"]


def test_a_folder_is_no_word_and_answers_no_hint(tmp_path: Path) -> None:
    records = [filed("a", "preference/identity.md", content="walnut", type="episode")]
    requests = [{"query": query, "now": NOW} for query in ("what do I like", "who am i", "IN")]
    for answer in assert_paths_agree(tmp_path, records, requests):
        assert (answer["candidateCount"], answer["selectedIds"]) == (1, [])


def test_since_is_from_that_instant_on_and_until_before_it(tmp_path: Path) -> None:
    observed = {
        "before": "2026-06-01T11:59:59.999Z",
        "then": "2026-06-01T14:00+02:00",
        "after": "2026-06-01T12:00:00.001Z",
        "never": "soon",
    }
    records = [filed(id, observedAt=text) for id, text in observed.items()]
    noon = "2026-06-01T12:00:00.000Z"
    later = "2026-06-01T12:00:00.001Z"
    requests: list[Request] = [
        {}, {"since": noon}, {"until": noon}, {"since": noon, "until": later},
        {"since": later, "until": noon},
    ]  # fmt: skip
    assert found_by(tmp_path, records, *requests) == [
        ["after", "before", "never", "then"], ["after", "then"], ["before"], ["then"], [],
    ]  # fmt: skip


def test_words_weigh_by_the_records_that_the_filters_leave(tmp_path: Path) -> None:
    """What others say changes no score of what may be had."""
    kind = next(kind for kind in KINDS if kind.tokenizer == "v2")
    chance = random.Random("weighed within")
    records = [{**one, "supersedes": None} for one in make_filed(chance, kind, 60)]
    base: Request = {"now": NOW, "tokenizer": "v2", "relevance_mode": "foundation-v2"}
    for at, filters in enumerate([{"within": "memory"}, {"since": stamp(chance, -DAY)}]):
        left = [record for record in records if wanted(record, filters)]
        assert 0 < len(left) < len(records)
        requests = [{**base, "query": str(one["content"])[:40]} for one in records[:10]]
        places = [tmp_path / f"all{at}", tmp_path / f"left{at}"]
        for place in places:
            place.mkdir()
        asked = [{**request, **filters} for request in requests]
        among_all = assert_paths_agree(places[0], records, asked)
        alone = assert_paths_agree(places[1], left, requests)
        for one, other in zip(among_all, alone, strict=True):
            assert one["rankings"] == other["rankings"]
            assert one["weighing"] == other["weighing"]


@each_kind
@pytest.mark.parametrize("number", range(4))
def test_pages_one_after_the_other_are_one_order(number: int, kind: Kind, tmp_path: Path) -> None:
    chance = random.Random(f"pages-{number}")
    records = [
        {**one, "content": f"kiwi {chance.choice(['', 'walnut', 'harvest'])} {at % 50}"}
        for at, one in enumerate(make_filed(chance, kind, 500))
    ]
    asked = {
        **make_picking(chance, kind, records),
        "query": "kiwi",
        "limit": chance.choice([0, 3, 64]),
        "policy": DEFAULT_POLICY,
    }
    first = ask_oracle(records, {**asked, "offset": 0})
    admitted = first["candidateCount"] - first["filtered"]["irrelevant"]
    step = chance.choice([17, 64])
    offsets = range(0, admitted + step, step)
    pages = assert_paths_agree(tmp_path, records, [{**asked, "offset": at} for at in offsets])
    ranked = [ranking for page in pages for ranking in page["rankings"][:step]]
    changed = {record["id"]: str(record["updatedAt"]) for record in records}
    keys = [
        order(one["features"]["finalScore"], changed[one["memoryId"]], one["memoryId"])
        for one in ranked
    ]
    assert len(keys) == admitted
    assert keys == sorted(set(keys))
    assert pages[-1]["rankings"] == []


def test_what_is_passed_over_is_neither_selected_nor_a_duplicate(tmp_path: Path) -> None:
    said = ["kiwi", "Kiwi", "kiwi harvest"]
    records = [
        whole({"id": f"m{at}", "content": text, "importance": 1 - at / 10})
        for at, text in enumerate(said)
    ]
    base: Request = {"query": "kiwi", "now": NOW}
    requests = [{**base, "offset": offset} for offset in (0, 1, 3, 2**63)]
    answers = assert_paths_agree(tmp_path, records, requests)
    told = [(one["selectedIds"], one["duplicateIds"], one["candidateCount"]) for one in answers]
    assert told == [(["m0", "m2"], ["m1"], 3), (["m1", "m2"], [], 3), ([], [], 3), ([], [], 3)]
