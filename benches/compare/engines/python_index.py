"""Our own rules in plain Python: an inverted index, a Counter, the exact top."""

from __future__ import annotations

import pickle
import re
from collections import Counter, defaultdict
from heapq import nsmallest
from typing import TYPE_CHECKING

from benches.compare.corpus import NOW
from benches.compare.engines.engine import SELECTED, Engine, query_tokens, record_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement

_HALF_LIFE = 180 * 86_400_000
_HINTS = (
    ("preference", r"prefer|preference|favorite|favourite|like", "偏好|喜欢|习惯"),
    ("decision", r"decide|decision|chosen|choice", "决定|选择|决策"),
    ("fact", r"who am i|my name|identity|profile", "我是谁|我的名字|身份"),
)
_TYPE_HINTS = tuple(
    (type, re.compile(rf"(?<![a-z0-9_])(?:{latin})(?![a-z0-9_])|{chinese}"))
    for type, latin, chinese in _HINTS
)

_Made = tuple[dict[str, list[int]], dict[str, list[int]], list[int], list[tuple[float, float]]]
"""Rows by token and by type; when each was updated; importance and confidence of each."""


class PythonIndex(Engine[list[int]]):
    """As a careful Python programmer writes it: no scopes, no lifecycles, no trace."""

    name = "Python, our rules"
    about = "the same selection by an inverted index in plain Python; checked to be equal"
    folder = "python"
    exact = True

    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        postings: defaultdict[str, list[int]] = defaultdict(list)
        by_type: defaultdict[str, list[int]] = defaultdict(list)
        for statement in statements:
            by_type[statement.type].append(statement.row)
            for token in record_tokens(statement):
                postings[token].append(statement.row)
        updated = [round(statement.updated.timestamp() * 1_000) for statement in statements]
        weights = [(statement.importance, statement.confidence) for statement in statements]
        made: _Made = (dict(postings), dict(by_type), updated, weights)
        (folder / "index.pickle").write_bytes(pickle.dumps(made))

    def open(self, folder: Path) -> None:
        made: _Made = pickle.loads((folder / "index.pickle").read_bytes())  # noqa: S301 — ours, just made
        self.postings, self.by_type, self.updated, self.weights = made
        self.now = round(NOW.timestamp() * 1_000)

    def question(self, query: str) -> Callable[[], list[int]]:
        tokens = query_tokens(query)
        folded = query.lower()
        return lambda: self.selected(folded, tokens)

    def rows(self, answer: list[int]) -> list[int]:
        return answer

    def selected(self, query: str, tokens: tuple[str, ...]) -> list[int]:
        """The rows of the exact top."""
        counts: Counter[int] = Counter()
        for token in tokens:
            counts.update(self.postings.get(token, ()))
        size = len(tokens)
        floor = 1 / 3 if any(token[0] == "c" for token in tokens) else 0.4
        admitted = {row: 0.0 for row, count in counts.items() if count / size >= floor}
        for type, words in _TYPE_HINTS:
            if words.search(query):
                admitted |= dict.fromkeys(self.by_type.get(type, ()), 1.0)
        return nsmallest(
            SELECTED,
            admitted,
            key=lambda row: (
                -self.score(row, counts[row] / size, admitted[row]),
                -self.updated[row],
                row,
            ),
        )

    def score(self, row: int, lexical: float, type_affinity: float) -> float:
        """The final score, its sum in the order of the rules."""
        importance, confidence = self.weights[row]
        freshness: float = 0.5 ** (max(0, self.now - self.updated[row]) / _HALF_LIFE)
        total = lexical * 0.55 + 0.9 * 0.1 + type_affinity * 0.1
        return total + freshness * 0.1 + importance * 0.075 + confidence * 0.075


ENGINES = (PythonIndex(),)
