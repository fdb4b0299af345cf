"""SQLite FTS5 as it is commonly used: all words, bm25, so many candidates."""

from __future__ import annotations

import re
import sqlite3  # noqa: TID251 — on files of the peers, never on ours
from sqlite3 import sqlite_version  # noqa: TID251 — the same
from typing import TYPE_CHECKING, Any

from benches.compare.corpus import record_id, row_of
from benches.compare.engines.engine import SELECTED, Engine, query_tokens, record_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement

__all__ = ["ENGINES", "sqlite_version"]

_CANDIDATES = 256
_WORDS = re.compile(r"\w+")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")


Rows = list[tuple[Any, ...]]


class Fts5(Engine[Rows]):
    """A table of records and an FTS5 table beside it, joined by the record's id."""

    tokenizer = "unicode61"

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        connection = sqlite3.connect(folder / "index.sqlite3")
        with connection:
            connection.execute("CREATE TABLE memory (id TEXT PRIMARY KEY, content TEXT NOT NULL)")
            connection.execute(
                f"CREATE VIRTUAL TABLE search USING fts5"
                f"(memory_id UNINDEXED, text, tokenize = '{self.tokenizer}')"
            )
            for statement in statements:
                id = record_id(statement.row)
                connection.execute("INSERT INTO memory VALUES (?, ?)", (id, statement.content))
                connection.execute("INSERT INTO search VALUES (?, ?)", (id, self.text(statement)))
        connection.close()

    def open(self, folder: Path) -> None:
        self.connection = sqlite3.connect(folder / "index.sqlite3")

    def question(self, query: str) -> Callable[[], Rows]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(self.words(query)))
        ask = self.connection.execute
        return lambda: ask(
            "SELECT memory.id, memory.content FROM search"
            " JOIN memory ON memory.id = search.memory_id"
            " WHERE search MATCH ? ORDER BY bm25(search) LIMIT ?",
            (match, _CANDIDATES),
        ).fetchall()

    def rows(self, answer: Rows) -> list[int]:
        return [row_of(row[0]) for row in answer]

    def close(self) -> None:
        self.connection.close()

    def text(self, statement: Statement) -> str:
        """What is indexed of a record."""
        return statement.text

    def words(self, query: str) -> Iterable[str]:
        """What is looked for."""
        return _WORDS.findall(query)


class Unicode61(Fts5):
    """The default tokenizer over the text."""

    name = "FTS5, text, unicode61"
    about = "words joined by OR, joined by id, `ORDER BY bm25 LIMIT 256`; SQL alone"
    folder = "fts5-text"


class Trigram(Fts5):
    """The trigram tokenizer over the text."""

    name = "FTS5, text, trigram"
    about = "the same with `tokenize = 'trigram'`; Chinese is asked by windows of three characters"
    folder = "fts5-trigram"
    tokenizer = "trigram"

    def words(self, query: str) -> Iterable[str]:
        for word in _WORDS.findall(query):
            if _HAN_RUN.fullmatch(word):
                yield from (word[at : at + 3] for at in range(len(word) - 2))
            elif len(word) >= 3:
                yield word


class Tokens(Fts5):
    """Our tokens as the text."""

    name = "FTS5, our tokens"
    about = "the same over our tokens, joined by spaces: all of them are asked for"
    folder = "fts5-tokens"
    tokenizer = "unicode61 remove_diacritics 0 tokenchars _"

    def text(self, statement: Statement) -> str:
        return " ".join(record_tokens(statement))

    def words(self, query: str) -> Iterable[str]:
        return query_tokens(query)


class Contentless(Tokens):
    """Our tokens in the leanest table that still ranks."""

    name = "FTS5, our tokens, contentless"
    about = f"contentless, optimized, no join: row numbers, `ORDER BY rank LIMIT {SELECTED}`"
    folder = "fts5-contentless"

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        connection = sqlite3.connect(folder / "index.sqlite3")
        with connection:
            connection.execute(
                f"CREATE VIRTUAL TABLE search USING fts5"
                f"(text, content = '', tokenize = '{self.tokenizer}')"
            )
            connection.executemany(
                "INSERT INTO search (rowid, text) VALUES (?, ?)",
                ((statement.row, self.text(statement)) for statement in statements),
            )
            connection.execute("INSERT INTO search (search) VALUES ('optimize')")
        connection.close()

    def question(self, query: str) -> Callable[[], Rows]:
        match = " OR ".join(f'"{word}"' for word in self.words(query))
        ask = self.connection.execute
        return lambda: ask(
            "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?",
            (match, SELECTED),
        ).fetchall()

    def rows(self, answer: Rows) -> list[int]:
        return [int(row[0]) for row in answer]


ENGINES = (Unicode61(), Trigram(), Tokens(), Contentless())
