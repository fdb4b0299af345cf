"""Comparisons: each variant with a chosen one of this run, and with itself in an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound.errors import InvalidInputError
from membound.evaluation.survey.earlier import same_question
from membound.evaluation.survey.groups import values_of
from membound.evaluation.survey.intervals import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from membound.evaluation.survey.earlier import Earlier
    from membound.evaluation.survey.groups import Asked, Group, Values
    from membound.evaluation.survey.intervals import Resampling
    from membound.evaluation.survey.outcomes import Outcome

__all__ = ["compare"]


def compare(
    asked: Sequence[Asked],
    groups: Sequence[Group],
    outcomes: Mapping[str, Sequence[Outcome]],
    *,
    against: str | None,
    earlier: Earlier | None,
    resampling: Callable[[Values, Values], Resampling],
) -> tuple[Comparison, ...]:
    """Compare in every group; to an earlier report a question is the same if all of it is.

    Raises:
        InvalidInputError: the earlier report has no variant and question in common with this one.
    """

    def pairs() -> Iterator[tuple[str, str, Sequence[Outcome | None]]]:
        if against is not None:
            yield from ((n, against, outcomes[against]) for n in outcomes if n != against)
        for name in outcomes if earlier else ():
            then = (earlier or {}).get(name, {})
            found = [then.get(same_question(some)) for some in asked]
            if any(found):
                yield name, f"{name}, earlier", found

    made = []
    for name, other, others in pairs():
        drawn = resampling(values_of(outcomes[name]), values_of(others))
        made.append(
            Comparison(
                variant=name,
                against=other,
                questions=sum(some is not None for some in others),
                differences=tuple(drawn.differences(group) for group in groups),
            )
        )
    if earlier is not None and not any(some.against.endswith(", earlier") for some in made):
        expected = "a report with questions and variants of this one"
        raise InvalidInputError("earlier", expected, "one that has none in common")
    return tuple(made)
