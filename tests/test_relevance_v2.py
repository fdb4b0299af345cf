"""What `foundation-v2` promises of relevance, told by what is selected and by the trace."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import membound
from tests.adapters import (
    options_of,
    records_of,
    store_of,
    warm_store_of,
)
from tests.conformance import whole
from tests.oracle import DEFAULT_POLICY, eligibility
from tests.oracle.dates import milliseconds
from tests.strategies import NOW
from tests.wordings import make_asking, make_memories

if TYPE_CHECKING:
    from pathlib import Path

    from membound import RetrievalResult
    from tests.conformance import Request
    from tests.oracle.tokens import Record

WIDE = {**DEFAULT_POLICY, "maxInjectedRecords": 64}


def request_of(query: str, **more: object) -> Request:
    words = {"tokenizer": "v2", "relevance_mode": "foundation-v2"}
    return {"query": query, "now": NOW, "policy": WIDE, **words, **more}


def memories(*contents: str, **more: object) -> list[Record]:
    """Records of these contents, alike in all else."""
    return [
        whole({"id": f"m{number}", "content": content, **more})
        for number, content in enumerate(contents)
    ]


def pure(records: list[Record], request: Request) -> RetrievalResult:
    return membound.retrieve_records(records_of(records), request["query"], **options_of(request))


def everywhere(folder: Path, records: list[Record], request: Request) -> list[RetrievalResult]:
    """Ask records at hand, the files, the index's file and the memory."""
    with (
        store_of(folder, records, index=True, tokenizer="v2") as indexed,
        store_of(folder, records, index=False, tokenizer="v2") as files,
        warm_store_of(folder) as warm,
    ):
        options = options_of(request)
        stores = (files, indexed, warm)
        found = [store.retrieve(request["query"], **options) for store in stores]
        assert [one.from_memory for one in found] == [False, False, True]
        return [pure(records, request), *found]


def told(result: RetrievalResult) -> tuple[list[bytes], str, dict[str, Any]]:
    """All of a result, without how many records each stage dropped."""
    trace = result.trace.to_dict()
    del trace["filtered"]
    return [record.to_json() for record in result.records], result.context, trace


def dropped(result: RetrievalResult) -> int:
    """How many records were dropped before their words were looked at."""
    filtered = result.trace.filtered
    return filtered.scope + filtered.lifecycle + filtered.purpose + filtered.request


def lexicals(records: list[Record], query: str) -> dict[str, float]:
    """The lexical of each record that is admitted, best first."""
    rankings = pure(records, request_of(query)).trace.rankings
    return {ranking.memory_id: ranking.features.lexical for ranking in rankings}


# --------------------------------------------------- who may not be seen has no part in it

AGENT = {
    "schemaVersion": 1,
    "agentId": "agent-1",
    "sourceConversationId": "conv-1",
    "shared": True,
    "sharedConversationIds": [],
    "sharedProjectRoots": [],
    "locked": False,
}
LONG_AGO = "2026-01-01T00:00:00Z"
INVISIBLE: dict[str, dict[str, Any]] = {
    "of an agent": {"agentContext": AGENT},
    "workspace": {"scope": "workspace", "workspace": "/ws/beta"},
    "project": {"scope": "project", "project": "/ws/beta"},
    "repository": {"scope": "project", "projectIdentity": "/repo/two"},
    "deleted": {"deletedAt": LONG_AGO},
    "disabled": {"disabledAt": LONG_AGO},
    "marked as superseded": {"supersededAt": LONG_AGO},
    "expired": {"expiresAt": LONG_AGO},
    "no longer valid": {"validTo": NOW},
    "not yet valid": {"validFrom": "2027-01-01T00:00:00Z"},
    "directive": {"authority": "directive"},
    "unsure": {"confidence": 0.1},
    "another type": {"type": "episode"},
    "without the tag": {"tags": []},
}
VISIBLE = [
    whole({"id": "radio", "content": "the radio in the harbour was repaired", "tags": ["boat"]}),
    whole({"id": "harbour", "content": "harbours are quiet in July", "tags": ["boat"]}),
    whole({"id": "cat", "content": "猫喜欢港口的鱼", "tags": ["boat"], "supersedes": "replaced"}),
    whole(
        {
            "id": "logbook",
            "content": "the logbook is in the blue cabinet",
            "scope": "workspace",
            "workspace": "/ws/alpha",
            "tags": ["boat"],
        }
    ),
]
ASKED = request_of("Was the harbor radio repaired? 港的猫", workspace="/ws/alpha")
FILTERS: dict[str, dict[str, Any]] = {
    "unsure": {"min_confidence": 0.3},
    "another type": {"type": "fact"},
    "without the tag": {"tags": ["boat"]},
}
ALL_FILTERS = {"min_confidence": 0.3, "type": "fact", "tags": ["boat"]}


