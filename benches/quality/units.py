"""Tokenizer v2, slow and obvious: the units that a text is cut into.

The first letter of a unit is its kind:

    w<word>      a word, a compound as a whole, a part of an identifier, the year of a date
    c<pair>      two neighbours in a CJK run, or two graphemes of a Thai, Lao, Khmer or Myanmar
                 run; a run of one gives that one
    m<1-12>      the month of a date
    d<m>-<d>     the day of a date
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import regex

from benches.quality.dates import dates

RECORD_UNITS = 2048
QUERY_UNITS = 256

Script = Literal["hangul", "kana", "han", "vietnamese", "other"]

_DATA = Path(__file__).parent / "data"


def _lists(file: str) -> list[str]:
    lists: dict[str, list[str]] = json.loads((_DATA / file).read_text(encoding="utf-8"))
    return [entry for entries in lists.values() for entry in entries]


STOP = frozenset(_lists("stop_words.json"))
_QUESTION = regex.compile("|".join(_lists("question_patterns.json")))

_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}々〇ー"
_UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_FIRST = rf"(?:(?![{_CJK}{_UNSPACED}])[\p{{L}}\p{{N}}_])"
_INNER = rf"(?:(?![{_CJK}{_UNSPACED}])[\p{{L}}\p{{N}}\p{{M}}_])"
_PIECE = regex.compile(
    rf"(?P<cjk>[{_CJK}][{_CJK}\p{{M}}]*)"
    rf"|(?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*)"
    rf"|(?P<word>{_FIRST}{_INNER}*)"
)
_COMPOUND = regex.compile(
    rf"{_INNER}+(?:[.\-/:@]{_INNER}+)+|(?<![\p{{L}}\p{{N}}_])\p{{L}}(?:\+\+|\#)"
)
_MIXED = regex.compile(r"\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}")
_HUMP = regex.compile(
    r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}+"
)
_SENTENCE = regex.compile(r"[.!?;:]+(?=\s)|[\n。！？；：!?]+")


def units(text: str) -> list[str]:
    """Give all units of a text in its order, repeated ones too; a date's replace its words."""
    text = normalize("NFKC", text)
    found, at = list[str](), 0
    for date in dates(text):
        found += [*_compounds(text[at : date.start]), *date.units]
        at = date.end
    return found + _compounds(text[at:])


def distinct(found: list[str], limit: int) -> list[str]:
    """Give each unit once, at its first place, up to a limit."""
    return list(dict.fromkeys(found))[:limit]


def record_units(text: str, speaker: str | None = None, day: str | None = None) -> list[str]:
    """Give the units of a record: of `speaker: text`, and of the day it was observed."""
    spoken = f"{speaker}: {text}" if speaker else text
    return distinct(units(f"{spoken}\n{day}" if day else spoken), RECORD_UNITS)


def query_units(text: str) -> tuple[list[str], list[list[int]]]:
    """Give the units of a query, and of each sentence the places of its own among them.

    What only marks a question in Chinese, Japanese or Korean is no word of it. A query of one
    sentence, those without units not counted, has no sentences.
    """
    asked = [_QUESTION.sub(" ", normalize("NFKC", one)) for one in _SENTENCE.split(text)]
    sentences = [found for one in asked if (found := list(dict.fromkeys(units(one))))]
    every = distinct([unit for found in sentences for unit in found], QUERY_UNITS)
    if len(sentences) < 2:
        return every, []
    place = {unit: at for at, unit in enumerate(every)}
    return every, [[place[unit] for unit in found if unit in place] for found in sentences]


def _compounds(text: str) -> list[str]:
    """Dotted names, paths, versions, hyphenated terms, C++ and C#: the whole, then its pieces."""
    found, at = list[str](), 0
    for match in _COMPOUND.finditer(text):
        found += [*_pieces(text[at : match.start()]), "w" + _lower(match[0]), *_pieces(match[0])]
        at = match.end()
    return found + _pieces(text[at:])


def _pieces(text: str) -> list[str]:
    found: list[str] = []
    for match in _PIECE.finditer(text):
        if word := match["word"]:
            parts = _parts(word)
            found += ["w" + _lower(one) for one in (word, *(parts if parts != [word] else ()))]
        else:
            run = match["cjk"] or regex.findall(r"\X", match["unspaced"])
            run = [_lower(one) for one in run]
            found += ["c" + one + two for one, two in pairwise(run)] or ["c" + run[0]]
    return found


def _parts(word: str) -> list[str]:
    """Parts of an identifier as it is written: between `_`, camel humps, letters and digits."""
    return [
        part
        for one in word.split("_")
        if one
        for part in (_HUMP.findall(one) if _MIXED.search(one) else [one])
    ]


def _lower(text: str) -> str:
    """Lowercase, composed again; the Turkish dotted capital gives a plain i."""
    return normalize("NFKC", text.lower()).replace("i\u0307", "i")


_FUNCTION = frozenset(
    "的了在是我你他她它们这那有和与就不也都而及或吗呢吧啊个为被把给对从到过着会能要可以么什哪谁几多少何如所之其您很并等由于但且因"
    "於個們這對從過給會還还麼甚誰幾嗎裡里來来著與為並"
)
_PARTICLES = frozenset("은는이가을를에의로와과도")
_HIRAGANA = regex.compile(r"\p{Hiragana}")
_MARKED = (  # letters that no other Latin alphabet in use has: đ, ơ, ư, hooks, dots, two marks
    r"đ|[ou]\u031B|[aeiouy][\u0302\u0306\u031B]?[\u0309\u0323]"
    r"|[aeo][\u0302\u0306][\u0300\u0301\u0303]"
)


def weak_characters(unit: str) -> int:
    """Count what says little in a pair: Hiragana and Chinese function characters, 0 to 2.

    A Hangul pair that ends in a particle has one; a weak character alone counts as two.
    """
    pair = unit[1:]
    weak = sum(one in _FUNCTION or bool(_HIRAGANA.match(one)) for one in pair)
    if pair[-1] in _PARTICLES:
        weak = max(weak, 1)
    return weak if len(pair) > 1 else min(2, 2 * weak)


def trigrams(word: str) -> frozenset[str]:
    """Give the windows of 3 by which a word may be matched, if not by itself.

    None of a word of up to 3 characters or with a digit: it is matched as it is or not at all.
    """
    if len(word) <= 3 or any(one.isnumeric() for one in word):
        return frozenset()
    return frozenset(word[at : at + 3] for at in range(len(word) - 2))


def script(query: str) -> Script:
    """Tell by which script a query is judged: the first of these that it has a character of."""
    text = normalize("NFKC", query)
    found: dict[Script, bool] = {
        "hangul": bool(regex.search(r"\p{Hangul}", text)),
        "kana": bool(regex.search(r"[\p{Hiragana}\p{Katakana}]", text)),
        "han": bool(regex.search(r"\p{Han}", text)),
        "vietnamese": bool(regex.search(_MARKED, normalize("NFD", text.lower()))),
        "other": True,
    }
    return next(name for name, there in found.items() if there)
