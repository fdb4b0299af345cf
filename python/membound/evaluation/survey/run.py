"""The survey: every question by every mode, path and ranker, at home and elsewhere."""

from __future__ import annotations

import platform
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

import msgspec

from membound._core import build_profile
from membound.arguments import items, require, require_callback
from membound.errors import InvalidInputError
from membound.evaluation.survey.answers import (
    LIMIT,
    PATHS,
    AnswerPath,
    answerer,
    fill,
    recalling,
)
from membound.evaluation.survey.collected import RANKER, Collected
from membound.evaluation.survey.comparing import compare
from membound.evaluation.survey.elsewhere import order_of
from membound.evaluation.survey.groups import groups_of
from membound.evaluation.survey.intervals import Resampling
from membound.evaluation.survey.posed import pose
from membound.evaluation.survey.rankers import RANKERS, RankerName, answering_as, ranker_of
from membound.evaluation.survey.report import SetFacts, SurveyReport
from membound.numbers import count
from membound.policy import MemoryPolicy
from membound.ranking import RankingPolicy
from membound.request import CHARACTER_BUDGET, RelevanceMode, tokenizer_of
from membound.text import word
from membound.times import timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from membound.evaluation.survey.earlier import Earlier
    from membound.evaluation.survey.groups import Asked
    from membound.evaluation.survey.posed import Posed
    from membound.evaluation.survey.sets import DataSet

__all__ = ["MODES", "facts_of", "survey", "versions"]

MODES: Final[tuple[RelevanceMode, ...]] = get_args(RelevanceMode)
_Word = TypeVar("_Word", bound=str)


def survey(
    sets: Iterable[DataSet],
    *,
    modes: Iterable[RelevanceMode] = MODES,
    paths: Iterable[AnswerPath] = PATHS,
    rankers: Iterable[RankerName] = ("fts5",),
    policy: MemoryPolicy | None = None,
    now: datetime | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    unanswerable: Iterable[str] = ("adversarial",),
    against: str | None = None,
    earlier: Earlier | None = None,
    seed: int = 0,
    resamples: int = 1_000,
    explained: int = 50,
    progress: Callable[[int, int], object] | None = None,
) -> SurveyReport:
    """Ask every question of some data sets, and measure the answers.

    Args:
        sets: what `load_sets` read.
        modes: the relevance modes, each over every path.
        paths: where candidates come from; the scores are those of the first one.
        rankers: what is asked beside the modes.
        policy: what the host allows; by default everything, 8 records.
        now: when it is asked; by default each conversation is asked at its last record.
        groups: names of sets whose means are taken together, by the group's name.
        unanswerable: categories whose questions nothing answers, whatever their ids say.
        against: the mode or ranker with which the others are compared.
        earlier: what `read_earlier` read: each variant is compared with itself then.
        seed: of the choice of places elsewhere, of questions explained, and of the draws.
        resamples: how many draws an interval is made of.
        explained: of how many questions of each set the report tells why.
        progress: told the answers given so far, and how many there will be.

    Raises:
        InvalidInputError: an argument is not acceptable.
        IndexUnavailableError: a path or a ranker cannot answer here.
        MissingExtraError: a ranker is not installed.
    """
    known = tuple(sets)
    asked_modes = _words(modes, "modes", MODES)
    asked_paths = _words(paths, "paths", PATHS)
    made = {name: ranker_of(name) for name in _words(rankers, "rankers", RANKERS)}
    unanswered = frozenset(unanswerable)
    require_callback(progress, "progress")
    rules = MemoryPolicy() if policy is None else policy
    require(rules, MemoryPolicy, "policy", "a MemoryPolicy or None")
    if against is not None:
        word(against, "against", (*asked_modes, *made))
    count(resamples, "resamples", 40, 1_000_000)
    posed = pose(known, seed=count(seed, "seed", 0), unanswerable=unanswered)
    if not posed:
        raise InvalidInputError("sets", "sets with questions", "none")
    asked = tuple(some.asked() for some in posed)
    grouped = groups_of(asked, groups)
    total = len(posed) * (len(asked_modes) * len(asked_paths) + len(made))
    limit = min(LIMIT, rules.max_injected_records)
    why = _explained_of(posed, seed, explained)
    collected = Collected(posed, why, total, progress, limit=limit)
    _ask_modes(collected, known, asked_modes, asked_paths, policy=rules, now=now)
    for name, ranker in made.items():
        collected.ask(name, RANKER, answering_as(ranker, now, rules), ranker.settings)
    measured = collected.variants(grouped)
    names: tuple[str, ...] = (*asked_modes, *made)
    variants = {name: measured[name] for name in names}
    outcomes = {name: variant.outcomes for name, variant in variants.items()}
    return SurveyReport(
        versions=versions(),
        settings={
            "now": None if now is None else timestamp(now),
            "recordLimit": limit,
            "characterBudget": CHARACTER_BUDGET,
            "paths": list(asked_paths),
            "unanswerable": sorted(unanswered),
            "seed": seed,
            "resamples": resamples,
            "policy": msgspec.to_builtins(rules),
        },
        sets={some.name: facts_of(some, asked) for some in known},
        groups=grouped,
        asked=asked,
        variants=variants,
        comparisons=compare(
            asked,
            grouped,
            outcomes,
            against=against,
            earlier=earlier,
            resampling=partial(Resampling, seed=seed, times=resamples),
        ),
        whys=collected.whys(),
    )


