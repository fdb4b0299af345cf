"""Themes from a cold start: turns that a search found, grouped by what they have in common.

Nothing is tagged: somebody reads the groups, and says which turns belong to a theme.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import msgspec

from membound.times import moment
from membound.tokens import search_tokens
from membound.workspace.refined import Refined
from membound.workspace.sessions.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Candidate", "Group", "Member", "grouped"]

CLOSE: Final = timedelta(minutes=30)
"""Turns of a session that are no further apart belong together if they share a term."""
SHARED_TERMS: Final = 3
"""Turns that share so many terms belong together, whenever they were."""
MOST_TERMS: Final = 8
"""Terms that a group tells of."""
_COMMON: Final = 0.5
"""A term that more of the turns have says nothing of any of them."""
_FEW: Final = 4
"""Fewer turns are too few to say which terms are common."""
_LETTERS: Final = 3
_TOKENS: Final = 512
_EMPTY_TEXT: Final = """
about add after all and any are because been but can could did does done down for from get
had has have here how into its just let make more need new not now off one only our out over
please set should some than that the their them then there these they this too use was were
what when where which who why will with would yes yet you your
我们 你们 他们 这个 那个 一个 什么 怎么 为什 现在 可以 已经 没有 如果 因为 所以 但是 需要
"""
_EMPTY: Final = frozenset(_EMPTY_TEXT.split())
"""Words, and pairs of characters, that every text has."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that a search for the seed words found.

    Attributes:
        turn: the turn.
        refined: what it comes to.
        score: how well it answers the search.
    """

    turn: Turn
    refined: Refined
    score: float


class Member(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn of a group."""

    session_id: str
    turn_id: int
    timestamp: str | None
    summary: str
    score: float


