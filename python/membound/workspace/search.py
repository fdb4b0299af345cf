"""Search: the foundation's pipeline over notes, turns and themes, page by page."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

import msgspec

from membound import _core
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.fields import MemoryType
from membound.policy import MemoryPolicy
from membound.request import MOST_RECORDS, Request
from membound.retrieval import RetrievalResult
from membound.text import any_text
from membound.times import milliseconds, timestamp
from membound.tokens import QUERY_TOKENS
from membound.trace import Trace
from membound.workspace.cursors import cursor_of, key_of
from membound.workspace.cutting import cut
from membound.workspace.records import SESSIONS, Told, part_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from membound.workspace.search_index import SearchIndex

__all__ = [
    "MOST_LINES",
    "Asked",
    "Hit",
    "Page",
    "Search",
    "Searched",
    "asked_words",
    "lines_with",
    "units",
]

LINE_CHARACTERS: Final = 200
MOST_LINES: Final = 3


class Key(msgspec.Struct, frozen=True, array_like=True):
    """A place in the order of a search: the final score and the change, descending, and the id."""

    score: float
    updated: int
    id: str

    def follows(self, other: Key) -> bool:
        """Tells whether it comes after another one."""
        mine, others = (-self.score, -self.updated), (-other.score, -other.updated)
        return (*mine, self.id) > (*others, other.id)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One search, checked.

    Attributes:
        query: the words.
        now: when it is asked.
        within: only what lies in this folder, or below it.
        types: only these types.
        tags: only what carries every one.
        since: only what was changed or said then or later.
        until: only what was changed or said before.
    """

    query: str
    now: datetime
    within: str | None = None
    types: tuple[MemoryType, ...] | None = None
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of text that a search found.

    Attributes:
        locator: where it lies: the path of a note, or the place of a turn.
        text: what it says.
        score: its final score, from 0 to 1.
        key: its place in the order.
        told: what is told of a turn.
    """

    locator: str
    text: str
    score: float
    key: Key
    told: Told | None = None


class Searched(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was searched, and for what.

    Attributes:
        records: how many pieces of text could have been found.
        admitted: how many were relevant.
        words: what was searched for; CJK text in pairs of characters.
        missed: those that no text has.
        folder: where, if not everywhere.
    """

    records: int
    admitted: int
    words: tuple[str, ...]
    missed: tuple[str, ...]
    folder: str | None = None


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Some hits in order, each place once, and how to go on."""

    hits: tuple[Hit, ...]
    searched: Searched
    next_cursor: str | None = None


class _Source(msgspec.Struct):
    locator: str


class _Piece(msgspec.Struct, rename="camel"):
    """What a hit tells of its record."""

    id: str
    content: str
    sources: tuple[_Source, ...]
    updated_at: str
    told: Told | None = None


_PIECES: Final = msgspec.json.Decoder(_Piece)
_TRACES: Final = msgspec.json.Decoder(Trace)


class Search:
    """What can be asked of the search index of a workspace.

    Args:
        index: what is searched.
        workspace: the id of the workspace.
    """

    def __init__(self, index: SearchIndex, *, workspace: str) -> None:
        self._index = index
        self._workspace = workspace

    def recall(self, asked: Asked, *, limit: int, character_budget: int) -> RetrievalResult:
        """Recalls what is relevant, in a fenced block, with its trace."""
        request = self._request(asked, limit=limit, character_budget=character_budget)
        return RetrievalResult.found(self._index.retrieve(request), self._index.state)

    def page(self, asked: Asked, *, limit: int, cursor: str | None = None) -> Page:
        """Gives the places that are relevant, best first, from behind the cursor on.

        Raises:
            InvalidInputError: the cursor is none that a search gave.
        """
        after = None if cursor is None else key_of(cursor, Key)
        windows = _Windows(self, asked)
        hits: list[Hit] = []
        for hit in _places(windows.hits()):
            if after is not None and not hit.key.follows(after):
                continue
            if len(hits) == limit:
                following = cursor_of(hits[-1].key)
                return Page(hits=tuple(hits), searched=windows.searched(), next_cursor=following)
            hits.append(hit)
        return Page(hits=tuple(hits), searched=windows.searched())

    def told(self, hit: Hit) -> Told | None:
        """Gives what is told of the turn that a hit is a piece of."""
        if hit.told is None:
            for record in self._index.records([part_id("turn", hit.locator, 0)]):
                return None if record is None else _PIECES.decode(record).told
        return hit.told

    def window(self, asked: Asked, offset: int) -> tuple[Trace, list[Hit]]:
        """Gives the hits at up to 64 places of the order, and the trace."""
        trace = _TRACES.decode(self._index.retrieve(self._request(asked, offset=offset)).trace())
        ids = [ranking.memory_id for ranking in trace.rankings]
        pieces = [_PIECES.decode(one) for one in self._index.records(ids) if one is not None]
        scores = {one.memory_id: one.features.final_score for one in trace.rankings}
        return trace, [_hit(piece, scores[piece.id]) for piece in pieces]

    def _request(
        self, asked: Asked, *, limit: int = 0, character_budget: int = 0, offset: int = 0
    ) -> Request:
        return Request(
            query=asked.query,
            now=milliseconds(asked.now),
            timestamp=timestamp(asked.now),
            policy=MemoryPolicy(max_injected_records=max(limit, 1)),
            workspace=self._workspace,
            purpose="tool",
            limit=limit,
            character_budget=character_budget,
            relevance_mode="foundation-v2",
            tokenizer="v2",
            types=asked.types,
            tags=asked.tags,
            within=asked.within,
            since=None if asked.since is None else milliseconds(asked.since),
            until=None if asked.until is None else milliseconds(asked.until),
            offset=offset,
        )


class _Windows:
    """The whole order of a search, read in windows as far as it is needed."""

    def __init__(self, search: Search, asked: Asked) -> None:
        self._search = search
        self._asked = asked
        self._trace: Trace | None = None

    def hits(self) -> Iterator[Hit]:
        """Gives every hit in order."""
        offset = 0
        while True:
            trace, hits = self._search.window(self._asked, offset)
            self._trace = self._trace or trace
            yield from hits
            if len(trace.rankings) < MOST_RECORDS:
                return
            offset += MOST_RECORDS

    def searched(self) -> Searched:
        """Tells what was searched, and for what."""
        if self._trace is None:
            self._trace, _ = self._search.window(self._asked, 0)
        trace = self._trace
        words = units(self._asked.query)
        holders = trace.weighing.holders if trace.weighing else ()
        return Searched(
            records=trace.candidate_count,
            admitted=trace.candidate_count - trace.filtered.irrelevant,
            words=words,
            missed=tuple(word for word, held in zip(words, holders, strict=False) if not held),
            folder=self._asked.within,
        )


def _places(hits: Iterator[Hit]) -> Iterator[Hit]:
    """Gives the first hit of each place, and of a turn and its copies in other sessions."""
    seen: set[object] = set()
    for hit in hits:
        keys: set[object] = {hit.locator}
        if hit.locator.startswith(f"{SESSIONS}/"):
            keys.add((hit.locator.rpartition("/")[2], hit.key.updated, hit.text))
        if seen.isdisjoint(keys):
            yield hit
        seen |= keys


def asked_words(query: object, field: str = "query") -> str:
    """Reads the words of a search.

    Raises:
        InvalidInputError: it is no text, or has nothing to search for.
    """
    text = any_text(query, field)
    if not text.strip():
        raise InvalidInputError(field, "words to search for", excerpt(query))
    return text


def units(query: str) -> tuple[str, ...]:
    """Gives what a query is searched by."""
    tokens, _ = _core.search_tokens(query, QUERY_TOKENS["v2"], "v2")
    return tuple(token[1:] for token in tokens)


def lines_with(query: str, text: str) -> tuple[str, ...]:
    """Gives up to three lines of a text that have most words of a query, in their order."""
    wanted = frozenset(_core.search_tokens(query, QUERY_TOKENS["v2"], "v2")[0])
    lines = [line.strip() for line in text.splitlines()]
    counted = [
        (len(wanted.intersection(_core.search_tokens(line, 512, "v2")[0])), -at)
        for at, line in enumerate(lines)
        if line
    ]
    best = sorted(one for one in counted if one[0])[-MOST_LINES:]
    return tuple(
        cut(lines[-at], LINE_CHARACTERS) for _, at in sorted(best, key=lambda one: -one[1])
    )


def _hit(piece: _Piece, score: float) -> Hit:
    updated = _core.instant(piece.updated_at) or 0
    return Hit(
        locator=piece.sources[0].locator,
        text=piece.content,
        score=score,
        key=Key(score, updated, piece.id),
        told=piece.told,
    )
