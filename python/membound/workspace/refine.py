"""What a turn comes to, taken by rules: what was asked and done, what is stated and listed."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from membound.workspace.cutting import cut
from membound.workspace.refined import Entities, Refined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from membound.workspace.sessions.turn import Turn

__all__ = ["category", "content_hash", "is_current", "refined"]

MOST_FACTS: Final = 8
MOST_NOTES: Final = 8
MOST_FILES: Final = 10
MOST_TOOLS: Final = 10
MOST_ERRORS: Final = 5
_USER_CHARACTERS: Final = 200
_LEAD_CHARACTERS: Final = 120
_ERROR_CHARACTERS: Final = 200
_NOTE_CHARACTERS: Final = range(10, 201)
_DIGITS: Final = 16

_COLONS: Final = ":\uff1a"
"""The one of ASCII, and the wide one."""

_LABELS: Final = {
    "focus": ("current focus", "当前任务", "当前聚焦", "focus"),
    "completed": ("completed", "done", "已完成", "完成"),
    "next": ("next steps", "next step", "next", "下一步", "后续"),
    "blockers": ("blockers", "blocker", "blocked", "阻塞", "阻塞项", "blocked by"),
    "status": ("status", "当前状态", "状态"),
    "summary": ("summary", "总结", "摘要"),
    "decisions": ("decisions", "decision", "决定", "决策"),
    "notes": ("notes", "note", "备注"),
}
_CATEGORIES: Final[Mapping[str, str]] = {
    label: name for name, labels in _LABELS.items() for label in labels
}
_HEADING: Final = re.compile(r"#{1,6}\s+(.*)", re.DOTALL)
_ITEM: Final = re.compile(r"(?:[-*]|[0-9]+[.)])\s+(.*)", re.DOTALL)

_WORDS: Final = (
    "implemented refactored confirmed completed decided changed updated removed fixed added done "
    "next[- ]steps? next blockers? blocked[- ]by blocked results? summary status objective plan "
    "goal actions? notes?"
).replace("[- ]", r"[-\s]")
_VERBS: Final = "已完成 完成 修复 添加 删除 更新 决定 确认 实现 重构"
_NOUNS: Final = "下一步 阻塞项 被阻塞 阻塞 原因 结果 状态 注意 计划 目标 行动 备注"
_OTHER_WORD: Final = "度率量情者"
"""With one of these, a Chinese verb is another word, such as 完成度."""


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_TRIGGER: Final = re.compile(
    rf"(?:{_any(_WORDS)}(?=[\s{_COLONS}])|{_any(_NOUNS)}(?=[\s{_COLONS}])|{_any(_VERBS)}了?(?![{_OTHER_WORD}]))"
    rf"\s*[{_COLONS}]?\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A word that says that what follows is a fact, as a whole word at the start of a line."""
_TOLD: Final = re.compile(r"[^\W_]")
_ENDS: Final = tuple(f".。!\uff01?\uff1f{_COLONS}")
_ERROR: Final = re.compile(r"\s*error\b", re.IGNORECASE)


def refined(turn: Turn) -> Refined:
    """Gives what a turn comes to."""
    facts, notes, categories = _stated(turn.agent)
    tools = _distinct((action.name for action in turn.actions), MOST_TOOLS)
    return Refined(
        session_id=turn.session_id,
        turn_id=turn.turn_id,
        timestamp=turn.timestamp,
        summary=_summary(turn),
        facts=tuple(facts[:MOST_FACTS]),
        notes=tuple(notes[:MOST_NOTES]),
        entities=Entities(
            files=_distinct((file for one in turn.actions for file in one.files), MOST_FILES),
            tools=tools,
            errors=tuple(_errors(turn))[:MOST_ERRORS],
        ),
        categories={name: tuple(found) for name, found in categories.items()},
        content_hash=content_hash(turn),
    )


def content_hash(turn: Turn) -> str:
    """Hashes all that a turn is refined from."""
    return sha256(msgspec.json.encode(turn)).hexdigest()[:_DIGITS]


def is_current(row: Refined | None, turn: Turn) -> bool:
    """Tells whether a row was taken from the turn as it is now."""
    return row is not None and row.content_hash == content_hash(turn)


def category(heading: str) -> str | None:
    """Gives the category that a heading's text names; None where it says anything else too."""
    return _CATEGORIES.get(heading.strip(f" \t*_#{_COLONS}").lower())


def _summary(turn: Turn) -> str:
    user = turn.user.strip()
    names = dict.fromkeys(action.name for action in turn.actions if action.name)
    parts = [cut(turn.user, _USER_CHARACTERS).strip(), ", ".join(names)]
    lead = next((line.strip() for line in turn.agent.split("\n") if line.strip()), "")
    if len(lead) <= _LEAD_CHARACTERS and not lead.startswith("#") and lead != user:
        parts.append(lead)
    return " · ".join(part for part in parts if part)


def _stated(text: str) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Gives the facts and notes of a text, and the facts that stand under a known heading."""
    facts: list[str] = []
    notes: list[str] = []
    categories: dict[str, list[str]] = {}
    under: str | None = None
    for line in map(str.strip, text.split("\n")):
        if line == "":
            under = None
        elif heading := _HEADING.match(line):
            under = category(heading[1])
        elif fact := _fact(line):
            facts.append(fact)
            if under is not None:
                categories.setdefault(under, []).append(fact)
        elif len(line) in _NOTE_CHARACTERS and line.endswith(_ENDS):
            notes.append(line)
    return facts, notes, categories


def _fact(line: str) -> str | None:
    """Gives what a line lists or states; None where it does neither."""
    found = _ITEM.match(line) or _TRIGGER.match(line)
    return found[1] if found and _TOLD.search(found[1]) else None


def _errors(turn: Turn) -> Iterator[str]:
    """Gives the first lines of what failed calls gave back."""
    for action in turn.actions:
        if _ERROR.match(action.result):
            yield cut(action.result.strip().split("\n", 1)[0].rstrip(), _ERROR_CHARACTERS)


def _distinct(values: Iterable[str], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))[:most]
