"""Where our answers to a record's calls differ on purpose: which fault of the peer, what is right.

Faults go by the names of docs and tests: W09 is search without terms, T1 the time of tagging as
the time of what was tagged, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DIFFERENCES", "Difference"]

A, B = (f"session_3d1f0a52-0000-4000-8000-00000000000{letter}" for letter in "ab")


class Difference(NamedTuple):
    """One difference.

    Attributes:
        store: the record.
        calls: the numbers of the calls where it shows.
        field: of the result; all below it is part of the difference, and `*` is any place.
        why: the fault, or what we do instead.
        ours: what the field has to have with us, at least; of an error, the whole reply. Where it
            is a function, what has to hold of the field.
    """

    store: str
    calls: tuple[int, ...]
    field: str
    why: str
    ours: object


def keys(names: str) -> list[dict[str, str]]:
    return [{"key": name} for name in names.split()]


def turns(*places: tuple[str, int]) -> list[dict[str, object]]:
    return [{"sessionId": session, "turnId": number} for session, number in places]


def refused(field: str) -> dict[str, str]:
    return {"kind": "InvalidNameError" if field in NAMES else "InvalidInputError", "field": field}


NAMES = ("folder", "toFolder")
NO_NOTE = {"kind": "NoteNotFoundError"}
NO_SESSION = {"kind": "SessionNotFoundError"}


def is_a_share(score: object) -> bool:
    return isinstance(score, float) and 0 < score <= 1


def says(*parts: str) -> Callable[[object], bool]:
    return lambda text: isinstance(text, str) and all(part in text for part in parts)


TYPED = "errors name the field or what is not there, what was expected and what came"
OWN_WORDS = "the rules of an essence are told in our own words"
RECURSIVE = "W09: a folder is what lies in it and below"
BY_TERMS = "W09: by terms, tags and all lines of the body, ranked"
SCORES = "a score is from 0 to 1, not a number of occurrences"
RANKED = "a turn that says a word more often is not by that closer to a question"
OWN_TIME = "T1: what is referred to is placed at its own time"
STEPS = "text that names its step alone is text of the step's turn"
FILES = "refined files come from the arguments of the calls"
SORTED = "H1: one order, that of the paths, whatever was written when"
UNICODE = "W03: folders may have names in any script"
ONE_KEY = "W02: a key is the name of its file, and one that Windows cannot have is refused"

DRAWN = """memory/ — 完整记忆索引（按领域分组）
├── archive/
│   └── frost-api — Frost Api [reference] [new]
├── decisions/ — Why we chose things
│   ├── retry-with-jitter — Retry With Jitter [decision, queue] [new]
│   └── use-sqlite-queue — Use Sqlite Queue [decision, storage, queue] [new]
├── knowledge/ — 项目知识
│   └── season/
│       └── harvest-calendar — Harvest Window [knowledge] [new]
├── reference/ — Outside links
├── rules/ — 协作规则与编码红线
│   └── no-spray-in-bloom — No Spray In Bloom [rule, safety]
└── team-glossary — Team Glossary [knowledge, glossary] [new]"""
DRAWN_TEA = """memory/ — 完整记忆索引（按领域分组）
├── decisions/ — 关键决策
│   └── 缓存层-选型 — 缓存层 选型 [decision, 缓存] [new]
├── knowledge/ — 项目知识
│   └── 支付流程 — 支付流程 [knowledge, 支付] [new]
├── rules/ — 协作规则与编码红线
│   └── 收银台红线 — 收银台红线 [rule, 隐私] [new]
├── 决策/
│   └── x — X [new]
└── 茶叶批次 — 茶叶批次 [knowledge] [new]"""
ROOT_ALONE = "memory/ — 完整记忆索引（按领域分组）"


def orchard(calls: tuple[int, ...], field: str, why: str, ours: object) -> Difference:
    return Difference("orchard-bot", calls, field, why, ours)


def tea(calls: tuple[int, ...], field: str, why: str, ours: object) -> Difference:
    return Difference("tea-house", calls, field, why, ours)


def past(calls: tuple[int, ...], field: str, why: str, ours: object) -> Difference:
    return Difference("sessions", calls, field, why, ours)


DIFFERENCES = (
    # Errors
    orchard((24, 41, 55, 82), "error", TYPED, refused("folder")),
    orchard(
        (77, 78, 79, 80),
        "error",
        TYPED,
        {**refused("folder"), "expected": "a folder under memory/ or notes/"},
    ),
    orchard((52,), "error", TYPED, refused("toFolder")),
    orchard((51,), "error", TYPED, {"kind": "InvalidInputError", "field": "toFolder"}),
    orchard((74, 75, 76, 81, 86, 87), "error", TYPED, refused("key")),
    orchard((83, 84, 85), "error", TYPED, refused("query")),
    orchard((61, 95), "error", TYPED, refused("theme")),
    orchard((60,), "error", TYPED, refused("reference")),
    orchard((88, 89), "error", TYPED, refused("before_turn_id")),
    orchard((49,), "error", TYPED, {"kind": "NoteExistsError"}),
    orchard((50, 59), "error", TYPED, NO_NOTE),
    orchard((54,), "error", TYPED, {"success": False, "key": "useSQLiteCache_v2"}),
    orchard((62, 96, 97), "error", TYPED, NO_SESSION),
    past((28,), "error", TYPED, NO_SESSION),
    past((32,), "error", TYPED, {"kind": "TurnNotFoundError"}),
    # What is ill-typed is refused, not dropped
    orchard((68,), "isError", "W14: nothing is dropped in silence", True),
    *(
        orchard((68,), field, "W14: nothing is dropped in silence", ours)
        for field, ours in {
            "success": False,
            "stage": None,
            "filePath": None,
            "contentSize": None,
            "recommendedMax": None,
            "sizeHint": None,
            "sources": None,
        }.items()
    ),
    orchard((69,), "essence", "W14: the call before was refused", {"found": False}),
    orchard((93, 94), "isError", "W14: nothing is dropped in silence", True),
    past((9,), "isError", "W14: nothing is dropped in silence", True),
    past((9,), "rounds", "W14: nothing is dropped in silence", []),
    past((9,), "notFound", "W14: nothing is dropped in silence", []),
    # Trees, and what is in them
    orchard((1,), "memoryIndexTree", "W18: a folder that is there has its comment", ROOT_ALONE),
    past((4,), "memoryIndexTree", "W18: a folder that is there has its comment", ROOT_ALONE),
    orchard((69, 101), "memoryIndexTree", "folders at the top are connected too", DRAWN),
    tea((30,), "memoryIndexTree", "W02, W03, and folders at the top", DRAWN_TEA),
    orchard(
        (100,), "foldersNeedingComment", SORTED, ["memory/archive/", "memory/knowledge/season/"]
    ),
    tea((29,), "foldersNeedingComment", UNICODE, ["memory/决策/"]),
    tea((29,), "structureHash", "W02, W03", says("444bb76af4eafe05704146b162404297")),
    tea((29,), "report", "W02, W03", {"scannedFiles": 7, "removedEntries": 0}),
    # Essence
    orchard((2, 67), "rules", OWN_WORDS, says("essence/essence.md", "notes/", "memory/", "15 KB")),
    orchard((2, 67), "message", OWN_WORDS, says("organize_memories", "content")),
    orchard(
        (67,),
        "pendingMemories",
        SORTED,
        keys(
            "frost-api retry-with-jitter use-sqlite-queue"
            " harvest-calendar no-spray-in-bloom team-glossary"
        ),
    ),
    # Lists
    orchard(
        (27,),
        "items",
        RECURSIVE,
        keys(
            "use-sqlite-queue useSQLiteCache_v2 retry-with-jitter team-glossary"
            " frost-api no-spray-in-bloom harvest-window"
        ),
    ),
    tea((19,), "items", UNICODE, keys("x 水电费 茶叶批次 支付流程 收银台红线 缓存层-选型")),
    tea((25,), "items", ONE_KEY, keys("支付流程")),
    # Searches
    orchard((28, 29), "items", BY_TERMS, keys("useSQLiteCache_v2 use-sqlite-queue")),
    orchard((30,), "items", BY_TERMS, keys("harvest-window retry-with-jitter use-sqlite-queue")),
    orchard((39,), "items", RECURSIVE, keys("harvest-window retry-with-jitter use-sqlite-queue")),
    orchard((40,), "items", BY_TERMS, keys("retry-with-jitter use-sqlite-queue")),
    orchard((32,), "items", BY_TERMS, keys("retry-with-jitter use-sqlite-queue")),
    orchard(
        (33,),
        "items",
        BY_TERMS,
        keys("use-sqlite-queue useSQLiteCache_v2 harvest-window retry-with-jitter"),
    ),
    orchard(
        (31,),
        "items.*.matches",
        BY_TERMS,
        [
            "title: Retry With Jitter",
            "# Retry with jitter",
            "Failed jobs wait 2^n seconds plus up to 30% jitter, at most 6 tries.",
        ],
    ),
    tea(
        (6, 7),
        "items.*.matches",
        BY_TERMS,
        ["title: 缓存层 选型", "# 缓存层选型", "决定：缓存使用本地文件，不引入 Redis。"],
    ),
    tea((9,), "items", "complaint 19: terms of Chinese", keys("缓存层-选型")),
    tea((13,), "items", "full and half width are one", keys("茶叶批次")),
    tea(
        (15,),
        "items.*.matches",
        BY_TERMS,
        ["title: 支付流程", "支付流程：扫码 → 下单 → 出票。超时 30 秒自动取消。"],
    ),
    tea((16,), "items", BY_TERMS, keys("收银台红线 缓存层-选型")),
    tea((17,), "items", "traditional and simplified signs share terms", keys("x 缓存层-选型")),
    tea((18,), "items", "a comma is no term", []),
    # Searches of turns
    past((11,), "matches", RANKED, turns((B, 3), (A, 2), (A, 1))),
    past((13,), "matches", RANKED, turns((B, 3), (A, 1), (A, 2))),
    past((12, 16, 18, 22), "matches.*.score", SCORES, is_a_share),
    past((17,), "matches", "shown is where the word stands", turns((A, 2), (A, 1))),
    past((15,), "totalMatches", "what answers less than half of a question is left out", 0),
    past((15,), "matches", "what answers less than half of a question is left out", []),
    # Turns
    past((0,), "recentContext.detailedRounds.*.agent", STEPS, "Nothing to do tonight."),
    past(
        (1,),
        "recentContext.summaryRounds.*.summary",
        STEPS,
        "User:  | Agent: Nothing to do tonight.",
    ),
    past((5, 6, 8), "rounds.*.summary", STEPS, "User:  | Agent: Nothing to do tonight."),
    past((4,), "recentContext", "a session that goes on has its turns already", None),
    past(
        (23,),
        "sample",
        FILES,
        [
            {"turnId": 0, "entities": {"files": ["src/queue.rs"]}},
            {"turnId": 1, "entities": {"files": ["src/retry.rs", "/srv/orchard"]}},
        ],
    ),
    past((24,), "sample.*.entities.files", FILES, ["config/frost.toml"]),
    # Themes
    orchard(
        (64, 65),
        "memories",
        OWN_TIME,
        [
            {"key": "retry-with-jitter", "timestamp": "2026-03-01T09:07:00.000Z"},
            {"key": "use-sqlite-queue", "timestamp": "2026-03-01T09:09:00.000Z"},
            {"key": "frost-api", "timestamp": "2026-03-01T09:14:00.000Z"},
        ],
    ),
    tea((22,), "memories.*.timestamp", OWN_TIME, "2026-03-02T01:02:00.000Z"),
    past((33, 34), "turns", OWN_TIME, turns((A, 1), (B, 0))),
    # A folder in Chinese, and a key that is none
    tea((5,), "isError", UNICODE, False),
    tea((5,), "success", UNICODE, True),
    tea((5,), "error", UNICODE, {"folder": "memory/决策", "key": "x"}),
    tea((24,), "isError", ONE_KEY, True),
    tea((24,), "success", ONE_KEY, False),
    tea((24,), "newKey", ONE_KEY, "批次 编号:规则"),
    tea((24,), "fromFolder", ONE_KEY, None),
    tea((27,), "found", ONE_KEY, False),
    *(tea((27,), field, ONE_KEY, None) for field in ("content", "tags", "createdAt", "updatedAt")),
)
