"""The report of a tuning: what was chosen on one half, and what it gains on the other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from membound.evaluation.report import aligned
from membound.evaluation.survey.groups import Group
from membound.evaluation.survey.intervals import Difference
from membound.evaluation.survey.report import SetFacts
from membound.policy import MemoryPolicy
from membound.ranking import RankingPolicy
from membound.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TOLD", "HalfReport", "TuningReport"]

TOLD: Final = ("recall", "falseInjection", "precision", "falseAbstention")
"""The metrics that the report tells, beside the worth."""

Means = dict[str, float | None]


class HalfReport(msgspec.Struct, frozen=True, kw_only=True):
    """What one half of the questions was answered before and after; all in the order of the groups.

    Attributes:
        sets: what it holds of each data set.
        groups: all sets, and each one.
        before: means with the numbers before, among them `worth`.
        after: means with the chosen numbers.
        gains: how much more the chosen numbers are worth, with the interval.
    """

    sets: dict[str, SetFacts]
    groups: tuple[Group, ...]
    before: tuple[Means, ...]
    after: tuple[Means, ...]
    gains: tuple[Difference | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape."""
        scores: dict[str, dict[str, Any]] = {}
        told = zip(self.groups, self.before, self.after, self.gains, strict=True)
        for group, before, after, gain in told:
            scores.setdefault(group.kind, {})[group.name] = {
                "before": before,
                "after": after,
                "gain": msgspec.to_builtins(gain),
            }
        return {"sets": msgspec.to_builtins(self.sets), "scores": scores}

    def rows(self) -> Iterator[list[str]]:
        """Yield a row for each group, under headings."""
        yield ["group", "recall", "", "injects", "", "precision", "", "worth", "", "gain"]
        told = zip(self.groups, self.before, self.after, self.gains, strict=True)
        for group, before, after, gain in told:
            cells = [f"{group.kind} {group.name}"]
            for metric in ("recall", "falseInjection", "precision", "worth"):
                cells += [_mean(before[metric]), _mean(after[metric])]
            yield [*cells, "-" if gain is None else _with_interval(gain)]


class TuningReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was chosen, by what, and what it gains. It is the same on every run.

    Attributes:
        before: the policy that was to be improved on.
        policy: the same with the chosen numbers for ranking.
        search: how many choices were weighed, in how many rounds; of how many questions more
            records were near the best than a trace lists; what it took the choice to be worth.
        development: the half that the choice was made on.
        trial: the half that it was tried on.
    """

    versions: dict[str, str]
    settings: dict[str, Any]
    before: MemoryPolicy
    policy: MemoryPolicy
    search: dict[str, float]
    development: HalfReport
    trial: HalfReport

    @property
    def gain(self) -> Difference | None:
        """What the chosen numbers gain over all sets of the half that was not looked at."""
        return self.trial.gains[0]

    @property
    def worthwhile(self) -> bool:
        """Whether they gain more than the choice of questions explains."""
        return self.gain is not None and self.gain.low > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape."""
        return {
            "versions": self.versions,
            "settings": self.settings,
            "before": msgspec.to_builtins(self.before),
            "policy": msgspec.to_builtins(self.policy),
            "search": self.search,
            "development": self.development.to_dict(),
            "trial": self.trial.to_dict(),
            "gain": msgspec.to_builtins(self.gain),
            "worthwhile": self.worthwhile,
        }

    def to_json(self) -> str:
        """Return the JSON text, indented by two, with a line end."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def as_table(self) -> str:
        """Return a plain text for a person: numbers, both halves, and whether it is a gain."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        told: dict[str, Any] = {**self.versions, **self.settings}
        told["now"] = told["now"] or "of each conversation"
        for name in ("unanswerable", "leftOut"):
            told[name] = " ".join(told[name]) or "none"
        yield from (printable(f"{name}: {value}") for name, value in told.items())
        yield "search: {tried:,} tried, {rounds} rounds, {incomplete:,} incomplete".format_map(
            self.search
        )
        yield from ("", *aligned([["number", "before", "after"], *self._numbers()]))
        halves = {"chosen on": self.development, "tried on": self.trial}
        for name, half in halves.items():
            questions = sum(facts.answerable for facts in half.sets.values())
            draws = f"[95 % of {self.settings['resamples']:,} draws]"
            yield from ("", f"{name} {questions:,} questions with answers; gain {draws}:")
            yield from aligned([list(map(printable, row)) for row in half.rows()])
        yield ""
        gain = "-" if self.gain is None else _with_interval(self.gain)
        yield f"gain {gain}: " + ("worth it" if self.worthwhile else "not outside of its interval")

    def _numbers(self) -> Iterator[list[str]]:
        before = _flat(self.before.ranking or RankingPolicy())
        for name, value in _flat(self.policy.ranking or RankingPolicy()).items():
            yield [name, f"{before[name]:g}", "" if value == before[name] else f"{value:g}"]


def _flat(ranking: RankingPolicy) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in msgspec.to_builtins(ranking).items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": number for inner, number in value.items()}
        else:
            found[name] = value
    return found


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _with_interval(gain: Difference) -> str:
    return f"{gain.difference:+.3f} [{gain.low:+.3f} {gain.high:+.3f}]"
