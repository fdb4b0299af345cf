"""Admission of `foundation-v2`, on two levels: a floor for the best, and what others need."""

from __future__ import annotations

from typing import Final, Literal
from unicodedata import normalize

import regex

from tests.oracle.scoring import CHOSEN, Constants

Script = Literal["hangul", "kana", "han", "vietnamese", "other"]

FLOORS: Final[dict[Script, float]] = {
    "hangul": 0.40,
    "kana": 0.42,
    "han": 0.47,
    "vietnamese": 0.52,
    "other": 0.395,
}
MARKED = (  # letters that no other Latin alphabet in use has: đ, ơ, ư, hooks, dots, two marks
    r"đ|[ou]\u031B|[aeiouy][\u0302\u0306\u031B]?[\u0309\u0323]"
    r"|[aeo][\u0302\u0306][\u0300\u0301\u0303]"
)


def script(query: str) -> Script:
    """Tell by which script a query is judged: the first of these that it has a character of."""
    text = normalize("NFKC", query)
    found: dict[Script, bool] = {
        "hangul": bool(regex.search(r"\p{Hangul}", text)),
        "kana": bool(regex.search(r"[\p{Hiragana}\p{Katakana}]", text)),
        "han": bool(regex.search(r"\p{Han}", text)),
        "vietnamese": bool(regex.search(MARKED, normalize("NFD", text.lower()))),
        "other": True,
    }
    return next(name for name, there in found.items() if there)


def needed(best: float, floor: float, constants: Constants = CHOSEN) -> float | None:
    """Return what a record needs, where the best of all has so much; None if that is too little.

    min(best, max(0.65 · best, 0.75 · floor))
    """
    if not 0 < best >= floor:
        return None
    return min(best, max(constants.relative * best, constants.following * floor))
