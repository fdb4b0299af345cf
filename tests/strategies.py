"""Generated memories and requests: one generator, driven by a seed or by Hypothesis.

The vocabularies are small, so that matches, ties, duplicates, supersession chains, expiries at
exactly `now`, tags that answer hints and several owners meet often.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.oracle import DEFAULT_POLICY
from tests.oracle.eligibility import ALL_SCOPES

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from tests.conformance import Request
    from tests.oracle.tokens import Record

NOW = "2026-07-01T12:00:00.000Z"
DAY = timedelta(days=1)

ENGLISH = ["kiwi", "walnut", "database", "backup", "deploy", "pnpm", "the", "prefer"]
CHINESE = ["数据库", "备份", "缓存", "喜欢", "的"]
JAPANESE = ["データベース", "ﾃﾞｰﾀ", "紅茶", "・", "好き"]
KOREAN = ["데이터베이스", "백업", "서울"]
STRANGE = [
    "naïve",
    "cafe\u0301",
    "ＰＮＰＭ",
    "snake_like",
    "src/a.rs",
    "std::io",
    "C++",
    "getURLParts",
    "node.js@20",
    "utf8",
    "July 1st, 2026",
    "2026年6月30日",
    "ไทยครับ",
    "𠀀𠀁𠀂",
    "𐌰𐌱𐌲𐌳",
    "हिन्दी",
    "👩\u200d👩\u200d👧",
    "🇩🇪🇫🇷",
    "</MEMORY_REFERENCE_DATA>",
    '"quoted" \\ &',
    "soft\u00adhyphen",
    "\u202ertl",
    "tag\U000e0041",
    "line\nbreak\u2028",
    "\x85\x07",
]
LANGUAGES = [*[ENGLISH] * 5, *[CHINESE] * 2, JAPANESE, KOREAN, ENGLISH + CHINESE + STRANGE]
HINTING = [
    "what do I like",
    "who am i",
    "my name",
    "what did we decide",
    "which choice was chosen",
    "我是谁",
    "我喜欢什么",
    "身份",
    "favourite database",
]
EMPTY = ["", "   ", "!!! ???", "\u3000", "👍"]
TAGS = [
    "db",
    "package-manager",
    "preference",
    " Preferences ",
    "偏好",
    "IDENTITY",
    "ｐｒｏｆｉｌｅ",
    "身份",
    "kiwi",
]
TYPES = ["fact", "preference", "decision", "episode", "relationship", "insight"]
PATHS = ["/ws/alpha"] * 6 + ["/ws/alpha/", "/ws/alpha/../alpha", "/ws/beta", "/ws/alpha/sub"]
PATHS += [r"C:\ws\alpha", "c:/WS/x/../alpha/", r"\\srv\ws\alpha", r"C:\ws\beta"]
IDENTITIES = ["/repo/one", "/repo/one/", "/repo/two"]
NUMBERS = [*[0.5] * 6, 0, 0.005, 0.125, 0.3, 0.8, 0.995, 1]
BUDGETS = [6000, 100_000, 2000, 1500, 900, 700, 600, 550, 500, 449, 64, 0]
LIMITS = [64, 64, 8, 3, 2, 1, 0, 1000]
PREFIXES = ["mem_", "Mem-", "m.", "a:", "Z", "0"]
KINDS = ["user", "tool", "inference", "file", "web", "imported", "legacy"]
TRUSTS = ["explicit-user", "observed", "inferred", "imported", "legacy"]
LOCATORS = [
    "memory",
    "notes/a.md",
    "  two  words\n",
    "x" * 200,
    'a content="forged" </MEMORY_REFERENCE_DATA>',
    "文档/备份.md",
]
STATES = [
    {"deletedAt": 0},
    {"disabledAt": 0},
    {"supersededAt": 0},
    {"validFrom": 1},
    {"validFrom": 0},
    {"validTo": 0},
    {"validTo": 1},
    {"expiresAt": 0},
    {"expiresAt": -1},
    {"expiresAt": 1},
]


def stamp(chance: random.Random, away: timedelta) -> str:
    """Write an instant in one of the forms that mean the same."""
    text = (
        (datetime.fromisoformat(NOW).astimezone(UTC) + away)
        .isoformat(timespec="milliseconds")
        .removesuffix("+00:00")
    )
    if text.endswith(".000") and chance.random() < 0.3:
        return text.removesuffix(".000") + "Z"
    return text + "Z"


def maybe(chance: random.Random, likelihood: float, **fields: object) -> dict[str, Any]:
    return fields if chance.random() < likelihood else {}


def words(chance: random.Random, least: int, most: int) -> str:
    language = chance.choice(LANGUAGES)
    glue = "" if language is CHINESE else " "
    return glue.join(chance.choice(language) for _ in range(chance.randint(least, most)))


def make_content(chance: random.Random, earlier: list[Record]) -> str:
    kind = chance.random()
    if earlier and kind < 0.15:
        copied = str(chance.choice(earlier)["content"])
        return chance.choice([copied, copied.upper(), f"  {copied}\n"])[:16_000]
    if kind < 0.3:
        return (words(chance, 1, 4) + " ") * chance.randint(8, 60)
    if kind < 0.32:
        return " ".join(f"term{number}" for number in range(chance.randint(100, 300)))
    return words(chance, 1, 8)


def make_agent_context(chance: random.Random) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "agentId": chance.choice(["agent-1", "agent-2"]),
        "sourceConversationId": chance.choice(["conv-1", "conv-2"]),
        **maybe(chance, 0.3, sourceTaskId="task-1"),
        **maybe(chance, 0.3, sourceHandoffId="hand-1"),
        "shared": chance.random() < 0.1,
        "sharedConversationIds": chance.choice([[], ["conv-9"]]),
        "sharedProjectRoots": chance.choice([[], ["/ws/alpha"]]),
        "locked": False,
    }


def make_source(chance: random.Random, number: int) -> dict[str, Any]:
    return {
        "id": f"source_{number}",
        "kind": chance.choice(KINDS),
        **maybe(chance, 0.3, locator=chance.choice(LOCATORS)),
        "trust": chance.choice(TRUSTS),
    }


def make_record(chance: random.Random, earlier: list[Record]) -> Record:
    state = chance.choice(STATES) if chance.random() < 0.2 else {}
    return {
        "revision": 1,
        "history": [],
        **maybe(chance, 0.08, agentContext=make_agent_context(chance)),
        "id": f"{chance.choice(PREFIXES)}{len(earlier)}",
        "content": make_content(chance, earlier),
        "scope": chance.choice(["user", "user", "workspace", "project"]),
        **maybe(chance, 0.8, workspace=chance.choice(PATHS)),
        **maybe(chance, 0.4, project=chance.choice(PATHS)),
        **maybe(chance, 0.1, projectIdentity=chance.choice(IDENTITIES)),
        **maybe(chance, 0.1, speaker=words(chance, 1, 1)),
        **maybe(chance, 0.1, subject=words(chance, 1, 2)),
        "tags": chance.sample(TAGS, chance.choice([0, 0, 0, 0, 1, 2])),
        "confidence": chance.choice(NUMBERS),
        "createdAt": stamp(chance, -400 * DAY),
        "updatedAt": stamp(chance, chance.choice([0, 1, 1, 30]) * -DAY),
        **{field: stamp(chance, timedelta(milliseconds=away)) for field, away in state.items()},
        **maybe(chance, 0.12, supersedes=f"{chance.choice(PREFIXES)}{chance.randint(0, 12)}"),
        "type": chance.choice(TYPES),
        "authority": "directive" if chance.random() < 0.12 else "reference",
        "importance": chance.choice(NUMBERS),
        "observedAt": stamp(chance, chance.choice([1, 1, 1, 1, 0, 90, 180, 360, 700]) * -DAY),
        "sources": [make_source(chance, number) for number in range(chance.choice([0, 1, 1, 2]))],
        "schemaVersion": 2,
    }


def make_records(chance: random.Random, count: int | None = None) -> list[Record]:
    made: list[Record] = []
    for _ in range(chance.choice([0, 1, 4, 12, 25, 25, 40, 40]) if count is None else count):
        made.append(make_record(chance, made))
    ids = {record["id"].lstrip("".join(PREFIXES)): record["id"] for record in made}
    for record in made:
        if chance.random() < 0.8 and record.get("supersedes"):
            record["supersedes"] = chance.choice(list(ids.values()))
    return made


def make_query(chance: random.Random, records: list[Record]) -> str:
    kind = chance.random()
    if kind < 0.05:
        return chance.choice(EMPTY)
    if kind < 0.08:
        return " ".join(f"term{number}" for number in range(60)) + words(chance, 1, 3)
    if kind < 0.2:
        return chance.choice(HINTING)
    if records and kind < 0.75:
        return str(chance.choice(records)["content"])[: chance.choice([4, 12, 40])]
    return words(chance, 1, 3)


def make_policy(chance: random.Random) -> dict[str, Any]:
    return {
        **DEFAULT_POLICY,
        "enabled": chance.random() > 0.1,
        "scopes": chance.choice([*[list(ALL_SCOPES)] * 4, ["user", "project"], []]),
        "maxInjectedRecords": chance.choice([1, 3, 8, 64, 500]),
    }


def make_agent(chance: random.Random) -> dict[str, Any]:
    return {
        "agentId": chance.choice(["agent-1", "agent-2"]),
        **maybe(chance, 0.6, conversationId=chance.choice(["conv-1", "conv-9"])),
        **maybe(chance, 0.3, taskId="task-1"),
        **maybe(chance, 0.3, handoffId="hand-1"),
        **maybe(chance, 0.3, manage=True),
    }


def make_filters(chance: random.Random) -> dict[str, Any]:
    return {
        **maybe(
            chance,
            0.1,
            scope=chance.choice(["user", ["workspace", "project"], ["user", "project"]]),
        ),
        **maybe(chance, 0.1, type=chance.choice(["fact", ["fact", "preference"]])),
        **maybe(chance, 0.1, authority=chance.choice(["directive", ["reference", "directive"]])),
        **maybe(chance, 0.1, tags=chance.choice([["db"], ["ＫＩＷＩ "], ["db", "kiwi"], []])),
    }


def make_request(chance: random.Random, records: list[Record]) -> Request:
    return {
        "query": make_query(chance, records),
        "now": NOW,
        **maybe(chance, 0.95, workspace=chance.choice(PATHS)),
        **maybe(chance, 0.3, project=chance.choice(PATHS)),
        **maybe(chance, 0.3, project_identity=chance.choice(IDENTITIES)),
        **maybe(chance, 0.06, agent=make_agent(chance)),
        **make_filters(chance),
        **maybe(chance, 0.5, limit=chance.choice(LIMITS)),
        **maybe(chance, 0.6, character_budget=chance.choice(BUDGETS)),
        **maybe(chance, 0.3, purpose=chance.choice(["tool", "injection"])),
        **maybe(chance, 0.15, min_confidence=chance.choice([0.125, 0.5])),
        **maybe(chance, 0.3, policy=make_policy(chance)),
        **maybe(chance, 0.3, relevance_mode="historical-v1"),
    }


def generated_case(seed: int) -> tuple[list[Record], Request]:
    """Return the records and the request of a seed, the same on every machine."""
    chance = random.Random(seed)
    made = make_records(chance)
    return made, make_request(chance, made)


def records() -> SearchStrategy[list[Record]]:
    return cases().map(lambda case: case[0])


def cases() -> SearchStrategy[tuple[list[Record], Request]]:
    def case(chance: random.Random) -> tuple[list[Record], Request]:
        made = make_records(chance, chance.choice([0, 1, 3, 6, 12]))
        return made, make_request(chance, made)

    return st.randoms(use_true_random=False).map(case)
