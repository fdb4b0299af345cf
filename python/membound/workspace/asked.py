"""One search: what is asked, its words, and the lines of a text that have them."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Final

import msgspec

from membound import _core
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.fields import MemoryType
from membound.text import any_text, well_formed
from membound.tokens import QUERY_TOKENS, search_tokens
from membound.workspace.cutting import cut

__all__ = ["MOST_LINES", "Asked", "asked_units", "asked_words", "first_line", "lines_with", "units"]

LINE_CHARACTERS: Final = 200
MOST_LINES: Final = 3


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One search, checked.

    Attributes:
        query: the words.
        now: when it is asked.
        within: only what lies in this folder, or below it.
        types: only these types.
        tags: only what carries every one.
        since: only what was changed or said then or later.
        until: only what was changed or said before.
    """

    query: str
    now: datetime
    within: str | None = None
    types: tuple[MemoryType, ...] | None = None
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


def asked_words(query: object) -> str:
    """Reads the words of a search.

    Raises:
        InvalidInputError: it is no text, or has nothing to search for.
    """
    text = any_text(query, "query")
    if not text.strip():
        raise InvalidInputError("query", "words to search for", excerpt(query))
    return text


def asked_units(query: str) -> tuple[str, ...]:
    """Gives what a query is asked by, in order: `units` without what only makes it a question."""
    return tuple(_core.asked_units(well_formed(query)))


def units(text: str) -> tuple[str, ...]:
    """Gives what a text is searched by, and found by: words, and pairs of CJK characters."""
    found = search_tokens(text, limit=QUERY_TOKENS["v2"], tokenizer="v2")
    return tuple(token[1:] for token in found.tokens)


def lines_with(wanted: frozenset[str], text: str) -> tuple[str, ...]:
    """Gives up to three lines of a text that have most words of a query, in their order.

    Args:
        wanted: the words, as `units` gives them.
        text: any text.
    """
    lines = [line.strip() for line in text.splitlines()]
    counted = [
        (len(wanted.intersection(units(line))), -at) for at, line in enumerate(lines) if line
    ]
    best = sorted(one for one in counted if one[0])[-MOST_LINES:]
    return tuple(
        cut(lines[-at], LINE_CHARACTERS) for _, at in sorted(best, key=lambda one: -one[1])
    )


def first_line(text: str) -> tuple[str, ...]:
    """Gives the first line of a text that is not blank, if it has one."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(cut(line, LINE_CHARACTERS) for line in islice(filter(None, lines), 1))
