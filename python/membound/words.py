"""Which words of a query a record has: what a host may show beside a hit that is no whole match."""

from __future__ import annotations

import msgspec

from membound import _core
from membound.arguments import require
from membound.records import MemoryRecord, reread
from membound.text import any_text, word
from membound.tokens import QUERY_TOKENS, TOKENIZERS, Tokenizer, search_tokens

__all__ = ["MatchedWords", "matched_words"]

_RUN = 3


class MatchedWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a query, and pairs of CJK characters, in folded form and in their order.

    With ``v2`` a date is told by its year, its month, and month and day: ``2023``, ``5``, ``5-8``.

    Attributes:
        matched: those that the record has.
        partly: those of which the record has three letters in a row, as ``run`` of ``running``.
        missed: those of which it has nothing.
    """

    matched: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


def matched_words(query: str, record: MemoryRecord, *, tokenizer: Tokenizer = "v1") -> MatchedWords:
    """Lists the words of a query by whether a record has them.

    Raises:
        InvalidInputError: one of them is not what it should be; of a record, the field is named.
    """
    query = any_text(query, "query")
    require(record, MemoryRecord, "record", "a MemoryRecord")
    version = word(tokenizer, "tokenizer", TOKENIZERS)
    _, text = reread(record)
    has = frozenset(_core.record_tokens(text, version))
    runs = frozenset(run for token in has if token[0] == "w" for run in _runs(token[1:]))
    found: dict[str, list[str]] = {"matched": [], "partly": [], "missed": []}
    for token in search_tokens(query, limit=QUERY_TOKENS[version], tokenizer=version).tokens:
        kind, piece = token[0], token[1:]
        if kind == "g":
            continue
        if token in has:
            found["matched"].append(piece)
        elif kind == "w" and not runs.isdisjoint(_runs(piece)):
            found["partly"].append(piece)
        else:
            found["missed"].append(piece)
    return MatchedWords(**{name: tuple(words) for name, words in found.items()})


def _runs(word: str) -> set[str]:
    """Gives every three characters in a row of a word."""
    return {word[at : at + _RUN] for at in range(len(word) - _RUN + 1)}
