"""What a query asks for under `foundation-v2`: its units, sentence by sentence."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

import regex

from tests.oracle.tokens_v2 import QUERY_TOKENS, search_tokens
from tests.oracle.words import QUESTION

SENTENCE = regex.compile(r"[.!?;:]+(?=\s)|[\n。！？；：!?]+")


@dataclass
class Asked:
    """The units of a query, each once, in its order."""

    units: list[str] = field(default_factory=list)
    sentences: list[list[int]] = field(default_factory=list)
    """Of each sentence that has units, the places of its own; none unless two have some."""
    truncated: bool = False
    """Whether there were more than are used."""


def asked(query: str) -> Asked:
    """Read a query; the sentence in which a unit beyond the budget comes is the last that is read.

    What only marks a question in Chinese, Japanese or Korean is no word of it.
    """
    found = Asked()
    for sentence in SENTENCE.split(query):
        told = QUESTION.sub(" ", unicodedata.normalize("NFKC", sentence))
        units, longer = search_tokens(told, QUERY_TOKENS)
        new = [unit for unit in units if unit not in found.units]
        room = QUERY_TOKENS - len(found.units)
        found.units += new[:room]
        own = [found.units.index(unit) for unit in units if unit in found.units]
        found.sentences += [own] if own else []
        found.truncated = longer or len(new) > room
        if found.truncated:
            break
    if len(found.sentences) < 2:
        found.sentences = []
    return found
