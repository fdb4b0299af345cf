"""bm25s: BM25 scores computed when the index is made, as sparse matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bm25s

from benches.compare.engines.engine import SELECTED, Engine, query_tokens, record_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement


class Bm25s(Engine[Any]):
    """With its NumPy backend."""

    name = "bm25s, our tokens"
    about = f"`BM25.retrieve(k={SELECTED})` with NumPy, one query at a time"
    folder = "bm25s"
    most = 100_000

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        model = bm25s.BM25()
        model.index(
            [list(record_tokens(statement)) for statement in statements], show_progress=False
        )
        model.save(str(folder), show_progress=False)

    def open(self, folder: Path) -> None:
        self.model = bm25s.BM25.load(str(folder))

    def question(self, query: str) -> Callable[[], Any]:
        tokens = [list(query_tokens(query))]
        return lambda: self.model.retrieve(tokens, k=SELECTED, show_progress=False)

    def rows(self, answer: Any) -> list[int]:  # noqa: ANN401 — bm25s has no types
        return [int(row) for row in answer.documents[0]]


ENGINES = (Bm25s(),)