def hidden(name: str, number: int) -> Record:
    """A record full of the words that are asked for, which the request may not have."""
    words = ["radio repaired", "harbour harbor radio", "港口的猫 猫的港", "harbor"][number % 4]
    fields = {"id": f"hidden{number}", "content": f"{words} {number}", "tags": ["boat"]}
    return whole({**fields, **INVISIBLE[name]})


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("name", INVISIBLE)
def test_what_may_not_be_seen_changes_not_a_byte(name: str, filtered: bool, tmp_path: Path) -> None:
    """Paths count plain records in groups where no filter looks at each."""
    request = {**ASKED, **(ALL_FILTERS if filtered else FILTERS.get(name, {}))}
    alone = everywhere(tmp_path / "alone", VISIBLE, request)
    assert alone[0].trace.selected_ids
    more = [hidden(name, number) for number in range(20)]
    among = everywhere(tmp_path / "among", [*more[:10], *VISIBLE, *more[10:]], request)
    assert list(map(told, among)) == list(map(told, alone))
    assert {dropped(one) - dropped(alone[0]) for one in among} == {20}


def test_what_is_replaced_changes_not_a_byte(tmp_path: Path) -> None:
    old = whole({"id": "replaced", "content": "radio repaired in the harbor", "tags": ["boat"]})
    alone = everywhere(tmp_path / "alone", VISIBLE, ASKED)
    among = everywhere(tmp_path / "among", [old, *VISIBLE], ASKED)
    assert list(map(told, among)) == list(map(told, alone))
    assert {one.trace.filtered.lifecycle for one in among} == {1}


@pytest.mark.parametrize("seed", range(60))
def test_only_the_eligible_decide(seed: int) -> None:
    chance = random.Random(f"eligible-{seed}")
    records = make_memories(chance, 40)
    for _ in range(5):
        request = make_asking(chance, records)
        policy = request.get("policy", DEFAULT_POLICY)
        now = milliseconds(request["now"])
        assert now is not None
        left, _ = eligibility.candidates(records, request, policy, now)
        assert told(pure(left, request)) == told(pure(records, request))


# --------------------------------------------------- what counts, and how much


@pytest.mark.parametrize(
    ("query", "strong", "weak"),
    [
        ("harbour the radio", "harbour radio", "harbour the"),
        ("гавань что радио", "гавань радио", "гавань что"),
        ("港口，口的 数据", "港口，数据", "港口，口的"),
        ("港口，船的 的了", "港口，船的", "港口，的了"),
        ("ラジオ のに データ", "ラジオ、デー", "ラジオ、のに"),
        ("항구 라디 구는", "항구 라디", "항구 구는"),
    ],
)
def test_a_word_or_pair_that_says_little_counts_less(query: str, strong: str, weak: str) -> None:
    found = lexicals(memories(weak, strong), query)
    assert list(found) == ["m1", "m0"]
    assert found["m1"] > found["m0"]


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("harbormaster", "the harbourmaster has left"),
        ("repiared radios", "Tomas repaired the radio"),
        ("гавани", "тихая гавань"),
        ("Datenbanken", "die Datenbank läuft"),
        ("المكتبات", "المكتبة في الميناء"),
        ("库存数据", "数据都在仓库里，存不下"),
    ],
)
def test_what_is_nearly_written_so_is_found(query: str, content: str, tmp_path: Path) -> None:
    records = memories(content, "walnuts grow by the wall", "墙边有核桃")
    for found in everywhere(tmp_path, records, request_of(query)):
        assert found.trace.selected_ids == ("m0",)
        assert found.trace.rankings[0].features.lexical < lexicals(memories(query), query)["m0"]


