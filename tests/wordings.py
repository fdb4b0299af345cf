"""Generated memories and questions for `foundation-v2`: several scripts, words that nearly match.

Each vocabulary has words that are alike, stop words, and pairs whose characters other words have
apart, so that every rule of the mode decides somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.oracle import DEFAULT_POLICY
from tests.oracle.levels import FLOORS
from tests.oracle.weighed import WEIGHTS
from tests.strategies import EMPTY, HINTING, make_records, make_request, maybe

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from membound.tokens import Tokenizer
    from tests.conformance import Request
    from tests.oracle.tokens import Record

SPACED = [
    (
        *("harbour", "harbours", "harbourmaster", "walnut", "walnuts", "radio", "repaired"),
        *("repair", "deploy", "deployed", "deployment", "utf8", "utf-8", "node20", "readTimeout"),
        *("read_timeout", "src/lib.rs", "C++", "July", "8 May 2024", "2026-06-30", "logbook"),
    ),
    ("Datenbank", "Datenbanken", "läuft", "Sicherung", "gesichert", "Wände", "Hafen", "Häfen"),
    ("книга", "книги", "книгу", "гавань", "гавани", "радио", "починили", "пристань"),
    ("مكتبة", "المكتبة", "كتاب", "الكتاب", "ميناء", "الميناء"),
    ("İstanbul", "istanbulda", "limanı", "limanda", "tekneler", "tekne"),
    ("gà", "trống", "đậu", "bến", "cảng", "thuyền", "sách", "vườn"),
    ("데이터베이스를", "데이터베이스는", "항구에", "항구는", "라디오", "수리했다", "서울에서"),
]
UNSPACED = [
    (
        "数据库",
        "数据",
        "据说",
        "库存",
        "备份",
        "备用",
        "份额",
        "缓存",
        "港口",
        "周五",
        "晚上",
        "5月8日",
    ),
    (
        "データベース",
        "データ",
        "ﾃﾞｰﾀ",
        "紅茶",
        "好き",
        "港の",
        "ラジオ",
        "修理した",
        "２０２４年５月",
    ),
    ("ไทย", "ครับ", "ท่าเรือ", "วิทยุ"),
    ("𠀀𠀁", "𠀁𠀂", "𠀂𠀀"),
]
STOPS = [
    *("what is the of in", "der die das und", "что это и на", "ما هذا في", "bu ne ile", "là của ở"),
    *("什么的在了", "のは何ですか", "무엇 는요", "who was it? what is that?"),
]
GLUE = [" ", " ", ", ", " — ", "\u3000"]
ENDS = [". ", "? ", "! ", "\n", "。", "？", ".", "; ", ": ", "?! ", "…"]


def make_wording(chance: random.Random, least: int, most: int) -> str:
    """Write some words of one script; at times a stop word among them."""
    count = chance.randint(least, most)
    if chance.random() < 0.4:
        vocabulary = chance.choice(UNSPACED)
        return "".join(chance.choice([*vocabulary, "的", "の"]) for _ in range(count))
    vocabulary = chance.choice([*[SPACED[0]] * 4, *SPACED])
    words = [chance.choice([*vocabulary, "the", "и", "ve"]) for _ in range(count)]
    return chance.choice(GLUE).join(words)


def misspelled(chance: random.Random, text: str) -> str:
    """Drop, double or swap a character here and there."""
    found = list(text)
    for _ in range(1 + len(found) // 12):
        at = chance.randrange(max(1, len(found)))
        kind = chance.randrange(3)
        if kind == 0:
            del found[at : at + 1]
        elif kind == 1:
            found[at:at] = found[at : at + 1]
        else:
            found[at : at + 2] = reversed(found[at : at + 2])
    return "".join(found)


def apart(chance: random.Random, text: str) -> str:
    """Put other characters between those of a text, or them in another order."""
    found = list(text)
    if chance.random() < 0.5:
        chance.shuffle(found)
    return chance.choice(["", "的", "港"]).join(found[:12])


def begun(chance: random.Random, text: str) -> str:
    """Put the words that make a question before a text, or nothing."""
    return f"{chance.choice(['', '', *STOPS])} {text}"


def make_question(chance: random.Random, records: list[Record]) -> str:
    """Ask for what a record says, in its words or nearly, alone or among other sentences."""
    kind = chance.random()
    if kind < 0.04:
        return chance.choice(EMPTY)
    if kind < 0.1:
        return chance.choice([*STOPS, *HINTING])
    if kind < 0.14:
        return " ".join(f"term{number}" for number in range(chance.choice([254, 255, 256, 300])))
    if kind < 0.3:
        told = [make_question(chance, records) for _ in range(chance.randint(2, 3))]
        return "".join(one + chance.choice(ENDS) for one in told)
    said = str(chance.choice(records)["content"])[: chance.choice([6, 20, 60])] if records else ""
    asked = said if said and chance.random() < 0.7 else make_wording(chance, 1, 4)
    changed = chance.choice([misspelled, apart, begun, begun])
    return changed(chance, asked)


def make_memories(chance: random.Random, count: int) -> list[Record]:
    """Make records, most of them with words of these vocabularies."""
    return [
        {**one, **maybe(chance, 0.7, content=make_wording(chance, 1, chance.choice([4, 12, 60])))}
        for one in make_records(chance, count)
    ]


def make_ranking(chance: random.Random) -> dict[str, Any]:
    """Make weights and floors, at times none at all."""
    shares = [chance.choice([0, 1, 2]) for _ in list(WEIGHTS)[1:]]
    lexical = chance.choice([1, 4, 16])
    together = sum(shares) + lexical
    weights = dict(zip(WEIGHTS, (part / together for part in (lexical, *shares)), strict=True))
    return {
        "weights": weights,
        "floors": {script: chance.choice([0, 0.2, 0.4, 0.6, 1]) for script in FLOORS},
        "relativeFloor": chance.choice([0, 0.3, 0.65, 0.9, 1]),
        "followingFloor": chance.choice([0, 0.3, 0.75, 1]),
    }


def make_asking(chance: random.Random, records: list[Record]) -> Request:
    """Make a request under `foundation-v2`."""
    request = make_request(chance, records)
    asked = {"query": make_question(chance, records)} if chance.random() < 0.8 else {}
    if chance.random() < 0.3:
        policy = request.get("policy", DEFAULT_POLICY)
        request["policy"] = {**policy, "ranking": make_ranking(chance)}
    return {**request, **asked, "tokenizer": "v2", "relevance_mode": "foundation-v2"}


@dataclass(frozen=True)
class Kind:
    """What stores of a tokenizer are made of, and asked for."""

    tokenizer: Tokenizer
    records: Callable[[random.Random, int], list[Record]]
    request: Callable[[random.Random, list[Record]], Request]


KINDS = [Kind("v1", make_records, make_request), Kind("v2", make_memories, make_asking)]
