"""Search tokens: what a text can be found by."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

from membound import _core
from membound.numbers import whole
from membound.text import any_text, word

__all__ = ["NEWEST", "TOKENIZERS", "SearchTokens", "Tokenizer", "search_tokens"]

Tokenizer = Literal["v1", "v2"]
"""The rules that make search tokens, by their version."""

TOKENIZERS: Final = get_args(Tokenizer)
NEWEST: Final[Tokenizer] = "v2"
"""What a new store is made with where nothing is said."""

QUERY_TOKENS: Final[dict[Tokenizer, int]] = {"v1": 128, "v2": 255}
"""Most tokens taken from a query."""


class SearchTokens(msgspec.Struct, frozen=True):
    """The distinct search tokens of a text, each at its first place.

    Attributes:
        tokens: ``w…`` words and ``c…`` pairs of CJK characters. With ``v1`` each word has its
            trigrams ``g…`` behind it, and the pairs come last. With ``v2`` all are in the order of
            the text, and a date gives its month and day as ``m…`` and ``d…``.
        truncated: whether at least one more distinct token was left out.
    """

    tokens: tuple[str, ...]
    truncated: bool


def search_tokens(text: str, *, limit: float = 512, tokenizer: Tokenizer = "v1") -> SearchTokens:
    """Tokenises a text.

    The text is normalised to NFKC and lowercased. Characters are Unicode scalar values; a lone
    surrogate separates words like any other character that is neither letter nor number.

    Args:
        text: any text.
        limit: most tokens; a record's budget is 512 of ``v1`` and 2,048 of ``v2``, a query's 128
            and 255.
        tokenizer: the version of the rules.

    Raises:
        InvalidInputError: ``text`` is no text, ``limit`` no number, or ``tokenizer`` no version.
    """
    version = word(tokenizer, "tokenizer", TOKENIZERS)
    found = _core.search_tokens(any_text(text, "text"), whole(limit, "limit"), version)
    return SearchTokens(*found)