def _ask_modes(
    collected: Collected,
    sets: Sequence[DataSet],
    modes: Sequence[RelevanceMode],
    paths: Sequence[AnswerPath],
    *,
    policy: MemoryPolicy,
    now: datetime | None,
) -> None:
    with TemporaryDirectory(prefix="membound-survey-") as folder:
        for tokenizer in dict.fromkeys(map(tokenizer_of, modes)):
            store = str(Path(folder) / tokenizer)
            if set(paths) - {"records"}:
                fill(store, sets, tokenizer)
            for path in paths:
                with recalling(path, store, now) as recall:
                    for mode in modes:
                        if tokenizer_of(mode) == tokenizer:
                            answer = answerer(recall, mode, policy)
                            collected.ask(mode, path, answer, _numbers(mode, policy))


def _numbers(mode: RelevanceMode, policy: MemoryPolicy) -> dict[str, Any]:
    """Return the numbers that a mode's answers depend on; a trace tells the weights alone."""
    if mode != "foundation-v2":
        return {}
    told: dict[str, Any] = msgspec.to_builtins(policy.ranking or RankingPolicy())
    del told["weights"]
    return told


def versions() -> dict[str, str]:
    """Return what measured."""
    return {
        "membound": f"{version('membound')}, {build_profile} build",
        "python": platform.python_version(),
    }


def _words(chosen: Iterable[_Word], field: str, known: tuple[_Word, ...]) -> tuple[_Word, ...]:
    """Read words of a closed set, each once, in the order given."""
    one = f"one of {', '.join(known)}"
    given = (chosen,) if isinstance(chosen, str) else items(chosen, field, one)
    return tuple(dict.fromkeys(word(item, field, known) for item in given))


def _explained_of(posed: Sequence[Posed], seed: int, most: int) -> frozenset[int]:
    """Choose of each set the questions that are explained, by their hash."""
    by_set: dict[str, list[int]] = {}
    for number, some in enumerate(posed):
        by_set.setdefault(some.set, []).append(number)
    chosen: set[int] = set()
    for name, numbers in by_set.items():
        ordered = sorted(numbers, key=lambda n: order_of(seed, name, posed[n].question.id))
        chosen.update(ordered[:most])
    return frozenset(chosen)


def facts_of(some: DataSet, asked: Sequence[Asked]) -> SetFacts:
    """Return what a data set holds."""
    own = [question for question in asked if question.set == some.name]
    return SetFacts(
        records=sum(len(each.records) for each in some.conversations.values()),
        conversations=len(some.conversations),
        questions=len(own),
        answerable=sum(bool(question.gold_ids) for question in own),
        languages=tuple(dict.fromkeys(question.language for question in own)),
        sha256=some.digest,
    )
