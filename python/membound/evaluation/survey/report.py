"""The report of a survey: everything that it measured, as JSON that a later one reads again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from membound.evaluation.report import Latency
from membound.evaluation.survey.curves import Point
from membound.evaluation.survey.groups import Asked, Group
from membound.evaluation.survey.intervals import Comparison
from membound.evaluation.survey.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SetFacts", "SurveyReport", "Variant", "Why"]

Scores = dict[str, dict[str, Any]]


class SetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a data set holds; the digest is of its files."""

    records: int
    conversations: int
    questions: int
    answerable: int
    languages: tuple[str, ...]
    sha256: str


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why one question was answered so: the texts of the records it is about, and the trace."""

    text: str
    records: dict[str, str]
    explained: dict[str, str]


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """One way to answer: a relevance mode, or a ranker beside it.

    Attributes:
        settings: what its answers depend on: weights, tokenizer, versions, constants.
        latency: by path.
        from_memory: how many questions postings in memory answered.
        differing: the questions that its paths answer with different ids.
        outcomes: one for each question, in their order.
        means: of each metric, in the order of the groups.
        curves: in the order of the groups; empty for categories.
    """

    kind: str
    settings: dict[str, Any]
    latency: dict[str, Latency | None]
    from_memory: int
    differing: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    means: tuple[dict[str, float | None], ...]
    curves: tuple[tuple[Point, ...], ...]


class SurveyReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that one survey found. Everything but the latencies is the same on every run."""

    versions: dict[str, str]
    settings: dict[str, Any]
    sets: dict[str, SetFacts]
    groups: tuple[Group, ...]
    asked: tuple[Asked, ...]
    variants: dict[str, Variant]
    comparisons: tuple[Comparison, ...]
    whys: dict[tuple[str, str], Why]

    @property
    def paths_agree(self) -> bool:
        """Whether all paths gave the same ids in the same order, in every mode."""
        return not any(variant.differing for variant in self.variants.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape."""
        return {
            "versions": self.versions,
            "settings": self.settings,
            "sets": msgspec.to_builtins(self.sets),
            "pathsAgree": self.paths_agree,
            "variants": {name: self._variant(some) for name, some in self.variants.items()},
            "comparisons": [
                {
                    "variant": some.variant,
                    "against": some.against,
                    "questions": some.questions,
                    **self._by_group([msgspec.to_builtins(one) for one in some.differences]),
                }
                for some in self.comparisons
            ],
            "questions": [
                {
                    **msgspec.to_builtins(asked),
                    "answers": {
                        name: _answer(variant.outcomes[number])
                        for name, variant in self.variants.items()
                    },
                }
                for number, asked in enumerate(self.asked)
            ],
        }

    def to_json(self) -> str:
        """Return the JSON text; its questions stand on a line each."""
        shape = self.to_dict()
        questions = [_json(question) for question in shape.pop("questions")]
        head = _json(shape, indent=1).removesuffix("\n}")
        return head + ',\n "questions": [\n' + ",\n".join(questions) + "\n ]\n}\n"

    def _variant(self, variant: Variant) -> dict[str, Any]:
        return {
            "kind": variant.kind,
            "settings": variant.settings,
            "latencyMs": msgspec.to_builtins(variant.latency),
            "answeredFromMemory": variant.from_memory,
            "differingQuestions": list(variant.differing),
            "scores": self._by_group(variant.means),
            "curves": self._by_group([msgspec.to_builtins(one) for one in variant.curves]),
        }

    def _by_group(self, values: Sequence[Any]) -> Scores:
        """Name what is given in the order of the groups; what is empty is left out."""
        found: Scores = {}
        for group, value in zip(self.groups, values, strict=True):
            if value:
                found.setdefault(group.kind, {})[group.name] = value
        return found


def _answer(outcome: Outcome) -> dict[str, Any]:
    """Return what a later survey needs; scores stay out, as the curves are there."""
    return {
        "ranks": list(outcome.ranks),
        "selected": list(outcome.selected),
        "hits": outcome.hits,
        "characters": outcome.characters,
        "elsewhere": [{"kind": o.kind, "injected": o.injected} for o in outcome.elsewhere],
    }


def _json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
