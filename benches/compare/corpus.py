"""Records and questions with real word frequencies: 60 % English, 30 % Chinese, 10 % both.

A record is a function of the seed and its row, so any process can make any part of a corpus, and
a smaller corpus is the beginning of a larger one. Only the two files in `benches/data` are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar, overload

if TYPE_CHECKING:
    from membound.fields import MemoryType

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
SEED = 1

Word = TypeVar("Word", bound=str)

_DATA = Path(__file__).parent.parent / "data"
_YEARS = 2 * 365 * 86_400
_TYPES: dict[MemoryType, int] = {"fact": 50, "preference": 15, "decision": 15, "episode": 20}
_LANGUAGES = {"english": 60, "chinese": 30, "mixed": 10}
_TOKENS = 72
"""Of a record, about: an English word gives itself and its trigrams, a Han character a bigram."""
_TOPICS = 64
_TOPIC_WORDS = 30
_NAME_LENGTH = {"english": 5, "chinese": 2}
"""The shortest word that a topic is about."""


class Statement(NamedTuple):
    """A record, as far as a search engine has to do with it."""

    row: int
    content: str
    type: MemoryType
    updated: datetime
    importance: float
    confidence: float

    @property
    def text(self) -> str:
        """Everything that our own index has the tokens of."""
        return f"{self.content}\n{self.type}"


class Corpus(Sequence[Statement]):
    """So many statements, each made when it is asked for."""

    def __init__(self, size: int, seed: int = SEED) -> None:
        self.size = size
        self.seed = seed

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, row: int) -> Statement: ...
    @overload
    def __getitem__(self, row: slice) -> list[Statement]: ...
    def __getitem__(self, row: int | slice) -> Statement | list[Statement]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(self.size))]
        if not 0 <= row < self.size:
            raise IndexError(row)
        random = Random(f"{self.seed}/record/{row}")
        return Statement(
            row,
            _Writer(random).content(row),
            _one_of(random, _TYPES),
            NOW - timedelta(seconds=random.randrange(_YEARS)),
            random.choice((0.3, 0.5, 0.8)),
            random.choice((0.4, 0.8, 1.0)),
        )

    def questions(self, count: int) -> list[str]:
        """Give questions of 14 to 33 tokens, or nearly, that each have much of some record."""
        asked = []
        for number in range(count):
            random = Random(f"{self.seed}/question/{number}")
            content = self[random.randrange(self.size)].content
            asked.append(_Writer(random).question(content))
        return asked


def record_id(row: int) -> str:
    """The id that sorts as its row does."""
    return f"m{row:07}"


def row_of(id: str) -> int:
    """The row of `record_id`."""
    return int(id[1:])


@cache
def _vocabulary(language: str) -> tuple[list[str], list[int]]:
    """Words, and their counts added up."""
    lines = (_DATA / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    words, counts = zip(*(line.split("\t") for line in lines), strict=True)
    return list(words), list(accumulate(map(int, counts)))


@cache
def _topic(language: str, topic: int) -> tuple[list[str], list[float]]:
    """The words that records of a topic are about, each as often as its place says."""
    random = Random(f"{language}/{topic}")
    names = [word for word in _vocabulary(language)[0] if len(word) >= _NAME_LENGTH[language]]
    return random.sample(names, _TOPIC_WORDS), [1 / place for place in range(1, _TOPIC_WORDS + 1)]


class _Writer:
    """Writes one text: half of its words are a topic's, the others the language's."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.topic = random.randrange(_TOPICS)

    def word(self, language: str) -> str:
        if self.random.random() < 0.5:
            words, weights = _topic(language, self.topic)
            return self.random.choices(words, weights)[0]
        return self.common(language)

    def common(self, language: str) -> str:
        words, sums = _vocabulary(language)
        return self.random.choices(words, cum_weights=sums)[0]

    def content(self, row: int) -> str:
        language = _one_of(self.random, _LANGUAGES)
        if language == "mixed":
            return f"{self.english(_TOKENS // 2, row)} {self.chinese(_TOKENS // 2)}"
        return self.chinese(_TOKENS) if language == "chinese" else self.english(_TOKENS, row)

    def english(self, tokens: int, row: int) -> str:
        """Words with about so many tokens; one text in four names something that no other does."""
        words = [f"#{row}"] if self.random.random() < 0.25 else []
        while _english_tokens(words) < tokens:
            words.append(self.word("english"))
        return " ".join(words).capitalize() + "."

    def chinese(self, tokens: int) -> str:
        """Clauses of some words each, with about so many bigrams."""
        clauses: list[str] = []
        while sum(len(clause) - 1 for clause in clauses) < tokens:
            size = self.random.randint(3, 8)
            clauses.append("".join(self.word("chinese") for _ in range(size)))
        return "，".join(clauses) + "。"

    def question(self, content: str) -> str:
        """A part of a text, two thirds of the tokens, and words that it may not have."""
        tokens = self.random.randint(20, 30)
        *words, last = content.split()
        if last.isascii():
            return self.english_part([*words, last], tokens)
        chinese = last.strip("。")
        if not words:
            return self.chinese_part(chinese, tokens)
        english = self.english_part(words, tokens // 2)
        return f"{english} {self.chinese_part(chinese, tokens // 2)}"

    def english_part(self, words: list[str], tokens: int) -> str:
        rest = iter(words[self.random.randrange(max(1, len(words) // 2)) :])
        part: list[str] = []
        while (held := _english_tokens(part)) < tokens:
            known = next(rest, None) if held < tokens * 2 / 3 else None
            part.append(known or self.common("english"))
        return " ".join(part)

    def chinese_part(self, text: str, tokens: int) -> str:
        size = min(len(text), tokens * 2 // 3)
        start = self.random.randint(0, len(text) - size)
        others = (self.common("chinese") for _ in range(max(1, (tokens - size) // 2)))
        return f"{text[start : start + size]} {''.join(others)}"


def _english_tokens(words: list[str]) -> int:
    """About how many tokens words give: each itself, and its trigrams."""
    return sum(max(1, len(word) - 1) for word in words)


def _one_of(random: Random, weights: Mapping[Word, int]) -> Word:
    return random.choices(list(weights), list(weights.values()))[0]
