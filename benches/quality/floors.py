"""Floors chosen on one half of the queries, to be tried on the other.

Recall falls as a floor rises, and so does false injection. So the floor of a script is the lowest
of .34, .35, … at which the false injection of the sets that decide for it is within its target.
"""

from __future__ import annotations

from bisect import bisect_left
from math import inf, nextafter
from typing import TYPE_CHECKING, Final

from tests.oracle.levels import FLOORS

from benches.quality.figures import Answer, injected, mean
from benches.quality.sets import digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.oracle.levels import Script

_LATIN: Final = (
    *("locomo", "locomo_facts", "devbench", "cosqa", "xquad_en", "xquad_de"),
    *("xquad_es", "xquad_ru", "xquad_ar", "xquad_tr"),
)
TARGETS: Final[dict[Script, tuple[float, tuple[str, ...]]]] = {
    "other": (0.14, _LATIN),
    "hangul": (0.18, ("klue_nli", "klue_sts")),
    "kana": (0.18, ("jsquad", "jaquad")),
    "han": (0.11, ("memorybank_zh",)),
    "vietnamese": (0.20, ("xquad_vi",)),
}
"""Of each script the most false injection, as a mean of the sets that decide, of those at hand."""
TRIED: Final = [hundredths / 100 for hundredths in range(34, 60)]


def half(asked: Sequence[Answer], which: int) -> list[Answer]:
    """Give one half of a set's queries, by SHA-256 of their ids: 0 or 1."""
    return [one for one in asked if digest("fold", one.query.id) % 2 == which]


def choose(asked: Mapping[str, Sequence[Answer]]) -> dict[Script, float]:
    """Give the floor of each script, from answers by set; the present one where no set decides."""
    floors = dict(FLOORS)
    for script, (most, names) in TARGETS.items():
        deciding = [asked[name] for name in names if name in asked]
        if deciding:
            floors[script] = _lowest(deciding, most, TRIED)
    return floors


def at_false_injection(asked: Sequence[Answer], most: float) -> dict[Script, float]:
    """Give the lowest floor of a set, one for all scripts, at which its FIR is at most this."""
    best = sorted({best for one in asked for best in (*one.same_set, *one.other_set)})
    return dict.fromkeys(FLOORS, _lowest([asked], most, [nextafter(one, inf) for one in best]))


def _lowest(sets: Sequence[Sequence[Answer]], most: float, tried: Sequence[float]) -> float:
    """Give the lowest floor, of some that rise, within a target; the last if none is."""

    def within(floor: float) -> bool:
        floors = dict.fromkeys(FLOORS, floor)
        return mean(mean(injected(asked, floors)) for asked in sets) <= most

    return tried[min(bisect_left(tried, True, key=within), len(tried) - 1)]
