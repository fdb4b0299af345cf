"""The run: every case over the index and over the canonical files, the baseline beside them."""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import version
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from membound.arguments import require_callback, sound_records
from membound.context import reference_block
from membound.errors import IndexUnavailableError
from membound.evaluation.baselines import eligible_records, newest_that_fit
from membound.evaluation.cases import case_list
from membound.evaluation.report import EvaluationReport, Latency, Miss, PathReport
from membound.evaluation.scorer import score_evaluation
from membound.policy import MemoryPolicy
from membound.records import MemoryRecord
from membound.request import retrieval_request, tokenizer_of
from membound.store import MemoryStore
from membound.times import timestamp
from membound.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from membound.evaluation.cases import EvaluationCase
    from membound.evaluation.scorer import EvaluationScore
    from membound.request import RelevanceMode

__all__ = ["evaluate"]

_PATIENCE = 600.0
_OPENING, _CLOSING = "<MEMORY_REFERENCE_DATA", "</MEMORY_REFERENCE_DATA>"


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What one path said to one case, and how long that took."""

    records: tuple[MemoryRecord, ...]
    context: str
    trace: Trace | None = None
    seconds: float = 0.0

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(record.id for record in self.records)

    def is_one_fence(self) -> bool:
        """Whether the block is empty, or one fence around all of it."""
        fences = (self.context.count(_OPENING), self.context.count(_CLOSING))
        if not self.records:
            return self.context == ""
        whole = self.context.startswith(_OPENING) and self.context.endswith(_CLOSING)
        return whole and fences == (1, 1)


def evaluate(
    records: Iterable[MemoryRecord],
    cases: Iterable[EvaluationCase],
    *,
    now: datetime,
    relevance_mode: RelevanceMode = "foundation-v1",
    policy: MemoryPolicy | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> EvaluationReport:
    """Answer every case from a temporary store, with its index and without, and score both.

    Args:
        records: what the store holds.
        cases: what is asked, each in its own workspace and with its own limit.
        now: the instant at which it is asked.
        relevance_mode: the named rule of relevance.
        policy: what the host allows.
        progress: told the answers given so far, and how many there will be.

    Raises:
        InvalidInputError: an argument is not acceptable.
        IndexUnavailableError: the temporary store has no index to compare with.
    """
    stored = [record for record, _ in sound_records(records)]
    asked = case_list(cases)
    rules = MemoryPolicy() if policy is None else policy
    require_callback(progress, "progress")
    retrieval_request("", now=now, policy=rules, relevance_mode=relevance_mode)  # checks them
    answered = _Counter(3 * len(asked), progress)
    recall = partial(_recalled, now=now, relevance_mode=relevance_mode)
    with TemporaryDirectory(prefix="membound-evaluation-") as folder:
        with MemoryStore.open(
            folder,
            policy=rules,
            durability="relaxed",
            postings_bytes=0,
            tokenizer=tokenizer_of(relevance_mode),
        ) as store:
            store.import_records(stored)
            if not store.wait_until_ready(_PATIENCE):
                raise IndexUnavailableError("it was not filled in time, or cannot be made here")
            indexed = answered.each(asked, partial(recall, store))
        with MemoryStore.open(folder, policy=rules, index=False) as store:
            filesystem = answered.each(asked, partial(recall, store))
    baseline = answered.each(asked, _newest(stored, now, rules))
    answers = {"indexed": indexed, "filesystem": filesystem, "baseline": baseline}
    return _report(len(stored), asked, answers, now=now, relevance_mode=relevance_mode)


class _Counter:
    """Counts the answers of all paths, and tells the caller."""

    def __init__(self, total: int, progress: Callable[[int, int], object] | None) -> None:
        self._done = 0
        self._total = total
        self._progress = progress

    def each(
        self, cases: Sequence[EvaluationCase], answer: Callable[[EvaluationCase], _Answer]
    ) -> tuple[_Answer, ...]:
        """Answer the cases one by one and time each answer."""
        return tuple(self._timed(case, answer) for case in cases)

    def _timed(self, case: EvaluationCase, answer: Callable[[EvaluationCase], _Answer]) -> _Answer:
        start = perf_counter()
        given = answer(case)
        seconds = perf_counter() - start
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
        return msgspec.structs.replace(given, seconds=seconds)


def _recalled(
    store: MemoryStore, case: EvaluationCase, *, now: datetime, relevance_mode: RelevanceMode
) -> _Answer:
    """Answer with the store's recall."""
    found = store.retrieve(
        case.query,
        now=now,
        workspace=case.workspace,
        limit=case.limit,
        relevance_mode=relevance_mode,
    )
    return _Answer(records=found.records, context=found.context, trace=found.trace)


