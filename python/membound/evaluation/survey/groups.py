"""Groups of questions, and the means over them: in a set over questions, over sets beyond that."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from membound.errors import InvalidInputError
from membound.evaluation.survey.outcomes import METRICS
from membound.excerpt import excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from membound.evaluation.survey.outcomes import Outcome

__all__ = ["Asked", "Group", "Kind", "groups_of", "macro", "means", "values_of"]

Kind = Literal["all", "group", "language", "set", "category"]
Values = dict[str, list[float | None]]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question as it was asked, and where else.

    Attributes:
        gold_ids: the records that answer it; none if its category has no answers.
        elsewhere: the conversations that cannot hold the answer.
    """

    set: str
    id: str
    conversation: str
    language: str
    category: str
    gold_ids: tuple[str, ...]
    elsewhere: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What names it among all sets."""
        return self.set, self.id


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Questions by number: a part for each set, so that no set counts for its size."""

    kind: Kind
    name: str
    parts: tuple[tuple[int, ...], ...]


def groups_of(
    asked: Sequence[Asked], named: Mapping[str, Sequence[str]] | None = None
) -> tuple[Group, ...]:
    """Group the questions: all, the caller's groups of sets, languages, sets, categories.

    Raises:
        InvalidInputError: a caller's group names a set that there is not.
    """
    by_set = _parts(asked, lambda some: (some.set,))
    by_language = _parts(asked, lambda some: (some.set, some.language))
    by_category = _parts(asked, lambda some: (some.set, some.category))
    languages = dict.fromkeys(language for _, language in by_language)
    for sets in (named or {}).values():
        for set in sets:
            if (set,) not in by_set:
                raise InvalidInputError("groups", "names of sets with questions", excerpt(set))
    return (
        Group(kind="all", name="sets", parts=tuple(by_set.values())),
        *(
            Group(kind="group", name=name, parts=tuple(by_set[set,] for set in sets))
            for name, sets in (named or {}).items()
        ),
        *(
            Group(
                kind="language",
                name=language,
                parts=tuple(part for key, part in by_language.items() if key[1] == language),
            )
            for language in languages
        ),
        *(Group(kind="set", name=set, parts=(part,)) for (set,), part in by_set.items()),
        *(
            Group(kind="category", name=f"{set}: {category}", parts=(part,))
            for (set, category), part in by_category.items()
        ),
    )


def values_of(outcomes: Sequence[Outcome | None]) -> Values:
    """Measure every outcome by every metric; where there is no outcome, there is no value."""
    return {
        name: [None if some is None else measure(some) for some in outcomes]
        for name, measure in METRICS.items()
    }


def means(group: Group, values: Values) -> dict[str, float | None]:
    """Return the mean of each metric, to six decimals; None where it says nothing."""
    found = {
        name: macro([of[number] for number in part] for part in group.parts)
        for name, of in values.items()
    }
    return {name: None if mean is None else round(mean, 6) for name, mean in found.items()}


def macro(parts: Iterable[Sequence[float | None]]) -> float | None:
    """Take the mean of each part, then that of the parts; without values a part does not count."""
    some = [_mean(known) for part in parts if (known := [v for v in part if v is not None])]
    return _mean(some) if some else None


def _mean(values: Sequence[float]) -> float:
    """Add up exactly: the order of the questions changes no bit."""
    return math.fsum(values) / len(values)


def _parts(
    asked: Sequence[Asked], key: Callable[[Asked], tuple[str, ...]]
) -> dict[tuple[str, ...], tuple[int, ...]]:
    found: dict[tuple[str, ...], list[int]] = {}
    for number, some in enumerate(asked):
        found.setdefault(key(some), []).append(number)
    return {name: tuple(numbers) for name, numbers in found.items()}
