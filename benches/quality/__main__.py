"""`python -m benches.quality DIR [SET ...]`: what the coming scoring finds in data sets."""

from __future__ import annotations

import argparse
import sys
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from benches.quality.figures import Figures, answers, mean_of, measure
from benches.quality.floors import choose, half
from benches.quality.scoring import FLOORS
from benches.quality.sets import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benches.quality.figures import Answer
    from benches.quality.units import Script

GROUPS = {
    "memory": (
        *("locomo", "locomo_facts", "devbench"),
        *("memorybank_zh", "klue_nli", "klue_sts"),
    ),
    "Korean memory": ("klue_nli", "klue_sts"),
    "passages": (
        *("cmrc", "drcd", "xquad_zh", "jsquad", "jaquad", "xquad_en", "xquad_de", "xquad_es"),
        *("xquad_ru", "xquad_ar", "xquad_tr", "xquad_vi"),
    ),
    "code": ("cosqa",),
}
"""Sets whose figures are also told as one mean each, where all of them are asked."""

COLUMNS = ("recall", "FIR", "same", "other", "abstain", "precise", "records", "R@8")


def main(arguments: list[str]) -> None:
    """Print what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="has a folder for each set")
    parser.add_argument("sets", nargs="*", metavar="SET", help="sets to ask; all unless named")
    parser.add_argument("--bare", action="store_true", help="texts without speaker and day")
    parser.add_argument(
        "--floors", action="store_true", help="choose floors on one half, try them on the other"
    )
    given = parser.parse_args(arguments)
    sets = load(given.folder, bare=given.bare)
    if unknown := [name for name in given.sets if name not in sets]:
        parser.error(f"no such set: {', '.join(unknown)}; there are: {', '.join(sets)}")
    asked = {name: answers(sets, sets[name]) for name in given.sets or sets}
    if given.floors:
        for which in (0, 1):
            chosen = choose({name: half(one, which) for name, one in asked.items()})
            title = f"chosen on half {which}, tried on half {1 - which}"
            _report(title, {name: half(one, 1 - which) for name, one in asked.items()}, chosen)
    else:
        _report("", asked, FLOORS)


def _report(
    title: str, asked: Mapping[str, Sequence[Answer]], floors: Mapping[Script, float]
) -> None:
    told = "  ".join(f"{script} {floor:.3f}" for script, floor in floors.items())
    print(f"floors {title}".strip(), told, sep=": ")
    print(f"{'set':16}{'queries':>8}", *(f"{column:>8}" for column in COLUMNS))
    figures = {name: measure(one, floors) for name, one in asked.items() if one}
    for name, found in figures.items():
        _row(name, str(len(asked[name])), found)
    for group, names in GROUPS.items():
        if figures.keys() >= set(names):
            _row(group, "", mean_of([figures[name] for name in names]))


def _row(name: str, queries: str, figures: Figures) -> None:
    print(f"{name:16}{queries:>8}", *(f"{number:8.3f}" for number in astuple(figures)))


if __name__ == "__main__":
    main(sys.argv[1:])
