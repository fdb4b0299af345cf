"""Search tokens, version 2, written the slow way."""

from __future__ import annotations

import math
import unicodedata
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from tests.oracle.dates import DAY, milliseconds
from tests.oracle.written_dates import dates

if TYPE_CHECKING:
    from tests.oracle.tokens import Record

RECORD_TOKENS = 2048
QUERY_TOKENS = 255

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
BORDER = regex.compile(
    r"(?<=\p{N}\p{M}*)(?=\p{L})|(?<=\p{L}\p{M}*)(?=\p{N})"
    r"|(?<=[^\p{Upper}\p{M}\p{N}]\p{M}*)(?=\p{Upper})"
    r"|(?<=\p{Upper}\p{M}*)(?=\p{Upper}\p{Lower}(?!(?<=s)(?:$|\p{N})))"
)
MOST_COMPOUND = 64


def folded(text: str) -> str:
    return "".join({"ς": "σ", "İ": "i"}.get(one, one.lower()) for one in text)


def pairs(run: str) -> list[str]:
    letters = regex.findall(r"\P{M}\p{M}*", run)
    return [one + next for one, next in pairwise(letters)] or [run]


def words(compound: str) -> list[str]:
    found = regex.findall(PART, compound, regex.VERSION1)
    whole = [compound] if found != [compound] and len(compound) <= MOST_COMPOUND else []
    for word in found:
        parts = BORDER.split(word)
        whole += [word, *(parts if len(parts) > 1 else [])]
    return whole


def pieces(text: str) -> list[str]:
    """The units of a text without dates."""
    found: list[str] = []
    for piece in PIECE.finditer(text):
        if piece["compound"]:
            found += ["w" + folded(word) for word in words(piece["compound"])]
        else:
            found += ["c" + folded(pair) for pair in pairs(piece.group())]
    return found


def units(text: str) -> list[str]:
    """The units of a text in its order, repeated ones too."""
    seen = NOTHING.sub("", unicodedata.normalize("NFKC", text))
    normal = unicodedata.normalize("NFC", seen)
    found, at = list[str](), 0
    for told in dates(normal):
        found += [*pieces(normal[at : told.start]), *told.units]
        at = told.end
    return found + pieces(normal[at:])


@lru_cache(maxsize=20_000)
def search_tokens(text: str, limit: float = RECORD_TOKENS) -> tuple[tuple[str, ...], bool]:
    """Return the tokens and whether the limit cut them."""
    distinct = tuple(dict.fromkeys(units(text)))
    room = max(0, math.floor(limit))
    return distinct[:room], len(distinct) > room


def day(record: Record) -> str | None:
    """The day of a record in UTC, where Python's calendar has it."""
    instants = (milliseconds(record.get(name)) for name in ("observedAt", "createdAt"))
    known = next((instant for instant in instants if instant is not None), None)
    ordinal = 0 if known is None else known // DAY + date(1970, 1, 1).toordinal()
    in_calendar = 1 <= ordinal <= date.max.toordinal()
    return date.fromordinal(ordinal).isoformat() if in_calendar else None


def record_text(record: Record) -> str:
    locators = [source.get("locator") for source in record["sources"]]
    chosen = [locator for locator in locators if locator not in {None, "memory"}]
    names = [day(record), record.get("speaker"), record.get("subject")]
    named = [name for name in names if name]
    return "\n".join([*named, record["content"], *record["tags"], *chosen])
