"""`python -m benches.quality DIR [SET ...]`: what `foundation-v2` finds in data sets."""

from __future__ import annotations

import argparse
import sys
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.oracle.levels import FLOORS
from tests.oracle.scoring import CHOSEN

from benches.quality.figures import answers, mean, measure
from benches.quality.floors import at_false_injection, choose, half
from benches.quality.sets import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.oracle.levels import Script

    from benches.quality.figures import Answer

CONSTANTS = [field.name for field in fields(CHOSEN)]
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
LEVELS = (0.10, 0.15, 0.20)


def main(arguments: list[str]) -> None:
    """Print what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="has a folder for each set")
    parser.add_argument("sets", nargs="*", metavar="SET", help="sets to ask; all unless named")
    parser.add_argument("--bare", action="store_true", help="texts without speaker and day")
    parser.add_argument(
        *("--with", "-w"),
        action="append",
        default=[],
        dest="changes",
        metavar="CONSTANT=NUMBER",
        type=_change,
        help=f"another constant than the chosen one: {', '.join(CONSTANTS)}",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--floors", action="store_true", help="choose floors on one half, try them on the other"
    )
    what.add_argument(
        "--levels", action="store_true", help="recall at equal false injection, a floor per set"
    )
    given = parser.parse_args(arguments)
    sets = load(given.folder, bare=given.bare, constants=replace(CHOSEN, **dict(given.changes)))
    if unknown := [name for name in given.sets if name not in sets]:
        parser.error(f"no such set: {', '.join(unknown)}; there are: {', '.join(sets)}")
    asked = {name: answers(sets, sets[name]) for name in given.sets or sets}
    if given.floors:
        _try_floors(asked)
    elif given.levels:
        _try_levels(asked)
    else:
        _report(asked, FLOORS)


def _change(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    if name not in CONSTANTS:
        raise argparse.ArgumentTypeError(f"no such constant: {name}")
    try:
        return name, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"no number: {number}") from None


def _try_floors(asked: Mapping[str, Sequence[Answer]]) -> None:
    for which in (0, 1):
        print(f"floors chosen on half {which}, tried on half {1 - which}")
        chosen = choose({name: half(one, which) for name, one in asked.items()})
        _report({name: half(one, 1 - which) for name, one in asked.items()}, chosen)


def _try_levels(asked: Mapping[str, Sequence[Answer]]) -> None:
    rows = {}
    for name, one in asked.items():
        if not any(answer.same_set or answer.other_set for answer in one):
            continue
        found = [measure(one, at_false_injection(one, level)) for level in LEVELS]
        rows[name] = (*(figures.recall for figures in found), found[0].recall_at_8)
    _table((*(f"FIR {level:.2f}" for level in LEVELS), "R@8"), asked, rows)


def _report(asked: Mapping[str, Sequence[Answer]], floors: Mapping[Script, float]) -> None:
    print("floors:", *(f"{script} {floor:.3f} " for script, floor in floors.items()))
    _table(COLUMNS, asked, {name: astuple(measure(one, floors)) for name, one in asked.items()})


def _table(
    columns: Sequence[str],
    asked: Mapping[str, Sequence[Answer]],
    rows: Mapping[str, tuple[float, ...]],
) -> None:
    print(f"{'set':16}{'queries':>8}", *(f"{column:>8}" for column in columns))
    for name, row in rows.items():
        print(f"{name:16}{len(asked[name]):8}", *(f"{number:8.3f}" for number in row))
    for group, names in GROUPS.items():
        if rows.keys() >= set(names):
            means = map(mean, zip(*(rows[name] for name in names), strict=True))
            print(f"{group:24}", *(f"{number:8.3f}" for number in means))


if __name__ == "__main__":
    main(sys.argv[1:])
