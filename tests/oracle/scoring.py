"""The lexical feature of `foundation-v2`, slow and obvious: what the core is held against.

    lexical(q, r) = sqrt( cover(q, r) / stretch(r) )                                  in [0, 1)
    cover(q, r)   = max( S / (T + 2·u1),  over the sentences g of q: S_g / (T_g + 4·u1) )
    S             = Σ w(u) · m(u, r) over the units u of q, in their order;  T = Σ w(u)
    w(u)          = strength(u) · idf(df(u)),  df(u) = number of records with m(u, r) > 0
    idf(n)        = ln(1 + (N + 100 - n + ½) / (n + ½)),  u1 = idf(1)
    stretch(r)    = 1 + 0.25 · L_r / mean L,  L_r = number of distinct units of r

N, df and mean L are those of the eligible records. Lexical is rounded to nine decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log1p, sqrt
from typing import TYPE_CHECKING, Final

from tests.oracle.words import BARE, STOP, trigrams, weak_characters

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tests.oracle.asked import Asked


@dataclass(frozen=True)
class Constants:
    """The numbers of the formula, as they were chosen."""

    stop: float = 0.2
    """Strength of a stop word."""
    one_weak: float = 0.6
    two_weak: float = 0.2
    """Strength of a pair with one, and with two weak characters."""
    dice: float = 55
    """The least Dice coefficient of two words' trigrams, in percent: so it is compared exactly."""
    apart: float = 0.3
    """What a pair counts that a record lacks, when the record has both of its characters."""
    pseudo: float = 100
    """Documents without any unit that are added to N, so that a small store has an idf at all."""
    length: float = 0.25
    doubt: float = 2
    doubt_of_sentence: float = 4
    """How many of the rarest words a query, or one sentence of it, is taken to have missed."""
    relative: float = 0.65
    following: float = 0.75
    """What a record needs once the best has reached the floor: of the best, and of the floor."""


CHOSEN: Final = Constants()


def strength(unit: str, constants: Constants = CHOSEN) -> float:
    """Give how much a unit counts before its idf: 1; a stop word or a weak pair less.

    A stop word 0.2; a pair with 0, 1 or 2 weak characters 1, 0.6 or 0.2.
    """
    if unit[0] == "w":
        return constants.stop if unit[1:] in STOP else 1.0
    if unit[0] == "c":
        return (1.0, constants.one_weak, constants.two_weak)[weak_characters(unit)]
    return 1.0


def is_strong(unit: str) -> bool:
    """Tell whether a unit says something by itself: no stop word, at most one weak character.

    A pair of one that makes no word of it, such as those of 没有 and 好的, does not.
    """
    return strength(unit) > CHOSEN.two_weak and BARE.isdisjoint(unit)


@dataclass(frozen=True)
class Part:
    """A query as a whole, or one sentence of it: the places of its units, and T + doubt · u1."""

    places: Sequence[int]
    against: float


@dataclass(frozen=True)
class Weighed:
    """A query's units in a workspace: m(u, ·) and w(u) of each, and the parts they make."""

    matches: list[dict[int, float]]
    weights: list[float]
    parts: list[Part]
    strong: bool

    def has_all(self, record: int) -> bool:
        """Tell whether a record has every unit, and not all of them are weak."""
        return self.strong and all(found.get(record) == 1.0 for found in self.matches)

    def bound(self, reached: Collection[int], stretch: float) -> float:
        """Give what lexical is at most where only the units X, at these places, match:

        sqrt( max( Σ_X w / (T + 2·u1), over sentences g: Σ_{X ∩ g} w / (T_g + 4·u1) ) / stretch )
        """
        covers = (
            added(self.weights[at] for at in part.places if at in reached) / part.against
            for part in self.parts
        )
        return sqrt(max(covers) / stretch)


