"""Dates of a text: in whichever form it is written, a date gives the same units."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {
    **{name: number for number, name in enumerate(_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(_NAMES, 1)},
    "sept": 9,
}


def _either(*words: str) -> str:
    """Match one of some words, in large or small letters of ASCII and no others."""
    cases = ("".join(f"[{one}{one.upper()}]" for one in word) for word in words)
    return f"(?:{'|'.join(cases)})"


_NAME = _either(*sorted(_MONTHS, key=len, reverse=True))
_ALONE = _either(*(name for name in _NAMES if name not in {"march", "may"}))
_ORDINAL, _OF = _either("st", "nd", "rd", "th"), _either("of")
_START, _END = r"(?<![\p{L}\p{N}])", r"(?![\p{L}\p{N}])"

# Of groups that share a name, one matches.
_NUMBERS = (
    rf"{_START}(?P<year>[0-9]{{4}})(?P<between>[-/.])"
    rf"(?P<month>[0-9]{{1,2}})(?P=between)(?P<day>[0-9]{{1,2}})(?![0-9])"
)
_CJK_DAY = (
    r"(?:(?<![0-9])(?P<year>[0-9]{4})\s*[年년]\s*)?"
    r"(?<![0-9])(?P<month>[0-9]{1,2})\s*[月월]\s*(?P<day>[0-9]{1,2})\s*[日号號일]"
)
_CJK_MONTH = r"(?<![0-9])(?P<year>[0-9]{4})\s*[年년]\s*(?P<month>[0-9]{1,2})\s*[月월]"
_MONTH_DAY = (
    rf"{_START}(?P<month>{_NAME})\.?\s+(?P<day>[0-9]{{1,2}}){_ORDINAL}?"
    rf"(?:,?\s+(?P<year>[0-9]{{4}}))?{_END}"
)
_DAY_MONTH = (
    rf"{_START}(?P<day>[0-9]{{1,2}}){_ORDINAL}?\s+(?:{_OF}\s+)?"
    rf"(?P<month>{_NAME})(?!\p{{L}})\.?(?:,?\s+(?P<year>[0-9]{{4}}))?{_END}"
)
_MONTH_YEAR = rf"{_START}(?P<month>{_NAME})\.?,?\s+(?P<year>[0-9]{{4}}){_END}"
_MONTH = rf"{_START}(?P<month>{_ALONE}){_END}"
_DATE = regex.compile(
    f"{_NUMBERS}|{_CJK_DAY}|{_CJK_MONTH}|{_MONTH_DAY}|{_DAY_MONTH}|{_MONTH_YEAR}|{_MONTH}"
)


class Date(NamedTuple):
    """Where a date stands in its text, and its units."""

    start: int
    end: int
    units: list[str]


def dates(text: str) -> Iterator[Date]:
    """Give the dates of a text in NFKC: `w<year>`, `m<month>`, `d<month>-<day>`, as far as told.

    Forms: `2023-05-08` (or `/`, `.`), `5月8日`, `2023年5月8日`, `5월 8일`, `2023年5月`, `May 8`,
    `May 8th, 2023`, `8 May 2023`, `8th of May`, `May 2023`, and the name of a month alone but for
    `march` and `may`. What names no month or day that there is, is no date.
    """
    for match in _DATE.finditer(text):
        year, month, day = match["year"], _month(match["month"]), int(match["day"] or 1)
        if 1 <= month <= 12 and 1 <= day <= 31:
            found = [f"w{year}"] if year else []
            found.append(f"m{month}")
            found += [f"d{month}-{day}"] if match["day"] else []
            yield Date(match.start(), match.end(), found)


def _month(text: str) -> int:
    return int(text) if text.isdecimal() else _MONTHS[text.lower()]
