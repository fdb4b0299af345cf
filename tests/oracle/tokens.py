"""Search tokens, version 1, written the slow way."""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache
from typing import Any

import regex

Record = dict[str, Any]

SPACES = (
    "\t\n\v\f\r \u00a0\ufeff\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
CJK_RUN = r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+"
WORD = r"[\p{L}\p{N}_]+"
RECORD_TOKENS = 512
QUERY_TOKENS = 128


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def comparable(text: str) -> str:
    """What duplicates and tags are compared by."""
    return unicodedata.normalize("NFKC", text).strip(SPACES).lower()


def windows(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(len(text) - size + 1)]


def word_tokens(word: str) -> list[str]:
    grams = windows(word, 3) if len(word) > 3 else []
    return ["w" + word, *("g" + gram for gram in grams)]


def run_tokens(run: str) -> list[str]:
    return ["c" + run] if len(run) == 1 else ["c" + pair for pair in windows(run, 2)]


@lru_cache(maxsize=20_000)
def search_tokens(text: str, limit: float = RECORD_TOKENS) -> tuple[tuple[str, ...], bool]:
    """Return the tokens and whether the limit cut them."""
    normal = folded(text)
    tokens = []
    for word in regex.findall(WORD, regex.sub(CJK_RUN, " ", normal)):
        tokens += word_tokens(word)
    for run in regex.findall(CJK_RUN, normal):
        tokens += run_tokens(run)
    distinct = tuple(dict.fromkeys(tokens))
    room = max(0, math.floor(limit))
    return distinct[:room], len(distinct) > room


def record_text(record: Record) -> str:
    sources = [f"{source['kind']} {source.get('locator', '')}" for source in record["sources"]]
    return "\n".join([record["content"], " ".join(record["tags"]), record["type"], *sources])


def coverage(query_tokens: tuple[str, ...], record_tokens: tuple[str, ...]) -> float:
    if not query_tokens:
        return 0.0
    known = set(record_tokens)
    return sum(token in known for token in query_tokens) / len(query_tokens)


def has_cjk(text: str) -> bool:
    return regex.search(CJK_RUN, text) is not None
