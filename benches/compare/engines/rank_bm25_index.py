"""rank-bm25: BM25 over dictionaries in plain Python and NumPy."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
from rank_bm25 import BM25Okapi

from benches.compare.engines.engine import SELECTED, Engine, query_tokens, record_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement


class RankBm25(Engine[Any]):
    """BM25Okapi; it is kept in memory only, so the harness pickles it."""

    name = "rank-bm25, our tokens"
    about = f"`BM25Okapi.get_scores`, the best {SELECTED} by `argpartition`"
    folder = "rank-bm25"
    most = 100_000

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        model = BM25Okapi([record_tokens(statement) for statement in statements])
        (folder / "index.pickle").write_bytes(pickle.dumps(model))

    def open(self, folder: Path) -> None:
        self.model = pickle.loads((folder / "index.pickle").read_bytes())  # noqa: S301 — ours

    def question(self, query: str) -> Callable[[], Any]:
        tokens = query_tokens(query)

        def ask() -> Any:  # noqa: ANN401 — rank-bm25 has no types
            scores = self.model.get_scores(tokens)
            best = np.argpartition(scores, -SELECTED)[-SELECTED:]
            return best[np.argsort(-scores[best])]

        return ask

    def rows(self, answer: Any) -> list[int]:  # noqa: ANN401 — an array
        return [int(row) for row in answer]


ENGINES = (RankBm25(),)
