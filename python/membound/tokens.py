"""Search tokens: what a text can be found by."""

from __future__ import annotations

import msgspec

from membound import _core
from membound.numbers import whole
from membound.text import any_text

__all__ = ["SearchTokens", "search_tokens"]


class SearchTokens(msgspec.Struct, frozen=True):
    """The distinct search tokens of a text, each at its first place.

    Attributes:
        tokens: ``w…`` words and ``g…`` trigrams in text order, then ``c…`` CJK bigrams.
        truncated: whether at least one more distinct token was left out.
    """

    tokens: tuple[str, ...]
    truncated: bool


def search_tokens(text: str, *, limit: int = 512) -> SearchTokens:
    """Tokenises a text by the rules of tokenizer ``v1``.

    The text is normalised to NFKC and lowercased. Characters are Unicode scalar values; a lone
    surrogate separates words like any other character that is neither letter nor number.

    Args:
        text: any text.
        limit: most tokens; 512 is a record's budget, 128 a query's.

    Raises:
        InvalidInputError: ``text`` is no text, or ``limit`` is no number.
    """
    return SearchTokens(*_core.search_tokens(any_text(text, "text"), whole(limit, "limit")))
