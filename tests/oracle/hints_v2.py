"""Hints of `foundation-v2`: cues where they ask for a kind, and whether nothing else is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import regex

from tests.oracle.asked import asked
from tests.oracle.tokens import folded
from tests.oracle.words import STOP, weak_characters

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFERENCE = ("preference",)
DECISION = ("decision",)
IDENTITY = ("fact", "relationship")


class Cue(NamedTuple):
    """What asks for a kind, unless something stands beside it; each is a list of alternatives."""

    kind: tuple[str, ...]
    cues: str
    after: str = ""
    between: int = 64
    never_after: str = ""
    never_behind: str = ""
    never_before: str = ""


WORDS = (
    Cue(
        PREFERENCE,
        cues=(
            "prefer|prefers|preferred|preference|preferences|favorite|favorites|favourite|"
            "favourites"
        ),
    ),
    Cue(
        PREFERENCE,
        cues="i like|we like|they like|people like",
        never_after="would|wouldn't|should|could|if|as|i'd|you'd",
    ),
    Cue(
        PREFERENCE,
        cues="like",
        after="do|does|did|don't|doesn't|didn't|dont|doesnt|didnt",
        between=2,
        never_after="would|wouldn't|should|could|if|as|i'd|you'd",
        never_behind=(
            "look|looks|looked|feel|feels|felt|sound|sounds|seem|seems|smell|smells|taste|"
            "tastes|act|acts|work|works|behave|behaves|happen|mean|run|more|much|just|"
            "exactly|kind|sort|rather|thing|things|stuff|something|anything|nothing|it|is|"
            "are|was|were|be"
        ),
        never_before="this|that|these|those",
    ),
    Cue(
        PREFERENCE,
        cues="likes|liked|dislike|dislikes|disliked",
        never_after="would|wouldn't|should|could|if|as|i'd|you'd",
        never_behind="of|many|more|the|get|gets|got",
    ),
    Cue(
        DECISION,
        cues="decide|choose",
        after="did|didn't|didnt",
        never_behind="to|me|help",
    ),
    Cue(
        DECISION,
        cues="decided|chose|chosen|decision|decisions|choice|choices",
        never_after="help",
        never_behind="multiple|random|single|no|by|of|free",
        never_before=(
            "tree|trees|boundary|boundaries|theory|support|making|maker|makers|table|tables|"
            "fatigue|forest|problem|problems|question|questions"
        ),
    ),
    Cue(
        IDENTITY,
        cues="who am i|am i called",
        never_before="to|talking|speaking|meeting|seeing|calling|writing|working|supposed|dealing",
    ),
    Cue(
        IDENTITY,
        cues="my name|my full name|my first name|my last name",
        never_before="server|servers|space|spaces|tag|tags",
    ),
    Cue(
        IDENTITY,
        cues="identity",
        never_behind="brand|corporate|visual|managed|workload|federated",
        never_before=(
            "function|functions|provider|providers|matrix|matrices|crisis|theft|fraud|"
            "element|operator|map|mapping|column|columns|management|server|token|tokens|"
            "politics|theorem|law|service|property|transform|verification|check|checks|card"
        ),
    ),
    Cue(
        IDENTITY,
        cues=(
            "my profile|our profile|user profile|his profile|her profile|their profile|"
            "*'s profile|profile of"
        ),
        never_behind="performance|memory|cpu|heap|load|speed|risk",
    ),
)

STRETCHES = (
    Cue(
        PREFERENCE,
        cues="喜欢|喜歡|喜好|偏好|习惯|習慣|好き|好み|お気に入り|좋아하|좋아해|좋아했|선호|취향|습관",
        never_behind="物|もの",
        never_before="性|用语|用語|法|勝手|放題",
    ),
    Cue(
        DECISION,
        cues="决定|決定|决策|決策|결정",
        never_before=(
            "性|论|論|系数|係數|係数|树|樹|木|者|层|層|版|支持|的な|的に|"
            "트리| 트리|나무|적|론|체|계수| 계수|경계| 경계"
        ),
    ),
    Cue(
        DECISION,
        cues="选择|選擇|選択|선택",
        never_behind="自然|单项|多项|자연|자연 ",
        never_before="题|題|器|排序|性|框|肢|的な|的に|语句|자|지|적|정렬| 정렬",
    ),
    Cue(
        DECISION,
        cues="決めた|決めまし|選んだ|選びまし| 정했| 택했|골랐",
    ),
    Cue(
        IDENTITY,
        cues=(
            "我是谁|我是誰|我叫什么 |我叫什麼 |我叫什么名|我叫什麼名|我的名字|我的姓名|"
            "私は誰|私の名前|僕の名前|俺の名前|自分の名前|私のプロフィール| 내 이름| 제 이름|"
            " 나는 누구| 난 누구| 내가 누구| 저는 누구| 제가 누구| 내 프로필| 제 프로필"
        ),
    ),
    Cue(
        IDENTITY,
        cues="身份|身分",
        never_before="证|證|証|验|驗|认|認|识|識|标|標|号|盗|管理|提供",
    ),
)

FILLERS = (
    "thing|things|kind|kinds|sort|sorts|tell|show|list|recall|know|remember|내|나|"
    "나는|내가|난|제|제가|저|저는|우리|우리가|우리는|것|것은|것이|것을|게|건|뭐|뭐야|"
    "뭐지|뭘"
)
INNER_FILLERS = "私たち|私|僕|俺|自分|东西|東西"

WORD = regex.compile(r"(?:[_'-]|(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{Alphabetic}\p{N}])+")
SIGN = regex.compile(r"[^\p{Alphabetic}\p{N}\x00-\x7f]")
CLAUSE = re.compile(r"(?<=[.?!;:,])(?=\s)")
LONGEST_CLAUSE = 64

Place = tuple[int, int]


def clauses(text: str) -> Iterator[list[tuple[str, Place]]]:
    """Yield the words of each clause with their places; of many words there are several clauses."""
    start = 0
    for clause in CLAUSE.split(text):
        words = []
        for found in WORD.finditer(clause):
            bare = found.group().strip("'-")
            at = start + found.start() + found.group().find(bare)
            words += [(bare, (at, at + len(bare)))] if bare else []
        yield from (words[at : at + LONGEST_CLAUSE] for at in range(0, len(words), LONGEST_CLAUSE))
        start += len(clause)


def is_one_of(word: str, alternatives: str) -> bool:
    return word in alternatives.split("|")


def asks(cue: Cue, before: list[str], rest: list[str]) -> bool:
    """Tell whether a cue asks for its kind between such words."""
    near = before[max(0, len(before) - cue.between - 1) :]
    return not (
        (cue.after and not any(is_one_of(word, cue.after) for word in near))
        or any(is_one_of(word, cue.never_after) for word in before)
        or (before and is_one_of(before[-1], cue.never_behind))
        or (rest and is_one_of(rest[0], cue.never_before))
    )


def in_words(text: str) -> Iterator[tuple[Cue, Place]]:
    for clause in clauses(text):
        words = [word for word, _ in clause]
        for cue in WORDS:
            for phrase in cue.cues.split("|"):
                parts = phrase.split(" ")
                for at in range(len(words) - len(parts) + 1):
                    end = at + len(parts)
                    pairs = zip(words[at:end], parts, strict=True)
                    same = all(
                        word.endswith(part[1:]) if part.startswith("*") else word == part
                        for word, part in pairs
                    )
                    if same and asks(cue, words[:at], words[end:]):
                        yield cue, (clause[at][1][0], clause[end - 1][1][1])


def in_stretches(text: str) -> Iterator[tuple[Cue, Place]]:
    for cue in STRETCHES:
        behind = rf"(?<!{cue.never_behind})" if cue.never_behind else ""
        before = rf"(?!{cue.never_before})" if cue.never_before else ""
        for one in cue.cues.split("|"):
            pattern = rf"{behind}{one}{before}\p{{Hangul}}*"
            yield from ((cue, found.span()) for found in regex.finditer(pattern, text))


def says_little(text: str) -> bool:
    """Tell whether a text has no unit but stop words and pairs of weak characters."""
    return all(
        (unit[0] == "w" and unit[1:] in STOP) or (unit[0] == "c" and weak_characters(unit) == 2)
        for unit in asked(text).units
    )


def wish(query: str) -> tuple[list[str], bool]:
    """Return the types that a query asks for, and whether it asks for nothing else."""
    text = f" {folded(query)} ".replace("\u2019", "'")
    text = SIGN.sub(lambda sign: " " * len(sign.group().encode()), text)
    plain = regex.sub(r"[^\p{Alphabetic}\p{N}]", " ", text)
    found = [*in_words(text), *in_stretches(plain)]
    if not found:
        return [], False
    gone = [place for _, place in found]
    gone += [at for clause in clauses(text) for word, at in clause if is_one_of(word, FILLERS)]
    gone += [one.span() for one in regex.finditer(INNER_FILLERS, plain)]
    rest = list(text)
    for start, end in gone:
        rest[start:end] = " " * (end - start)
    return [kind for cue, _ in found for kind in cue.kind], says_little("".join(rest))
