"""What is compared: something that is built once over a corpus, opened, and asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from membound import search_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.compare.corpus import Statement

SELECTED = 8
"""How many records a recall selects, and an engine without candidates is asked for."""

Answer = TypeVar("Answer")


class Engine(ABC, Generic[Answer]):
    """One way to recall.

    Attributes:
        name: what the table calls it.
        about: what it does, for the legend.
        folder: where it is built; engines with the same one share what is built there.
        most: the largest corpus for which it is built and asked.
        exact: whether its answers must be the true top, in order; the comparison fails where not.
    """

    name: str
    about: str
    folder: str
    most: int = 10_000_000
    exact: bool = False

    @abstractmethod
    def build(self, statements: Sequence[Statement], folder: Path) -> None:
        """Make in an empty folder what is opened later."""

    @abstractmethod
    def open(self, folder: Path) -> None:
        """Be ready for questions."""

    @abstractmethod
    def question(self, query: str) -> Callable[[], Answer]:
        """Put the query into the engine's own form, untimed; what is given back is timed."""

    @abstractmethod
    def rows(self, answer: Answer) -> Sequence[int]:
        """The rows of the corpus that an answer holds, best first."""

    def disk(self, folder: Path) -> dict[str, int]:
        """Give the bytes that each part takes on disk, the index alone as "index"."""
        return {"index": taken(folder)}

    def close(self) -> None:
        """Let go of what is open."""


def taken(folder: Path) -> int:
    """The bytes of all blocks of the files in a folder."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def record_tokens(statement: Statement) -> tuple[str, ...]:
    """Our tokens of a record."""
    return search_tokens(statement.text).tokens


def query_tokens(query: str) -> tuple[str, ...]:
    """Our tokens of a query."""
    return search_tokens(query, limit=128).tokens