class Workspace:
    """All that one request may see: records, each as its distinct units."""

    def __init__(self, records: Sequence[Sequence[str]], constants: Constants = CHOSEN) -> None:
        self.constants = constants
        self.count = len(records)
        self.lengths = [len(units) for units in records]
        self.mean_length = sum(self.lengths) / max(self.count, 1)
        self._postings: dict[str, list[int]] = {}
        self._characters: dict[str, set[int]] = {}
        self._words: dict[str, list[str]] = {}
        for record, units in enumerate(records):
            for unit in units:
                self._add(unit, record)
        self._known: dict[str, dict[int, float]] = {}

    def _add(self, unit: str, record: int) -> None:
        if unit not in self._postings and unit[0] == "w":
            for trigram in trigrams(unit[1:]):
                self._words.setdefault(trigram, []).append(unit)
        self._postings.setdefault(unit, []).append(record)
        for character in unit[1:] if unit[0] == "c" else "":
            self._characters.setdefault(character, set()).add(record)

    def matches(self, unit: str) -> dict[int, float]:
        """Give m(unit, r) of each record r for which it is above 0.

        1                       the unit is one of r; of a single character: it is in some `c`
                                unit of r
        the greatest Dice       else, of a word that is no stop word with the words of r, of which
                                both have trigrams and Dice is at least 0.55
        0.3                     else, of two characters that are not both weak: each is in some
                                `c` unit of r
        """
        if unit not in self._known:
            apart = self.constants.apart
            found: dict[int, float] = {}
            if unit[0] == "w" and unit[1:] not in STOP:
                found = self._alike(unit)
            elif unit[0] == "c" and len(unit) == 2:
                found = dict.fromkeys(self._characters.get(unit[1], ()), 1.0)
            elif unit[0] == "c" and len(unit) == 3 and weak_characters(unit) < 2:
                one, two = (self._characters.get(character, set()) for character in unit[1:])
                found = dict.fromkeys(one & two if apart else (), apart)
            self._known[unit] = found | dict.fromkeys(self._postings.get(unit, ()), 1.0)
        return self._known[unit]

    def _alike(self, unit: str) -> dict[int, float]:
        """Dice(u, v) = 2 · common trigrams / (trigrams of u + trigrams of v)."""
        mine = trigrams(unit[1:])
        common: dict[str, int] = {}
        for trigram in mine:
            for word in self._words.get(trigram, ()):
                common[word] = common.get(word, 0) + 1
        found: dict[int, float] = {}
        for word, count in common.items():
            both = len(mine) + len(trigrams(word[1:]))
            if 100 * 2 * count >= self.constants.dice * both:
                for record in self._postings[word]:
                    found[record] = max(found.get(record, 0.0), 2 * count / both)
        return found

    def idf(self, count: int) -> float:
        """Give ln(1 + (N + 100 - n + ½) / (n + ½)) for n records."""
        return log1p((self.count + self.constants.pseudo - count + 0.5) / (count + 0.5))

    def stretch(self, length: int) -> float:
        """Give 1 + 0.25 · L / mean L."""
        return 1.0 + self.constants.length * length / self.mean_length

    def weigh(self, asked: Asked) -> Weighed:
        """Give what the units of a query weigh here."""
        units = asked.units
        matches = [self.matches(unit) for unit in units]
        weights = [
            strength(unit, self.constants) * self.idf(len(found))
            for unit, found in zip(units, matches, strict=True)
        ]
        groups: list[tuple[Sequence[int], float]] = [
            (range(len(units)), self.constants.doubt),
            *((sentence, self.constants.doubt_of_sentence) for sentence in asked.sentences),
        ]
        parts = [
            Part(places, added(weights[at] for at in places) + doubt * self.idf(1))
            for places, doubt in groups
        ]
        return Weighed(matches, weights, parts, any(map(is_strong, units)))

    def lexical(self, weighed: Weighed, floor: float = 0.0) -> dict[int, float]:
        """Give lexical of each record for which it is above 0, by the record's place.

        A record that has every unit as it is, not all of them weak, is at the floor at least.
        """
        covers: dict[int, float] = {}
        for part in weighed.parts:
            sums: dict[int, float] = {}
            for at in part.places:
                for record, match in weighed.matches[at].items():
                    sums[record] = sums.get(record, 0.0) + weighed.weights[at] * match
            for record, total in sums.items():
                covers[record] = max(covers.get(record, 0.0), total / part.against)
        found = {
            record: rounded(sqrt(cover / self.stretch(self.lengths[record])))
            for record, cover in covers.items()
        }
        for record, lexical in found.items():
            if weighed.has_all(record):
                found[record] = max(lexical, floor)
        return found


def added(numbers: Iterable[float]) -> float:
    """Add one after the other, which `sum` does not from Python 3.12 on."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def rounded(number: float) -> float:
    """Round to nine decimals, a half away from zero."""
    return floor(number * 1e9 + 0.5) / 1e9
