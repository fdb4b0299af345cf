"""What is selected of the records of a workspace, by the oracle's lexical alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.oracle.asked import asked
from tests.oracle.levels import needed
from tests.oracle.scoring import CHOSEN, Constants

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.oracle.scoring import Workspace

RECORDS: Final = 8
CHARACTERS: Final = 6000
FENCE: Final = 330
LINE: Final = 170
"""Characters of a line beside its content, about."""
FEWEST_CHARACTERS: Final = 96


def lexical(workspace: Workspace, query: str) -> dict[int, float]:
    """Give lexical of each record of a workspace for which it is above 0, by its place."""
    return workspace.lexical(workspace.weigh(asked(query)))


def ranked(lexical: dict[int, float]) -> list[int]:
    """Give records by lexical, descending; then by their places."""
    return sorted(lexical, key=lambda record: (-lexical[record], record))


def select(
    lexical: dict[int, float],
    characters: Callable[[int], int],
    floor: float,
    constants: Constants = CHOSEN,
) -> list[int]:
    """Give what is admitted and fits both budgets, in rank order; nothing below the floor.

    A line that does not fit is cut if 96 characters of its content are left, and else skipped.
    """
    least = needed(max(lexical.values(), default=0.0), floor, constants)
    taken, left = list[int](), CHARACTERS - FENCE
    for record in ranked(lexical):
        if least is None or len(taken) == RECORDS or lexical[record] < least:
            break
        line = LINE + characters(record)
        if line <= left or left - LINE >= FEWEST_CHARACTERS:
            left -= min(line, left)
            taken.append(record)
    return taken