@pytest.mark.parametrize(
    ("query", "content", "holders"),
    [
        ("48151623", "order 48151624", (0,)),
        ("48151623", "order 48151623", (1,)),
        ("harbour2024y", "harbour2024x", (0, 1, 1, 0)),
        ("x48151623", "48151623x", (0, 1, 1)),
        ("may", "mays", (0,)),
        ("harbourmaster", "harbourmasters", (1,)),
    ],
)
def test_a_word_with_a_digit_or_a_short_one_is_like_no_other(
    query: str, content: str, holders: tuple[int, ...], tmp_path: Path
) -> None:
    for found in everywhere(tmp_path, memories(content), request_of(query)):
        assert found.trace.weighing is not None
        assert found.trace.weighing.holders == holders


@pytest.mark.parametrize(
    "query",
    [
        *("", "???", "who is that", "的", "のは", "как это"),
        *("When does the ferry leave?", "船几点开？", "フェリーはいつ出ますか", "배는 언제"),
        "What does Caroline like about her decision, and what is her identity?",
    ],
)
def test_nothing_is_selected_where_nothing_is_relevant(query: str, tmp_path: Path) -> None:
    records = memories(
        *(
            "tomatoes need water",
            "garlic was planted",
            "猫在睡觉",
            "にんにくを植えた",
            "마늘을 심었다",
        ),
        type="preference",
    )
    for found in everywhere(tmp_path, records, request_of(query)):
        assert found.context == ""
        assert found.trace.selected_ids == ()
        assert found.trace.filtered.irrelevant == len(records)


# --------------------------------------------------- two levels

TWO_LEVELS = memories(
    "harbour radio repaired",
    "harbour radio cabinet garlic tomatoes shed compost wall",
    "harbour is quiet",
    "the garden",
)
QUERY = "harbour radio repaired logbook anchor chain"


def test_the_best_lets_in_others_that_would_not_be_enough(tmp_path: Path) -> None:
    for found in everywhere(tmp_path, TWO_LEVELS, request_of(QUERY)):
        weighing = found.trace.weighing
        assert weighing is not None
        best, *others = (one.features.lexical for one in found.trace.rankings)
        least = max(weighing.relative_floor * best, weighing.following_floor * weighing.floor)
        assert found.trace.selected_ids == ("m0", "m1")
        assert weighing.best == best >= weighing.floor > others[0] >= least
    for found in everywhere(tmp_path / "rest", TWO_LEVELS[1:], request_of(QUERY)):
        assert found.trace.weighing is not None
        assert (found.trace.weighing.best, found.trace.selected_ids) == (0, ())


@pytest.mark.parametrize(
    ("query", "floor"),
    [
        ("harbour", 0.395),
        ("гавань", 0.395),
        ("ميناء", 0.395),
        ("ท่าเรือ", 0.395),
        ("naïve façade à côté", 0.395),
        ("con gà ở đâu", 0.52),
        ("con ga o\u031b\u0309 dau", 0.52),
        ("harbour 港口", 0.47),
        ("𠀀𠀁", 0.47),
        ("港の", 0.42),
        ("ﾗｼﾞｵ", 0.42),
        ("항구 港口 ラジオ", 0.40),
        ("\u1112\u1161\u11bc", 0.40),
        ("", 0.395),
    ],
)
def test_the_floor_is_that_of_the_script(query: str, floor: float, tmp_path: Path) -> None:
    for found in everywhere(tmp_path, memories("kiwi"), request_of(query)):
        assert found.trace.weighing is not None
        assert found.trace.weighing.floor == floor


