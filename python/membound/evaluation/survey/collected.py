"""What the variants answered, collected question by question and judged as it comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from membound.evaluation.report import Latency
from membound.evaluation.survey.answers import LIMIT
from membound.evaluation.survey.curves import curve
from membound.evaluation.survey.groups import means, values_of
from membound.evaluation.survey.report import Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from membound.evaluation.survey.answers import Answer, Answerer
    from membound.evaluation.survey.groups import Group
    from membound.evaluation.survey.outcomes import Outcome
    from membound.evaluation.survey.posed import Posed
    from membound.evaluation.survey.report import Why

__all__ = ["RANKER", "Collected"]

RANKER = "ranker"
"""The path of what is no path of ours."""


@dataclass(slots=True)
class _Answered:
    """Of one variant; whole answers are kept of few questions, as they are large."""

    settings: dict[str, Any]
    outcomes: list[Outcome] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    differing: dict[int, None] = field(default_factory=dict)
    explained: dict[int, Answer] = field(default_factory=dict)
    from_memory: int = 0


class Collected:
    """Collects what the variants answer, question by question."""

    def __init__(
        self,
        posed: Sequence[Posed],
        explained: frozenset[int],
        total: int,
        progress: Callable[[int, int], object] | None,
        *,
        limit: int = LIMIT,
    ) -> None:
        self._limit = limit
        self._total = total
        self._posed = posed
        self._explained = explained
        self._progress = progress
        self._done = 0
        self._answered: dict[str, _Answered] = {}

    def ask(
        self, variant: str, path: str, answer: Answerer, settings: dict[str, Any] | None = None
    ) -> None:
        """Ask every question; what the first path answers is judged, and the others held to it.

        `settings` are what the answers depend on beside what their traces tell.
        """
        first = variant not in self._answered
        kept = self._answered.setdefault(variant, _Answered(settings or {}))
        kept.seconds[path] = []
        for number, posed in enumerate(self._posed):
            answers = posed.answers(answer)
            kept.seconds[path].append(answers[0].seconds)
            kept.from_memory += answers[0].from_memory
            digest = _digest(answers)
            if first:
                kept.outcomes.append(posed.judge(answers))
                kept.digests.append(digest)
                kept.settings = _told(answers[0]) | kept.settings
                if number in self._explained:
                    kept.explained[number] = answers[0]
            elif digest != kept.digests[number]:
                kept.differing.setdefault(number)
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._total)

    def variants(self, groups: Sequence[Group]) -> dict[str, Variant]:
        """Return what was measured."""
        return {name: self._variant(kept, groups) for name, kept in self._answered.items()}

    def whys(self) -> dict[tuple[str, str], Why]:
        """Tell of the explained questions how each variant came to its answer."""
        return {
            (posed.set, posed.question.id): posed.why(
                {name: kept.explained[number] for name, kept in self._answered.items()}
            )
            for number, posed in enumerate(self._posed)
            if number in self._explained
        }

    def _variant(self, kept: _Answered, groups: Sequence[Group]) -> Variant:
        values = values_of(kept.outcomes)
        return Variant(
            kind="ranker" if RANKER in kept.seconds else "mode",
            settings=kept.settings,
            latency={path: Latency.of(took) for path, took in kept.seconds.items()},
            from_memory=kept.from_memory,
            differing=tuple(
                f"{self._posed[number].set}: {self._posed[number].question.id}"
                for number in kept.differing
            ),
            outcomes=tuple(kept.outcomes),
            means=tuple(means(group, values) for group in groups),
            curves=tuple(
                () if group.kind == "category" else curve(group, kept.outcomes, limit=self._limit)
                for group in groups
            ),
        )


def _digest(answers: Iterable[Answer]) -> bytes:
    """Return what stands for the ids, their order and their scores."""
    told = [(one.ranked, one.listed, one.scores, one.selected) for one in answers]
    return sha256(repr(told).encode()).digest()


def _told(answer: Answer) -> dict[str, Any]:
    """Return what a mode's answers depend on, as far as a trace tells."""
    if answer.trace is None:
        return {}
    told = answer.trace.to_dict()
    names = ("relevanceMode", "tokenizerVersion", "rankingWeights")
    return {name: told[name] for name in names}
