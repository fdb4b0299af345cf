"""What a policy may say of ranking under `foundation-v2`: weights and floors."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from membound._core import ranking_defaults
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.numbers import unit

__all__ = ["RankingFloors", "RankingPolicy", "RankingWeights"]

_MODE: Final = msgspec.json.decode(ranking_defaults)
_WEIGHTS: Final[dict[str, float]] = _MODE["weights"]
_FLOORS: Final[dict[str, float]] = _MODE["floors"]
_ROUNDING: Final = 1e-9


class RankingWeights(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """How much each feature counts in the final score: 1 together, and words something."""

    lexical: float = _WEIGHTS["lexical"]
    scope_affinity: float = _WEIGHTS["scopeAffinity"]
    type_affinity: float = _WEIGHTS["typeAffinity"]
    freshness: float = _WEIGHTS["freshness"]
    importance: float = _WEIGHTS["importance"]
    confidence: float = _WEIGHTS["confidence"]

    def __post_init__(self) -> None:
        together = math.fsum(_keep_units(self, "ranking.weights."))
        if abs(together - 1) > _ROUNDING:
            expected = f"{' + '.join(self.__struct_fields__)} = 1"
            raise InvalidInputError("ranking.weights", expected, f"{together:g}")
        if not self.lexical:
            raise InvalidInputError("ranking.weights.lexical", "a number above 0", "0")


class RankingFloors(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """What the best record's lexical has to reach, by the writing of the query."""

    hangul: float = _FLOORS["hangul"]
    kana: float = _FLOORS["kana"]
    han: float = _FLOORS["han"]
    vietnamese: float = _FLOORS["vietnamese"]
    other: float = _FLOORS["other"]

    def __post_init__(self) -> None:
        _keep_units(self, "ranking.floors.")


class RankingPolicy(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """Weights and floors for `foundation-v2`; other modes have their own, which never change.

    Attributes:
        weights: how much each feature counts.
        floors: what the best record has to reach, so that anything is relevant.
        relative_floor: what another record needs, as a share of the best; 0 asks nothing.
        following_floor: what another record needs at least, as a share of the floor.
    """

    weights: RankingWeights = msgspec.field(default_factory=RankingWeights)
    floors: RankingFloors = msgspec.field(default_factory=RankingFloors)
    relative_floor: float = _MODE["relativeFloor"]
    following_floor: float = _MODE["followingFloor"]

    def __post_init__(self) -> None:
        if not isinstance(self.weights, RankingWeights):
            got = excerpt(self.weights)
            raise InvalidInputError("ranking.weights", "a RankingWeights", got)
        if not isinstance(self.floors, RankingFloors):
            raise InvalidInputError("ranking.floors", "a RankingFloors", excerpt(self.floors))
        for name in ("relative_floor", "following_floor"):
            value = unit(getattr(self, name), f"ranking.{name}")
            msgspec.structs.force_setattr(self, name, value)


def _keep_units(struct: msgspec.Struct, prefix: str) -> list[float]:
    """Puts checked numbers in the place of those that were given, and gives them."""
    kept = []
    for name in struct.__struct_fields__:
        value = unit(getattr(struct, name), prefix + name)
        msgspec.structs.force_setattr(struct, name, value)
        kept.append(value)
    return kept
