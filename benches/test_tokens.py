"""Tokenising, by the core and by plain Python: a group a language, the same texts in each."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.oracle import tokens as oracle

from benches.corpus import texts
from membound import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

LIMIT = 512
CJK = "\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af"
RUN = re.compile(f"([{CJK}]+)|([^\\W{CJK}]+)")


def plain(text: str, limit: int) -> tuple[tuple[str, ...], bool]:
    """Tokenise with the standard library alone; in these texts `\\w` is a letter or a number."""
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()
    words: dict[str, None] = {}
    pairs: dict[str, None] = {}
    for run, word in RUN.findall(folded):
        if word:
            words["w" + word] = None
            if len(word) > 3:
                words.update((f"g{word[at : at + 3]}", None) for at in range(len(word) - 2))
        else:
            for at in range(max(len(run) - 1, 1)):
                pairs["c" + run[at : at + 2]] = None
    found = (*words, *pairs)
    return found[:limit], len(found) > limit


@pytest.mark.parametrize(
    "tokenise",
    [
        _core.token_count,
        partial(_core.search_tokens, tokenizer="v1"),
        partial(_core.search_tokens, tokenizer="v2"),
        plain,
        oracle.search_tokens.__wrapped__,
    ],
    ids=["core, counted", "core, listed", "core, v2", "plain Python", "oracle"],
)
@pytest.mark.parametrize("language", ["English", "Chinese"])
def test_tokenise(
    benchmark: BenchmarkFixture, language: str, tokenise: Callable[[str, int], object]
) -> None:
    chosen = [text for text in texts(1_000) if text.isascii() == (language == "English")]
    benchmark.group = language
    benchmark.extra_info["bytes"] = sum(len(text.encode()) for text in chosen)
    benchmark(lambda: [tokenise(text, LIMIT) for text in chosen])
    assert all(plain(text, LIMIT) == _core.search_tokens(text, LIMIT, "v1") for text in chosen)