# --------------------------------------------------- what changes nothing


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_records_changes_nothing(seed: int) -> None:
    chance = random.Random(f"order-{seed}")
    records = make_memories(chance, 30)
    request = make_asking(chance, records)
    one = pure(records, request)
    chance.shuffle(records)
    other = pure(records, request)
    assert (told(other), other.trace.filtered) == (told(one), one.trace.filtered)


def test_the_order_in_which_records_came_changes_nothing(tmp_path: Path) -> None:
    forth = everywhere(tmp_path / "forth", VISIBLE, ASKED)
    back = everywhere(tmp_path / "back", VISIBLE[::-1], ASKED)
    assert list(map(told, forth)) == list(map(told, back))


@pytest.mark.parametrize(
    ("once", "again"),
    [
        ("harbor radio", "harbor radio radio harbor"),
        ("harbor radio", "Harbor RADIO ｒａｄｉｏ"),
        ("harbor radio", "harbor radio. Harbor radio!"),
        ("港的猫", "港的猫，港的猫"),
        ("May 8", "8 May, May 8th"),
    ],
)
def test_what_is_said_twice_is_asked_once(once: str, again: str, tmp_path: Path) -> None:
    for number, records in enumerate((VISIBLE, memories("ate on May 8", "8 harbors"))):
        one, other = (
            everywhere(tmp_path / f"{number}{at}", records, request_of(query))
            for at, query in enumerate((once, again))
        )
        assert list(map(told, one)) == list(map(told, other))


def test_who_asks_for_one_word_is_answered_however_many_have_it(tmp_path: Path) -> None:
    records = memories(*(f"Anna went to town {number}" for number in range(120)))
    for result in everywhere(tmp_path / "one", records, request_of("Anna", limit=8)):
        assert len(result.records) == 8
        assert result.trace.weighing
        floor = result.trace.weighing.floor
        assert {ranking.features.lexical for ranking in result.trace.rankings} == {floor}
    for result in everywhere(tmp_path / "more", records, request_of("Anna Karenina")):
        assert result.records == ()


def test_a_word_with_a_weak_character_is_found_and_a_mere_answer_is_not(tmp_path: Path) -> None:
    contents = (
        "我对花生过敏。没有别的了。",
        "在京都开会议，谢谢大家。",
        "更好的性能靠缓存。네이버",
        "Thanks go to Anna, who plays the cello: OK.",
    )
    nothing = dict.fromkeys(("没有", "好的", "好", "谢谢！", "네", "hello", "OK, thanks!"))
    for query, at in {"过敏": 0, "会议？": 1, "京都": 1, "性能": 2, **nothing}.items():
        for result in everywhere(tmp_path / query, memories(*contents), request_of(query)):
            told = [record.content for record in result.records]
            assert told == ([] if at is None else [contents[at]])


def test_asking_kindly_changes_nothing(tmp_path: Path) -> None:
    asked = {
        "请告诉我，我对什么过敏？": "我对花生过敏。",
        "你还记得我对什么过敏吗": "我对花生过敏。",
        "犬の名前を教えてください": "犬の名前はポチ",
        "알려줘, 고양이 이름": "고양이 이름은 나비",
        "do you remember when Emma was born?": "Emma was born in March.",
    }
    records = memories(*sorted(set(asked.values())))
    for number, (query, found) in enumerate(asked.items()):
        for result in everywhere(tmp_path / str(number), records, request_of(query)):
            assert [record.content for record in result.records] == [found]


def test_a_character_by_itself_is_found_wherever_it_stands(tmp_path: Path) -> None:
    records = memories("用户喜欢喝绿茶", "我的狗叫饼干", "お茶を飲む")
    for query, found in (("茶", {0, 2}), ("狗？", {1}), ("猫", set())):
        for result in everywhere(tmp_path / query, records, request_of(query)):
            told = {record.content for record in result.records}
            assert told == {records[at]["content"] for at in found}
