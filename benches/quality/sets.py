"""Data sets in a folder, and the workspaces in which each of their queries is asked.

A set is a folder with `records.jsonl` and `queries.jsonl`. A conversation is a workspace: a query
has its answer in its own, and in no other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

import msgspec
from tests.oracle.scoring import CHOSEN, Constants, Workspace
from tests.oracle.weighed import record_units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Line = TypeVar("Line", "Record", "Query")

STRANGERS = 2
"""Workspaces of the same set, and of other sets of its language, in which a query is asked too."""


class Record(msgspec.Struct, frozen=True):
    """A line of `records.jsonl`."""

    id: str
    conversation: str
    text: str
    timestamp: str | None = None
    speaker: str | None = None

    @property
    def characters(self) -> int:
        """Length of its text in a context block."""
        return len(json.dumps(self.text, ensure_ascii=False))

    def units(self, *, bare: bool) -> tuple[str, ...]:
        """Units of its text; unless bare, of who spoke and of the day too."""
        named = "+" not in (self.speaker or "")  # `user+assistant` is nobody's name
        beside = {"speaker": self.speaker if named else None, "observedAt": self.timestamp}
        told = {"content": self.text, "tags": [], "sources": []}
        return record_units(told if bare else told | beside)


class Query(msgspec.Struct, frozen=True):
    """A line of `queries.jsonl`; without gold ids, or `adversarial`, it has no answer."""

    id: str
    text: str
    gold_ids: list[str]
    conversation: str
    lang: str
    category: str = ""

    @property
    def answerable(self) -> bool:
        """Whether its workspace has an answer."""
        return bool(self.gold_ids) and self.category != "adversarial"


@dataclass(frozen=True)
class DataSet:
    """Records by conversation, in the file's order, and the queries that have an answer."""

    name: str
    conversations: dict[str, list[Record]]
    queries: list[Query]
    bare: bool
    constants: Constants
    _made: dict[str, Workspace] = field(default_factory=dict)

    @cached_property
    def language(self) -> str:
        """That of its queries."""
        return self.queries[0].lang if self.queries else ""

    def workspace(self, conversation: str) -> Workspace:
        """Give a conversation's records as a request sees them."""
        if conversation not in self._made:
            units = [one.units(bare=self.bare) for one in self.conversations[conversation]]
            self._made[conversation] = Workspace(units, self.constants)
        return self._made[conversation]


def load(folder: Path, *, bare: bool = False, constants: Constants = CHOSEN) -> dict[str, DataSet]:
    """Read every set in a folder, by name."""
    return {
        path.parent.name: _load(path.parent, bare, constants)
        for path in sorted(folder.glob("*/queries.jsonl"))
    }


def _load(folder: Path, bare: bool, constants: Constants) -> DataSet:
    conversations: dict[str, list[Record]] = {}
    for record in _lines(folder / "records.jsonl", Record):
        conversations.setdefault(record.conversation, []).append(record)
    queries = [one for one in _lines(folder / "queries.jsonl", Query) if one.answerable]
    return DataSet(folder.name, conversations, queries, bare, constants)


def _lines(path: Path, line: type[Line]) -> Iterator[Line]:
    with path.open("rb") as file:
        for text in file:
            yield msgspec.json.decode(text, type=line)


def strangers(
    sets: Mapping[str, DataSet], of: DataSet, query: Query
) -> tuple[list[Workspace], list[Workspace]]:
    """Give workspaces without an answer: two of the query's set, two of others in its language.

    Which ones follows from SHA-256 of the query's id and their names.
    """
    same = [(name,) for name in of.conversations if name != query.conversation]
    other = [
        (one.name, name)
        for one in sets.values()
        if one.name != of.name and one.language == of.language
        for name in one.conversations
        if name != query.conversation
    ]
    same.sort(key=lambda names: digest(query.id, *names))
    other.sort(key=lambda names: digest(query.id, *names))
    return (
        [of.workspace(name) for (name,) in same[:STRANGERS]],
        [sets[one].workspace(name) for one, name in other[:STRANGERS]],
    )


def digest(*names: str) -> int:
    """Give a number that looks like chance and follows from the names: 32 bits of SHA-256."""
    return int(sha256("|".join(names).encode()).hexdigest()[:8], 16)
