"""Search tokens, version 2, written the slow way."""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache
from itertools import pairwise

import regex

from tests.oracle.tokens import Record, windows

RECORD_TOKENS = 4096

NOTHING = regex.compile(
    r"[\p{Cf}\u034f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670"
    r"\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
CJK = r"[\u3006\u3031-\u3035\u30fc[\p{L}\p{N}&&[\p{Han}\p{Hira}\p{Kana}\p{Bopo}\p{Hang}]]]"
UNSPACED = r"[\p{L}&&[\p{Thai}\p{Lao}\p{Khmr}\p{Mymr}\p{Tale}\p{Talu}\p{Lana}\p{Tavt}]]"
WORD = rf"[[\p{{L}}\p{{N}}]--{CJK}--{UNSPACED}]"
PART = rf"{WORD}[{WORD}\p{{M}}]*"
JOINT = rf"(?:::|[_./:@#+~\\-])(?={WORD})"
SUFFIX = r"(?<=[A-Za-z])(?:\+\+|\#)(?![+#])"
PIECE = regex.compile(
    rf"(?P<cjk>{CJK}[{CJK}\p{{M}}]*)|(?P<unspaced>{UNSPACED}[{UNSPACED}\p{{M}}]*)"
    rf"|(?P<compound>{PART}(?:{JOINT}{PART})*(?:{SUFFIX})?)",
    regex.VERSION1,
)
HUMP = regex.compile(r"(?<=\P{Upper})(?=\p{Upper})|(?<=\p{Upper})(?=\p{Upper}\p{Lower}(?!(?<=s)$))")
MOST_COMPOUND = 64


def folded(text: str) -> str:
    return "".join({"ς": "σ", "İ": "i"}.get(one, one.lower()) for one in text)


def pairs(run: str) -> list[str]:
    letters = regex.findall(r"\P{M}\p{M}*", run)
    return [one + next for one, next in pairwise(letters)] or [run]


def words(compound: str) -> list[tuple[str, bool]]:
    """Each unit of a compound, and whether its trigrams count."""
    parts = regex.findall(PART, compound, regex.VERSION1)
    whole = [(compound, False)] if parts != [compound] and len(compound) <= MOST_COMPOUND else []
    found = list(whole)
    for part in parts:
        humps = HUMP.split(part)
        found += [(one, True) for one in (part, *humps[: len(humps) if len(humps) > 1 else 0])]
    return found


def units(text: str) -> list[tuple[str, bool]]:
    """The units of a text in its order, as tokens, and whether their trigrams count."""
    seen = NOTHING.sub("", unicodedata.normalize("NFKC", text))
    normal = unicodedata.normalize("NFC", seen)
    found: list[tuple[str, bool]] = []
    for piece in PIECE.finditer(normal):
        if piece["compound"]:
            found += [("w" + folded(one), is_word) for one, is_word in words(piece["compound"])]
        else:
            found += [("c" + folded(pair), False) for pair in pairs(piece.group())]
    return found


@lru_cache(maxsize=20_000)
def search_tokens(text: str, limit: float = RECORD_TOKENS) -> tuple[tuple[str, ...], bool]:
    """Return the tokens and whether the limit cut them."""
    tokens = []
    for unit, is_word in units(text):
        grams = windows(unit[1:], 3) if is_word and len(unit) > 4 else []
        tokens += [unit, *("g" + gram for gram in grams)]
    distinct = tuple(dict.fromkeys(tokens))
    room = max(0, math.floor(limit))
    return distinct[:room], len(distinct) > room


def record_text(record: Record) -> str:
    locators = [source.get("locator") for source in record["sources"]]
    chosen = [locator for locator in locators if locator not in {None, "memory"}]
    names = [record[name] for name in ("speaker", "subject") if record.get(name)]
    return "\n".join([*names, record["content"], *record["tags"], *chosen])
