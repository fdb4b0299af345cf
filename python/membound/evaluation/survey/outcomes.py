"""The outcome of one question, and every metric of it: what the means are taken of."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["DEPTHS", "METRICS", "Foreign", "Outcome"]

DEPTHS: Final = (1, 5, 8, 20)
_ALL_NEEDED: Final = 8


class Foreign(msgspec.Struct, frozen=True, kw_only=True):
    """What was selected in a conversation that cannot hold the answer.

    Attributes:
        kind: whether the conversation was of the question's own set.
        injected: whether anything was selected.
        best: the highest score there; infinite where no floor keeps it out.
    """

    kind: str
    injected: bool
    best: float = -math.inf


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one variant answered to one question.

    Attributes:
        gold: how many records answer it; 0: a right answer is no answer.
        ranks: the places of those that were ranked, from 1, best first.
        scores: of all that some floor would admit, best first, the highest such floor.
        places: the places of those among them that answer, from 1.
        selected: the ids of the selected records.
        hits: how many of them answer the question.
        characters: of the context block.
        elsewhere: the same question where nothing answers it.
    """

    gold: int
    ranks: tuple[int, ...]
    scores: tuple[float, ...] = ()
    places: tuple[int, ...] = ()
    selected: tuple[str, ...]
    hits: int
    characters: int
    elsewhere: tuple[Foreign, ...] = ()

    def recall(self) -> float:
        """The share of the answer that was selected."""
        return self.hits / self.gold

    def precision(self) -> float:
        """The share of the selection that answers; 0 for none."""
        return self.hits / len(self.selected) if self.selected else 0.0

    def false_abstention(self) -> float:
        """Whether nothing was selected though there is an answer."""
        return float(not self.selected)

    def all_needed(self) -> float:
        """Whether the first eight places hold the whole answer."""
        return float(self._found(_ALL_NEEDED) == self.gold)

    def selected_characters(self) -> float:
        """The characters that it cost."""
        return float(self.characters)

    def recall_at(self, depth: int) -> float:
        """The share of the answer in the first places."""
        return self._found(depth) / self.gold

    def hit_at(self, depth: int) -> float:
        """Whether the first places hold any of the answer."""
        return float(self._found(depth) > 0)

    def reciprocal_rank_at(self, depth: int) -> float:
        """1 / the first place of any of the answer, 0 beyond the depth."""
        return 1 / self.ranks[0] if self._found(depth) else 0.0

    def ndcg_at(self, depth: int) -> float:
        """Gains discounted by place, beside those of the best order."""
        gained = _discounted(rank for rank in self.ranks if rank <= depth)
        return gained / _discounted(range(1, min(self.gold, depth) + 1))

    def injected(self, kind: str | None = None) -> float | None:
        """The share of foreign conversations in which something was selected; None without any."""
        asked = [some.injected for some in self.elsewhere if kind in (None, some.kind)]
        return sum(asked) / len(asked) if asked else None

    def _found(self, depth: int) -> int:
        return sum(rank <= depth for rank in self.ranks)


def _answerable(measure: Callable[[Outcome], float | None]) -> Callable[[Outcome], float | None]:
    return lambda outcome: measure(outcome) if outcome.gold else None


def _unanswerable(outcome: Outcome) -> float | None:
    return None if outcome.gold else float(bool(outcome.selected))


def _metrics() -> Mapping[str, Callable[[Outcome], float | None]]:
    by_depth: dict[str, Callable[..., float]] = {
        "recallAt": Outcome.recall_at,
        "hitAt": Outcome.hit_at,
        "reciprocalRankAt": Outcome.reciprocal_rank_at,
        "ndcgAt": Outcome.ndcg_at,
    }
    of_answerable: dict[str, Callable[[Outcome], float | None]] = {
        "recall": Outcome.recall,
        "precision": Outcome.precision,
        "falseAbstention": Outcome.false_abstention,
        "falseInjection": Outcome.injected,
        "falseInjectionSameSet": partial(Outcome.injected, kind="same-set"),
        "falseInjectionOtherSet": partial(Outcome.injected, kind="other-set"),
        "allNeededAt8": Outcome.all_needed,
        "selectedCharacters": Outcome.selected_characters,
        **{
            f"{name}{depth}": partial(measure, depth=depth)
            for name, measure in by_depth.items()
            for depth in DEPTHS
        },
    }
    return {
        **{name: _answerable(measure) for name, measure in of_answerable.items()},
        "unanswerableInjected": _unanswerable,
    }


def _discounted(ranks: Iterable[int]) -> float:
    return math.fsum(1 / math.log2(rank + 1) for rank in ranks)


METRICS: Final = _metrics()
"""By name; None where the metric says nothing about the outcome."""