class Group(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Turns that may belong to one theme.

    Attributes:
        members: the turns, in the order of their times.
        terms: words that at least two of them share, the most common ones first.
        files: files that at least two of them name.
        first: when the first one was, where that is known.
        last: the same of the last one.
        score: the best of its members.
        reasons: why they stand together, for a person.
    """

    members: tuple[Member, ...]
    terms: tuple[str, ...]
    files: tuple[str, ...]
    first: str | None
    last: str | None
    score: float
    reasons: tuple[str, ...]


def grouped(
    candidates: Iterable[Candidate], seeds: Sequence[str] = (), *, close: timedelta = CLOSE
) -> tuple[Group, ...]:
    """Groups turns by closeness in time and by terms that they share.

    Two turns stand together if they are of one session, close in time, and share a term or file;
    or if they share several, whenever they were. The same turns give the same groups, in whichever
    order they come; the best group is first. The time grows with the square of their number.

    Args:
        candidates: the turns; one that comes twice counts once, with its better score.
        seeds: the words that were searched for, which tell no turn from another.
        close: how far apart turns of a session may be.
    """
    turns = _in_order(candidates)
    known = {token for seed in seeds for token in _tokens(seed)}
    terms = _telling([_terms(one) - known for one in turns])
    groups = (
        _group([turns[at] for at in found], [terms[at] for at in found], close)
        for found in _linked(turns, terms, close)
    )
    return tuple(sorted(groups, key=lambda one: (-one.score, -len(one.members), _key(one))))


def _key(group: Group) -> tuple[str, str, int]:
    first = group.members[0]
    return first.timestamp or "", first.session_id, first.turn_id


def _in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Gives each turn once, in the order of their times."""
    best: dict[tuple[str, int], Candidate] = {}
    for one in candidates:
        place = (one.turn.session_id, one.turn.turn_id)
        if place not in best or best[place].score < one.score:
            best[place] = one
    return sorted(best.values(), key=_moment)


def _moment(one: Candidate) -> tuple[datetime, str, int]:
    return moment(one.turn.timestamp), one.turn.session_id, one.turn.turn_id


def _tokens(text: str) -> Iterator[str]:
    """Gives the words of a text, and its pairs of CJK characters, that may say what it is about."""
    for token in search_tokens(text, limit=_TOKENS, tokenizer="v2").tokens:
        kind, term = token[0], token[1:]
        is_word = kind == "w" and len(term) >= _LETTERS and not term.isdigit()
        if (is_word or kind == "c") and term not in _EMPTY:
            yield term


def _terms(one: Candidate) -> frozenset[str]:
    """Gives what a turn is about, with the files that it names."""
    told = one.refined
    text = "\n".join((one.turn.user, told.summary, *told.facts, *told.notes))
    return frozenset((*_tokens(text), *map(_file_term, told.entities.files)))


def _file_term(file: str) -> str:
    """Gives the term of a file, which is no word."""
    return f"/{file}"


def _telling(terms: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Leaves out what most of the turns have."""
    if len(terms) < _FEW:
        return list(terms)
    counts = Counter(term for found in terms for term in found)
    most = len(terms) * _COMMON
    return [frozenset(term for term in found if counts[term] <= most) for found in terms]


def _linked(
    turns: Sequence[Candidate], terms: Sequence[frozenset[str]], close: timedelta
) -> list[list[int]]:
    """Gives the places of turns that hang together, each once."""
    heads = list(range(len(turns)))

    def head(at: int) -> int:
        while heads[at] != at:
            heads[at] = at = heads[heads[at]]
        return at

    for late in range(len(turns)):
        for early in range(late):
            if _belong(turns[early], turns[late], len(terms[early] & terms[late]), close):
                heads[head(late)] = head(early)
    found: dict[int, list[int]] = {}
    for at in range(len(turns)):
        found.setdefault(head(at), []).append(at)
    return list(found.values())


def _belong(early: Candidate, late: Candidate, shared: int, close: timedelta) -> bool:
    """Tells whether two turns stand together."""
    return shared >= SHARED_TERMS or (shared > 0 and _are_close(early, late, close))


def _are_close(early: Candidate, late: Candidate, close: timedelta) -> bool:
    """Tells whether two turns of a session are close in time; without times, neighbours are."""
    one, other = early.turn, late.turn
    if one.session_id != other.session_id:
        return False
    if one.timestamp is None or other.timestamp is None:
        return abs(one.turn_id - other.turn_id) == 1
    return _moment(late)[0] - _moment(early)[0] <= close


def _group(
    members: Sequence[Candidate], terms: Sequence[frozenset[str]], close: timedelta
) -> Group:
    """Tells of turns that hang together."""
    counts = Counter(term for found in terms for term in found)
    shared = sorted((term for term in counts if counts[term] > 1), key=lambda it: (-counts[it], it))
    named = {_file_term(file): file for one in members for file in one.refined.entities.files}
    words = tuple(term for term in shared if term not in named)[:MOST_TERMS]
    files = tuple(named[term] for term in shared if term in named)[:MOST_TERMS]
    times = [one.turn.timestamp for one in members if one.turn.timestamp]
    return Group(
        members=tuple(map(_member, members)),
        terms=words,
        files=files,
        first=times[0] if times else None,
        last=times[-1] if times else None,
        score=max(one.score for one in members),
        reasons=tuple(_reasons(members, words, files, close)),
    )


def _reasons(
    members: Sequence[Candidate], words: Sequence[str], files: Sequence[str], close: timedelta
) -> Iterator[str]:
    """Says why turns stand together."""
    if len(members) == 1:
        yield "stands by itself: it shares too little with the others"
        return
    if words:
        yield f"share the terms {', '.join(words)}"
    if files:
        yield f"name the files {', '.join(files)}"
    count = sum(_are_close(early, late, close) for early, late in pairwise(members))
    if count:
        minutes = int(close.total_seconds() // 60)
        yield f"{count} follow the one before in its session within {minutes} minutes"
    if sessions := len({one.turn.session_id for one in members}) - 1:
        yield f"come from {sessions + 1} sessions"


def _member(one: Candidate) -> Member:
    return Member(
        session_id=one.turn.session_id,
        turn_id=one.turn.turn_id,
        timestamp=one.turn.timestamp,
        summary=one.refined.summary,
        score=one.score,
    )
