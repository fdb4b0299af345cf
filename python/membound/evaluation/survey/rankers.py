"""Rankers: what others find for the same question, with the same budgets and without a floor."""

from __future__ import annotations

import re
from importlib.metadata import version
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args
from unicodedata import normalize

from membound.context import reference_block
from membound.errors import IndexUnavailableError, MissingExtraError
from membound.evaluation.baselines import newest_that_fit
from membound.evaluation.survey.answers import LIMIT, Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from membound.evaluation.survey.answers import Answerer
    from membound.evaluation.survey.sets import Conversation
    from membound.policy import MemoryPolicy
    from membound.records import MemoryRecord

__all__ = ["RANKED", "RANKERS", "Ranker", "RankerName", "answering_as", "ranker_of"]

RankerName = Literal["fts5", "fts5-porter", "fts5-trigram", "bm25s", "bm25s-stemmed"]
RANKERS: Final[tuple[RankerName, ...]] = get_args(RankerName)
RANKED: Final = 64
"""How many places a ranker gives, as many as a trace has."""

Found = list[tuple[int, float]]

_WORDS = re.compile(r"\w+")
_RANGES = "\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af"
_CJK = re.compile(f"([{_RANGES}]+)|([^{_RANGES}]+)")
_TRIGRAM = 3
_SNOWBALL: Final = {
    "ar": "arabic",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
_TOKENIZERS: Final = {
    "fts5": "unicode61",
    "fts5-porter": "porter unicode61",
    "fts5-trigram": "trigram",
}


class Ranker(Protocol):
    """Makes an index of some records, and gives what answers from it."""

    settings: dict[str, Any]

    def over(self, records: Sequence[MemoryRecord], language: str) -> Callable[[str], Found]:
        """Return what ranks places in `records` for a query, with scores, best first."""
        ...


def ranker_of(name: RankerName) -> Ranker:
    """Return a ranker.

    Raises:
        MissingExtraError: it needs bm25s or PyStemmer, which is not installed.
        IndexUnavailableError: Python's SQLite has no FTS5.
    """
    if name == "bm25s":
        return _Bm25s()
    return _Bm25sStemmed() if name == "bm25s-stemmed" else _Fts5(_TOKENIZERS[name])


def answering_as(ranker: Ranker, now: datetime | None, policy: MemoryPolicy) -> Answerer:
    """Answer as a ranker ranks; the budgets are those of recall, but nothing is cut to fit."""
    made: dict[str, Callable[[str], Found]] = {}

    def answer(conversation: Conversation, text: str) -> Answer:
        records, place = conversation.records, conversation.workspace
        if place not in made:
            made[place] = ranker.over(records, conversation.language)
        moment = now or conversation.moment
        start = perf_counter()
        found = made[place](text)
        seconds = perf_counter() - start
        ranked = [records[row] for row, _ in found]
        taken = newest_that_fit(ranked, now=moment, policy=policy, limit=LIMIT)
        ids = tuple(record.id for record in ranked)
        return Answer(
            ranked=ids,
            listed=ids,
            scores=tuple(score for _, score in found),
            selected=tuple(record.id for record in taken),
            characters=len(reference_block(taken, now=moment)),
            seconds=seconds,
        )

    return answer


class _Fts5:
    """A table in memory for each conversation: Python's own SQLite, and no file at all."""

    def __init__(self, tokenizer: str) -> None:
        try:
            import sqlite3  # noqa: PLC0415, TID251 — in memory, never on a file
        except ImportError as error:
            raise IndexUnavailableError("this Python has no module sqlite3") from error
        self._sqlite = sqlite3
        self._tokenizer = tokenizer
        self.settings = {"sqlite": sqlite3.sqlite_version, "tokenize": tokenizer}

    def over(self, records: Sequence[MemoryRecord], language: str) -> Callable[[str], Found]:
        del language  # its tokenizers know none
        connection = self._sqlite.connect(":memory:")
        try:
            connection.execute(
                f"CREATE VIRTUAL TABLE search USING fts5 (text, tokenize = '{self._tokenizer}')"
            )
        except self._sqlite.OperationalError as error:
            raise IndexUnavailableError(f"Python's SQLite refuses: {error}") from error
        connection.executemany(
            "INSERT INTO search (rowid, text) VALUES (?, ?)", enumerate(map(_text, records))
        )

        def rank(query: str) -> Found:
            match = " OR ".join(f'"{word}"' for word in dict.fromkeys(self._words(query)))
            rows = connection.execute(
                "SELECT rowid, -bm25(search) FROM search WHERE search MATCH ?"
                " ORDER BY bm25(search), rowid LIMIT ?",
                (match or '""', RANKED),
            )
            return [(int(row), float(score)) for row, score in rows]

        return rank

    def _words(self, query: str) -> Iterator[str]:
        """Yield words; for trigrams the windows of those too, as a CJK run is one word."""
        for word in _WORDS.findall(query):
            if self._tokenizer != "trigram":
                yield word
            else:
                yield from _windows(word, _TRIGRAM)


class _Bm25s:
    """Over words and pairs of CJK, as its own tokenizer takes a CJK run for one word."""

    def __init__(self) -> None:
        try:
            import bm25s  # noqa: PLC0415 — of the extra `evaluation`
        except ImportError as error:
            raise MissingExtraError("evaluation", "bm25s") from error
        self._bm25s: Any = bm25s
        self.settings = {
            "bm25s": version("bm25s"),
            "method": "lucene",
            "k1": 1.5,
            "b": 0.75,
            "tokens": "words, of CJK runs pairs",
        }

    def over(self, records: Sequence[MemoryRecord], language: str) -> Callable[[str], Found]:
        terms = self._terms_of(language)
        documents = [list(terms(_text(record))) for record in records]
        if not any(documents):
            return lambda _: []
        model = self._bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        model.index(documents, show_progress=False)

        def rank(query: str) -> Found:
            asked = [term for term in dict.fromkeys(terms(query)) if term in model.vocab_dict]
            if not asked:
                return []
            scores = model.get_scores(asked).tolist()
            found = ((row, score) for row, score in enumerate(scores) if score > 0)
            return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:RANKED]

        return rank

    def _terms_of(self, language: str) -> Callable[[str], Iterator[str]]:
        """Return what gives the terms of a text in a language."""
        del language
        return _terms