def _newest(
    records: Sequence[MemoryRecord], now: datetime, policy: MemoryPolicy
) -> Callable[[EvaluationCase], _Answer]:
    """Answer with the baseline; who may be seen is settled once a workspace."""

    @cache
    def eligible(workspace: str | None) -> list[MemoryRecord]:
        return eligible_records(records, now=now, workspace=workspace, policy=policy)

    def answer(case: EvaluationCase) -> _Answer:
        taken = newest_that_fit(eligible(case.workspace), now=now, limit=case.limit, policy=policy)
        return _Answer(records=taken, context=reference_block(taken, now=now))

    return answer


def _report(
    record_count: int,
    cases: Sequence[EvaluationCase],
    answers: dict[str, tuple[_Answer, ...]],
    *,
    now: datetime,
    relevance_mode: RelevanceMode,
) -> EvaluationReport:
    indexed, filesystem = answers["indexed"], answers["filesystem"]
    trace = indexed[0].trace if indexed else None
    return EvaluationReport(
        package_version=version("membound"),
        now=timestamp(now),
        relevance_mode=relevance_mode,
        tokenizer_version=None if trace is None else trace.tokenizer_version,
        weights=None if trace is None else trace.weights,
        record_count=record_count,
        case_count=len(cases),
        differing_case_ids=_where(cases, indexed, filesystem, lambda a, b: a.ids != b.ids),
        broken_fence_case_ids=_where(
            cases, indexed, filesystem, lambda a, b: not (a.is_one_fence() and b.is_one_fence())
        ),
        paths={name: _path_report(cases, given) for name, given in answers.items()},
        misses=tuple(_misses(cases, indexed)),
    )


def _path_report(cases: Sequence[EvaluationCase], answers: Sequence[_Answer]) -> PathReport:
    traces = (answer.trace for answer in answers)
    return PathReport(
        modes=tuple(sorted({trace.mode for trace in traces if trace is not None})),
        score=score_evaluation(cases, answers),
        by_category=_by_group(cases, answers, lambda case: case.category),
        by_language=_by_group(cases, answers, lambda case: case.language),
        latency=Latency.of([answer.seconds for answer in answers]),
    )


def _by_group(
    cases: Sequence[EvaluationCase],
    answers: Sequence[_Answer],
    group_of: Callable[[EvaluationCase], str],
) -> dict[str, EvaluationScore]:
    """Score each group apart, in the order in which the cases name them."""
    groups: dict[str, list[int]] = {}
    for n, case in enumerate(cases):
        groups.setdefault(group_of(case), []).append(n)
    return {
        name: score_evaluation([cases[n] for n in places], [answers[n] for n in places])
        for name, places in groups.items()
    }


def _where(
    cases: Sequence[EvaluationCase],
    one: Sequence[_Answer],
    other: Sequence[_Answer],
    holds: Callable[[_Answer, _Answer], bool],
) -> tuple[str, ...]:
    """Return the ids of the cases for whose two answers something holds."""
    return tuple(case.id for case, a, b in zip(cases, one, other, strict=True) if holds(a, b))


def _misses(cases: Sequence[EvaluationCase], answers: Sequence[_Answer]) -> Iterator[Miss]:
    for case, answer in zip(cases, answers, strict=True):
        expected = set(case.expected_ids)
        if expected <= set(answer.ids) and (expected or not answer.ids):
            continue
        yield Miss(
            case_id=case.id,
            query=case.query,
            expected_ids=case.expected_ids,
            selected_ids=answer.ids,
            expected_miss=case.expected_miss,
        )
