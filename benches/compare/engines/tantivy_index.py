"""tantivy: a search library in Rust, through its Python binding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import tantivy

from benches.compare.engines.engine import SELECTED, Engine, query_tokens, record_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement

_HEAP = 128_000_000
_WORDS = re.compile(r"\w+")


class Tantivy(Engine[Any]):
    """One segment's worth of BM25; an answer is row numbers."""

    tokenizer: str

    def schema(self) -> Any:  # noqa: ANN401 — tantivy is not there where types are checked
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field("row", stored=True)
        builder.add_text_field("text", tokenizer_name=self.tokenizer, index_option="freq")
        return builder.build()

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        index = tantivy.Index(self.schema(), path=str(folder))
        writer = index.writer(_HEAP, 1)
        for statement in statements:
            writer.add_document(tantivy.Document(row=statement.row, text=self.text(statement)))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path) -> None:
        self.index = tantivy.Index.open(str(folder))
        self.searcher = self.index.searcher()

    def question(self, query: str) -> Callable[[], Any]:
        terms = [
            tantivy.Query.term_query(self.index.schema, "text", word, "freq")
            for word in dict.fromkeys(self.words(query))
        ]
        any_of = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        search, document = self.searcher.search, self.searcher.doc
        return lambda: [
            document(at)["row"][0] for _, at in search(any_of, SELECTED, count=False).hits
        ]

    def rows(self, answer: Any) -> list[int]:  # noqa: ANN401 — row numbers
        return list(answer)

    def text(self, statement: Statement) -> str:
        """What is indexed of a record."""
        return statement.text

    def words(self, query: str) -> Iterable[str]:
        """What is looked for."""
        return (word.lower() for word in _WORDS.findall(query))


class Text(Tantivy):
    """Its default tokenizer over the text."""

    name = "tantivy, text"
    about = f"any of the words, BM25, the best {SELECTED}; a run of Chinese is one word to it"
    folder = "tantivy-text"
    tokenizer = "default"


class Tokens(Tantivy):
    """Our tokens as the text."""

    name = "tantivy, our tokens"
    about = "the same over our tokens"
    folder = "tantivy-tokens"
    tokenizer = "whitespace"

    def text(self, statement: Statement) -> str:
        return " ".join(record_tokens(statement))

    def words(self, query: str) -> Iterable[str]:
        return query_tokens(query)


ENGINES = (Text(), Tokens())