class _Bm25sStemmed(_Bm25s):
    """The same over stems without stop words, in languages that Snowball and bm25s have them of."""

    def __init__(self) -> None:
        super().__init__()
        try:
            import Stemmer  # noqa: PLC0415 — of the extra `evaluation`
        except ImportError as error:
            raise MissingExtraError("evaluation", "PyStemmer") from error
        self._stemmer: Any = Stemmer
        self.settings |= {
            "PyStemmer": version("PyStemmer"),
            "tokens": "Snowball's stems without bm25s's stop words, of CJK runs pairs",
        }

    def _terms_of(self, language: str) -> Callable[[str], Iterator[str]]:
        name = _SNOWBALL.get(language)
        stemmed = self._stemmer.Stemmer(name).stemWord if name else str
        list_name = f"STOPWORDS_{'EN' if language == 'en' else str(name).upper()}"
        stop = frozenset(getattr(self._bm25s.stopwords, list_name, ()))

        def terms(text: str) -> Iterator[str]:
            return (stemmed(term) for term in _terms(text) if term not in stop)

        return terms


def _text(record: MemoryRecord) -> str:
    return "\n".join((record.content, *record.tags))


def _terms(text: str) -> Iterator[str]:
    """Yield words as often as they stand there, and of a CJK run its pairs."""
    for word in _WORDS.findall(normalize("NFKC", text).lower()):
        for cjk, other in _CJK.findall(word):
            yield from _windows(cjk, 2) if len(cjk) > 1 else (cjk or other,)


def _windows(word: str, size: int) -> Iterator[str]:
    return (word[at : at + size] for at in range(len(word) - size + 1))
