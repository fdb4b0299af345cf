"""Answers: what each path of recall says to a question in a conversation, and how long it takes."""

from __future__ import annotations

import math
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import msgspec

from membound.errors import IndexUnavailableError
from membound.ranking import RankingFloors, RankingPolicy
from membound.request import retrieval_request
from membound.retrieval import retrieve_among
from membound.store import MemoryStore
from membound.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from membound.evaluation.survey.sets import Conversation, DataSet
    from membound.policy import MemoryPolicy
    from membound.request import RelevanceMode
    from membound.retrieval import RetrievalResult
    from membound.tokens import Tokenizer

__all__ = [
    "LIMIT",
    "OPEN",
    "PATHS",
    "Answer",
    "AnswerPath",
    "Answerer",
    "Recall",
    "answerer",
    "fill",
    "ranked_under",
    "recalling",
]

AnswerPath = Literal["records", "file", "memory"]
PATHS: Final[tuple[AnswerPath, ...]] = ("records", "file", "memory")
LIMIT: Final = 8
OPEN: Final = RankingFloors(**dict.fromkeys(RankingFloors.__struct_fields__, 0.0))
"""Floors that any record reaches that has a word of the query."""

_PATIENCE = 600.0
_POSTINGS = 2**32


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was ranked and selected, best first, and what other floors would make of it.

    Attributes:
        ranked: what was admitted.
        listed: what some floor would admit: more than that, where a mode's floors can be moved.
        scores: of each that is listed, the highest floor that still admits it.
    """

    ranked: tuple[str, ...]
    listed: tuple[str, ...]
    scores: tuple[float, ...]
    selected: tuple[str, ...]
    characters: int
    seconds: float
    from_memory: bool = False
    trace: Trace | None = None


Answerer: TypeAlias = "Callable[[Conversation, str], Answer]"


class Recall(Protocol):
    """Recalls by one path, under any mode and policy."""

    def __call__(
        self, conversation: Conversation, text: str, *, mode: RelevanceMode, policy: MemoryPolicy
    ) -> RetrievalResult:
        """Ask in a conversation."""
        ...


def fill(folder: str, sets: Sequence[DataSet], tokenizer: Tokenizer) -> None:
    """Make a store of every record of all sets; conversations are told apart by recall alone.

    Raises:
        IndexUnavailableError: the store has no index to answer from.
    """
    with MemoryStore.open(
        folder, durability="relaxed", postings_bytes=0, tokenizer=tokenizer
    ) as store:
        store.import_records(
            record
            for some in sets
            for conversation in some.conversations.values()
            for record in conversation.records
        )
        if not store.wait_until_ready(_PATIENCE):
            raise IndexUnavailableError("it was not filled in time, or cannot be made here")


@contextmanager
def recalling(path: AnswerPath, folder: str, now: datetime | None) -> Iterator[Recall]:
    """Yield what recalls by one path, at a moment or at each conversation's own.

    Raises:
        IndexUnavailableError: the index or its postings cannot answer.
    """
    if path == "records":
        yield partial(_from_records, _json_of(), now=now)
        return
    most = _POSTINGS if path == "memory" else 0
    with MemoryStore.open(folder, durability="relaxed", postings_bytes=most) as store:
        if not store.wait_until_ready(_PATIENCE):
            raise IndexUnavailableError("it was not filled in time, or cannot be made here")
        if path == "memory" and not store.warm_up(_PATIENCE):
            raise IndexUnavailableError("its postings do not fit in memory")
        yield partial(_from_store, store, now=now)


def _from_store(
    store: MemoryStore,
    conversation: Conversation,
    text: str,
    *,
    now: datetime | None,
    mode: RelevanceMode,
    policy: MemoryPolicy,
) -> RetrievalResult:
    return store.retrieve(
        text,
        now=now or conversation.moment,
        workspace=conversation.workspace,
        limit=LIMIT,
        policy=policy,
        relevance_mode=mode,
    )


def _json_of() -> Callable[[Conversation], list[bytes]]:
    known: dict[str, list[bytes]] = {}

    def json_of(conversation: Conversation) -> list[bytes]:
        if conversation.workspace not in known:
            known[conversation.workspace] = [some.to_json() for some in conversation.records]
        return known[conversation.workspace]

    return json_of


def _from_records(
    json_of: Callable[[Conversation], list[bytes]],
    conversation: Conversation,
    text: str,
    *,
    now: datetime | None,
    mode: RelevanceMode,
    policy: MemoryPolicy,
) -> RetrievalResult:
    request = retrieval_request(
        text,
        now=now or conversation.moment,
        workspace=conversation.workspace,
        limit=LIMIT,
        policy=policy,
        relevance_mode=mode,
    )
    return retrieve_among(request, json_of(conversation), "disabled")


def answerer(
    recall: Recall, mode: RelevanceMode, policy: MemoryPolicy, *, as_admitted: bool = False
) -> Answerer:
    """Give what answers in a mode.

    Where its floors can be moved, it asks without any, too, unless what is admitted is enough.
    """
    movable = mode == "foundation-v2" and not as_admitted
    opened = ranked_under(policy, floors=OPEN)

    def answer(conversation: Conversation, text: str) -> Answer:
        start = perf_counter()
        found = recall(conversation, text, mode=mode, policy=policy)
        # What a host waits for: the records and the block.
        records, context = found.records, found.context
        seconds = perf_counter() - start
        every = recall(conversation, text, mode=mode, policy=opened) if movable else found
        return Answer(
            ranked=tuple(ranking.memory_id for ranking in found.trace.rankings),
            listed=tuple(ranking.memory_id for ranking in every.trace.rankings),
            scores=_scores(every.trace),
            selected=tuple(record.id for record in records),
            characters=len(context),
            seconds=seconds,
            from_memory=found.from_memory,
            trace=found.trace,
        )

    return answer


def ranked_under(policy: MemoryPolicy, **numbers: object) -> MemoryPolicy:
    """Give a policy with other numbers for ranking."""
    ranking = msgspec.structs.replace(policy.ranking or RankingPolicy(), **numbers)
    return msgspec.structs.replace(policy, ranking=ranking)


def _scores(trace: Trace) -> tuple[float, ...]:
    """Return the highest floor that admits each ranked record; infinite where a hint admits it."""
    features = [ranking.features for ranking in trace.rankings]
    if trace.weighing is None:
        return tuple(math.inf if some.type_affinity > 0 else some.lexical for some in features)
    best = trace.weighing.best
    relative, following = trace.weighing.relative_floor, trace.weighing.following_floor

    def score(lexical: float) -> float:
        if lexical == 0 or lexical < relative * best:
            return math.inf
        return min(best, lexical / following) if following else best

    return tuple(score(some.lexical) for some in features)
