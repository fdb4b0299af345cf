"""Search: the foundation's pipeline over notes, turns and themes, page by page."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from membound import _core
from membound.policy import MemoryPolicy
from membound.request import MOST_RECORDS, Request
from membound.retrieval import RetrievalResult
from membound.times import START, milliseconds, timestamp
from membound.trace import Trace
from membound.workspace.asked import asked_units
from membound.workspace.cursors import cursor_of, key_of
from membound.workspace.records import SESSIONS, Told, part_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from membound.workspace.asked import Asked
    from membound.workspace.search_index import SearchIndex

__all__ = [
    "Hit",
    "Page",
    "Search",
    "Searched",
]


SEEN: Final = 8
"""Hits that a cursor names, so that one of them is likely to be there still."""


class Key(msgspec.Struct, frozen=True, array_like=True):
    """A place in the order of a search: the final score and the change, descending, and the id."""

    score: float
    updated: int
    id: str

    @property
    def source(self) -> str:
        """What the ids of all pieces of one text, and no others, begin with; its digest's start."""
        return self.id.partition(":")[2][:12]

    def follows(self, other: Key) -> bool:
        """Tells whether it comes after another one."""
        mine, others = (-self.score, -self.updated), (-other.score, -other.updated)
        return (*mine, self.id) > (*others, other.id)


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """What a cursor tells of the pages before.

    Attributes:
        last: the place of the last hit.
        before: the sources of the hits right before it, the nearest first.
        asked: when the first page was asked for, in milliseconds since the epoch: what is recent is
            measured from then on every page.
    """

    last: Key
    before: Annotated[tuple[str, ...], msgspec.Meta(max_length=SEEN)]
    asked: Annotated[int, msgspec.Meta(ge=0, lt=253_402_300_800_000)]

    def behind(self, hits: Iterator[Hit]) -> Iterator[Hit]:
        """Gives the hits behind the last one; where it is gone, behind the nearest that is there.

        What comes and goes meanwhile moves all scores a little, and their order hardly.
        """
        passed: list[Hit] = []
        for hit in hits:
            if hit.key.source == self.last.source:
                yield from hits
                return
            passed.append(hit)
        sources = [hit.key.source for hit in passed]
        for source in self.before:
            if source in sources:
                yield from passed[sources.index(source) + 1 :]
                return
        yield from (hit for hit in passed if hit.key.follows(self.last))


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
    """Some hits in order, each place once, and how to go on.

    Attributes:
        places: how many are relevant; where their pieces do not fit one window, of these.
    """

    hits: tuple[Hit, ...]
    places: int
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
        seen = None if cursor is None else key_of(cursor, Seen)
        if seen is not None:
            asked = msgspec.structs.replace(asked, now=START + timedelta(milliseconds=seen.asked))
        trace, first = self._window(asked, 0)
        rest = _places(self._all(asked, trace, first))
        if seen is not None:
            rest = seen.behind(rest)
        hits = tuple(islice(rest, limit))
        following = None if next(rest, None) is None else cursor_of(_seen(asked, hits, seen))
        searched = _searched(asked, trace)
        is_all = len(trace.rankings) < MOST_RECORDS
        places = sum(1 for _ in _places(iter(first))) if is_all else searched.admitted
        return Page(hits=hits, places=places, searched=searched, next_cursor=following)

    def _all(self, asked: Asked, trace: Trace, hits: list[Hit]) -> Iterator[Hit]:
        """Gives every hit in order, a window after the other, as far as they are needed."""
        offset = 0
        while True:
            yield from hits
            if len(trace.rankings) < MOST_RECORDS:
                return
            offset += MOST_RECORDS
            trace, hits = self._window(asked, offset)

    def told(self, hit: Hit) -> Told | None:
        """Gives what is told of the turn that a hit is a piece of."""
        if hit.told is not None:
            return hit.told
        (record,) = self._index.records([part_id("turn", hit.locator, 0)])
        return None if record is None else _PIECES.decode(record).told

    def _window(self, asked: Asked, offset: int) -> tuple[Trace, list[Hit]]:
        """Gives the hits at up to 64 places of the order, and the trace."""
        request = self._request(asked, offset=offset)
        trace = _TRACES.decode(self._index.retrieve(request).trace())
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


def _searched(asked: Asked, trace: Trace) -> Searched:
    """Tells what was searched, and for what."""
    words = asked_units(asked.query)
    holders = trace.weighing.holders if trace.weighing else [1] * len(words)
    return Searched(
        records=trace.candidate_count,
        admitted=trace.candidate_count - trace.filtered.irrelevant,
        words=words,
        missed=tuple(word for word, held in zip(words, holders, strict=True) if not held),
        folder=asked.within,
    )


def _seen(asked: Asked, hits: Sequence[Hit], former: Seen | None) -> Seen:
    """Gives what a cursor behind a page tells."""
    earlier = () if former is None else (former.last.source, *former.before)
    *others, last = hits
    before = (*(hit.key.source for hit in reversed(others)), *earlier)
    return Seen(last.key, before[:SEEN], milliseconds(asked.now))


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


def _hit(piece: _Piece, score: float) -> Hit:
    updated = _core.instant(piece.updated_at) or 0
    return Hit(
        locator=piece.sources[0].locator,
        text=piece.content,
        score=score,
        key=Key(score, updated, piece.id),
        told=piece.told,
    )
