"""Search tokens: the conformance rows, and the oracle on text of every plane."""

from __future__ import annotations

import math
import sys
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import membound
from membound import _core
from membound.errors import InvalidInputError
from tests.adapters import ask_records
from tests.conformance import Row, row_name, rows, whole
from tests.oracle import tokens as oracle
from tests.strategies import CHINESE, ENGLISH, JAPANESE, KOREAN, NOW, STRANGE

LETTER_OR_NUMBER = regex.compile(r"[\p{L}\p{N}]")


def known(character: str) -> bool:
    """Tell whether every Unicode version in play knows the character, and as the same thing."""
    category = unicodedata.category(character)
    return category != "Cn" and (category[0] in "LN") == bool(LETTER_OR_NUMBER.match(character))


def planes() -> st.SearchStrategy[str]:
    return st.characters(max_codepoint=sys.maxunicode).filter(known)


def chosen() -> st.SearchStrategy[str]:
    """Choose characters at the borders of the runs and where NFKC or lower-casing do something."""
    borders = "㏿㐀鿿ꀀ぀ゟ゠ヿ㄀꯿가힣힯ힰ々〇ー゙・Σςσİıẞﬁ①½ﾃﾞ\u0345\u0300\u1100\u1161\u11a8_-'"
    return st.sampled_from(borders + "aB1 \n\t\0\u200d\u00ad\ufeff\ud800\udfff\ud83d𠀀𐐀😀")


def text() -> st.SearchStrategy[str]:
    vocabulary = st.sampled_from([*ENGLISH, *CHINESE, *JAPANESE, *KOREAN, *STRANGE, " ", "_"])
    characters = st.text(planes() | chosen(), max_size=30)
    return st.lists(vocabulary | characters, max_size=12).map("".join)


@pytest.mark.parametrize("row", rows("tokens"), ids=row_name)
def test_conformance_rows(row: Row) -> None:
    found = membound.search_tokens(row["text"], limit=row["max_tokens"])
    assert (list(found.tokens), found.truncated) == (row["tokens"], row["truncated"])


@pytest.mark.parametrize("row", rows("records_tokens"), ids=row_name)
def test_record_tokens_show_in_the_lexical_feature(row: Row) -> None:
    """Each token of the record is asked for as a word of its own and must be found or not."""
    text = oracle.record_text(row["record"])
    for query in [text[:60], text[-60:], "kiwi " + text[:20]]:
        asked, _ = oracle.search_tokens(query, oracle.QUERY_TOKENS)
        expected = oracle.coverage(asked, tuple(row["tokens"]))
        record = whole({**row["record"], "scope": "user"})
        request = {"query": query, "now": NOW, "relevance_mode": "historical-v1", "purpose": "tool"}
        rankings = ask_records([record], request)["rankings"]
        found = rankings[0]["features"]["lexical"] if rankings else 0.0
        assert found == pytest.approx(expected, abs=1e-12)


@given(text(), st.integers(-2, 600) | st.floats(0, 40))
def test_same_tokens_as_the_oracle(words: str, limit: Any) -> None:  # noqa: ANN401 — floats too
    found = membound.search_tokens(words, limit=limit)
    assert (found.tokens, found.truncated) == oracle.search_tokens(words, limit)


@given(st.text("abXY_0 .-", max_size=300), st.integers(0, 200))
def test_words_of_every_length_at_every_place_of_ascii(words: str, limit: int) -> None:
    found = membound.search_tokens(words, limit=limit)
    assert (found.tokens, found.truncated) == oracle.search_tokens(words, limit)


@given(text(), st.integers(0, 200))
def test_tokens_are_counted_as_they_are_listed(words: str, limit: int) -> None:
    found = membound.search_tokens(words, limit=limit)
    words = words.encode("utf-8", "replace").decode()
    assert _core.token_count(words, limit) == (len(found.tokens), found.truncated)


@pytest.mark.parametrize(
    "late", ["e\u0301", "e=\u0338", "\u1112\u1161\u11ab", "ΑΣ", "Ｄ", "か\u3099"]
)
@pytest.mark.parametrize("words", range(120, 140))
def test_what_is_composed_late_counts_where_the_budget_ends(late: str, words: int) -> None:
    """The text before it must not be taken for finished: the end of its last word may change."""
    text = "ä " + " ".join(f"{number:03}" for number in range(words)) + "0" + late
    for limit in range(words - 5, words + 5):
        found = membound.search_tokens(text, limit=limit)
        assert (found.tokens, found.truncated) == oracle.search_tokens(text, limit)


def test_a_long_text_of_distinct_tokens_keeps_them_all() -> None:
    for first, last in [("一", "鿿"), ("가", "힣"), ("a", "ɏ"), ("а", "ӿ")]:
        span = [chr(point) for point in range(ord(first), ord(last) + 1)]
        every = "".join(filter(known, span)) * 2 + " ".join(filter(known, span))
        for limit in (10, 100_000):
            found = membound.search_tokens(every, limit=limit)
            assert (found.tokens, found.truncated) == oracle.search_tokens(every, limit)


@given(text())
def test_a_smaller_budget_is_a_prefix_and_says_that_it_cut(words: str) -> None:
    every = membound.search_tokens(words, limit=10_000)
    assert not every.truncated
    for limit in range(len(every.tokens) + 2):
        some = membound.search_tokens(words, limit=limit)
        assert some.tokens == every.tokens[:limit]
        assert some.truncated == (limit < len(every.tokens))


@given(text())
def test_tokens_are_distinct_typed_and_words_come_before_cjk(words: str) -> None:
    found = membound.search_tokens(words).tokens
    assert found == membound.search_tokens(words).tokens
    assert len(set(found)) == len(found)
    assert all(token[0] in "wgc" and len(token) > 1 for token in found)
    cjk = [token.startswith("c") for token in found]
    assert all(before <= after for before, after in pairwise(cjk))


@given(text())
def test_compatibility_forms_and_case_do_not_matter(words: str) -> None:
    folded = unicodedata.normalize("NFKC", words).lower()
    if unicodedata.normalize("NFKC", folded).lower() == folded:
        assert membound.search_tokens(folded) == membound.search_tokens(words)


def test_every_assigned_character_alone_and_inside_a_word() -> None:
    """All of them, in batches: a character must mean the same to both sides."""
    every = [chr(point) for point in range(sys.maxunicode + 1)]
    every = [character for character in every if known(character)]
    for start in range(0, len(every), 500):
        batch = "".join(f" {character} ab{character}cd" for character in every[start : start + 500])
        found = membound.search_tokens(batch, limit=100_000)
        assert (found.tokens, found.truncated) == oracle.search_tokens(batch, 100_000)


def test_default_limit_is_the_record_budget() -> None:
    words = " ".join(f"w{number}" for number in range(600))
    assert len(membound.search_tokens(words).tokens) == 512
    assert membound.search_tokens(words).truncated


@pytest.mark.parametrize("bad", [None, 7, b"bytes", ["text"]])
def test_text_of_another_type_is_refused_by_name(bad: object) -> None:
    with pytest.raises(InvalidInputError, match="text"):
        membound.search_tokens(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [math.nan, "7", None, True])
def test_limit_of_another_type_is_refused_by_name(bad: object) -> None:
    with pytest.raises(InvalidInputError, match="limit"):
        membound.search_tokens("kiwi", limit=bad)  # type: ignore[arg-type]


def test_infinite_limit_is_as_large_as_allowed() -> None:
    assert membound.search_tokens("kiwi", limit=math.inf).tokens
