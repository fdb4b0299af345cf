"""The tuning: a choice on one half of the questions, and its trial on the other."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import msgspec

from membound.arguments import require, require_callback
from membound.errors import InvalidInputError
from membound.evaluation.survey.answers import LIMIT, answerer, fill, recalling
from membound.evaluation.survey.groups import groups_of, means, values_of
from membound.evaluation.survey.posed import Posed, pose
from membound.evaluation.survey.run import facts_of, versions
from membound.evaluation.survey.sets import DataSet
from membound.evaluation.tuning.gathered import gather
from membound.evaluation.tuning.goal import PENALTY, Goal
from membound.evaluation.tuning.halves import halved
from membound.evaluation.tuning.report import TOLD, HalfReport, TuningReport
from membound.evaluation.tuning.search import LEAST_RELATIVE_FLOOR, search
from membound.numbers import count, unit
from membound.policy import MemoryPolicy
from membound.ranking import RankingPolicy
from membound.request import CHARACTER_BUDGET
from membound.times import timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from membound.evaluation.survey.answers import Recall
    from membound.evaluation.survey.groups import Group, Values
    from membound.evaluation.tuning.report import Means

__all__ = ["tune"]

_LEAST: Final = 20
"""Of fewer questions in a half an interval is one of chance."""


def tune(
    sets: Iterable[DataSet],
    *,
    policy: MemoryPolicy | None = None,
    injection: float = 0.15,
    precision: float = 0.0,
    now: datetime | None = None,
    unanswerable: Iterable[str] = ("adversarial",),
    seed: int = 0,
    resamples: int = 1_000,
    progress: Callable[[int, int], object] | None = None,
) -> TuningReport:
    """Choose weights and floors for `foundation-v2` on one half of some questions; try them.

    The half that they are tried on has no part in the choice.

    Args:
        sets: what `load_sets` read.
        policy: what is to be improved on; by default the mode's own numbers.
        injection: up to so much false injection costs nothing.
        precision: down to so little precision costs nothing.
        now: when it is asked; by default each conversation is asked at its last record.
        unanswerable: categories whose questions nothing answers, whatever their ids say.
        seed: of the halves, the choice of places elsewhere, and the draws.
        resamples: how many draws an interval is made of.
        progress: told the questions asked so far, and how many there will be.

    Raises:
        InvalidInputError: an argument is not acceptable, or the questions are too few.
        IndexUnavailableError: there is no index to ask.
    """
    known = tuple(sets)
    start = MemoryPolicy() if policy is None else policy
    require(start, MemoryPolicy, "policy", "a MemoryPolicy or None")
    goal = Goal(injection=unit(injection, "injection"), precision=unit(precision, "precision"))
    require_callback(progress, "progress")
    count(resamples, "resamples", 40, 1_000_000)
    unanswered = frozenset(unanswerable)
    halves = halved(known, count(seed, "seed", 0))
    development, trial = _large_enough(
        *(_Half(sets=some, posed=pose(some, seed=seed, unanswerable=unanswered)) for some in halves)
    )
    counter = _Counter(3 * len(development.posed) + 2 * len(trial.posed), progress)
    with (
        TemporaryDirectory(prefix="membound-tuning-") as folder,
        _filled(folder, known, now) as recall,
    ):
        ranking, told = _choose(development, recall, start, goal, counter)
        chosen = msgspec.structs.replace(start, ranking=ranking)
        ask = partial(_answered, recall=recall, counter=counter)
        report = partial(_report, goal=goal, seed=seed, times=resamples)
        reports = [
            report(half, ask(half, start), ask(half, chosen)) for half in (development, trial)
        ]
    return TuningReport(
        versions=versions(),
        settings={
            "now": None if now is None else timestamp(now),
            "injection": goal.injection,
            "precision": goal.precision,
            "penalty": PENALTY,
            "recordLimit": _limit(start),
            "characterBudget": CHARACTER_BUDGET,
            "unanswerable": sorted(unanswered),
            "leftOut": sorted({some.name for some in known} - {s.name for s in trial.sets}),
            "seed": seed,
            "resamples": resamples,
        },
        before=start,
        policy=chosen,
        search=told,
        development=reports[0],
        trial=reports[1],
    )


class _Half(msgspec.Struct, frozen=True, kw_only=True):
    """One half of the data: what it holds, and its questions as they are posed."""

    sets: tuple[DataSet, ...]
    posed: tuple[Posed, ...]


class _Counter:
    """Counts the questions that were asked, and tells the caller."""

    def __init__(self, total: int, progress: Callable[[int, int], object] | None) -> None:
        self._done = 0
        self._total = total
        self._progress = progress

    def one_more(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)


def _limit(policy: MemoryPolicy) -> int:
    return min(LIMIT, policy.max_injected_records)


def _large_enough(*halves: _Half) -> tuple[_Half, ...]:
    """Leave out the sets of which a half says too little: a set counts whatever its size."""
    answered = [Counter(some.set for some in half.posed if some.gold) for half in halves]
    large = {name for name in answered[0] if all(counts[name] >= _LEAST for counts in answered)}
    if not large:
        expected = f"a set with at least {_LEAST} questions with answers in each half"
        raise InvalidInputError("sets", expected, "none")
    kept = tuple(
        _Half(
            sets=tuple(some for some in half.sets if some.name in large),
            posed=tuple(some for some in half.posed if some.set in large),
        )
        for half in halves
    )
    if not all(any(some.elsewhere for some in half.posed) for half in kept):
        expected = "conversations in which a question has no answer, in each half"
        raise InvalidInputError("sets", expected, "no other one of the language")
    return kept


@contextmanager
def _filled(folder: str, sets: Sequence[DataSet], now: datetime | None) -> Iterator[Recall]:
    fill(folder, sets, "v2")
    with recalling("memory", folder, now) as recall:
        yield recall


def _choose(
    half: _Half, recall: Recall, start: MemoryPolicy, goal: Goal, counter: _Counter
) -> tuple[RankingPolicy, dict[str, float]]:
    """Choose by what a half was answered without floors, and tell how."""
    ranking = start.ranking or RankingPolicy()
    gathered = []
    for some in gather(
        half.posed, recall, start, min(ranking.relative_floor, LEAST_RELATIVE_FLOOR)
    ):
        gathered += [some] if some is not None else []
        counter.one_more()
    found = search(ranking, gathered, goal, _limit(start))
    return found.ranking, {
        "tried": found.tried,
        "rounds": found.rounds,
        "incomplete": sum(not some.complete for some in gathered),
        "worth": round(found.worth, 6),
    }


def _answered(half: _Half, policy: MemoryPolicy, *, recall: Recall, counter: _Counter) -> Values:
    """Ask a half under a policy as a host does, and measure what was selected."""
    answer = answerer(recall, "foundation-v2", policy, as_admitted=True)
    outcomes = []
    for some in half.posed:
        outcomes.append(some.judge(some.answers(answer)))
        counter.one_more()
    return values_of(outcomes)


def _report(
    half: _Half, before: Values, after: Values, *, goal: Goal, seed: int, times: int
) -> HalfReport:
    asked = tuple(some.asked() for some in half.posed)
    groups = tuple(some for some in groups_of(asked) if some.kind in {"all", "set"})
    return HalfReport(
        sets={some.name: facts_of(some, asked) for some in half.sets},
        groups=groups,
        before=tuple(_means(group, before, goal) for group in groups),
        after=tuple(_means(group, after, goal) for group in groups),
        gains=tuple(goal.gain(group, before, after, seed=seed, times=times) for group in groups),
    )


def _means(group: Group, values: Values, goal: Goal) -> Means:
    worth = goal.worth_of(group, values)
    found = means(group, values)
    told = {name: found[name] for name in TOLD}
    return {"worth": None if worth is None else round(worth, 6), **told}
