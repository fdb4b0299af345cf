"""Where a question is asked too though nothing there can answer it: chosen by a fixed rule."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import msgspec

from membound.evaluation.survey.sets import Conversation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from membound.evaluation.survey.sets import DataSet, Question

__all__ = ["Elsewhere", "Places", "order_of"]

Kind = Literal["same-set", "other-set"]


class Elsewhere(msgspec.Struct, frozen=True):
    """A conversation that cannot hold the answer: of the question's own set, or of another one."""

    kind: Kind
    set: str
    conversation: Conversation


class Places:
    """Every conversation of some sets, as places where another's question has no answer.

    Conversations of one name are about the same thing, in whatever sets: never each other's places.
    """

    def __init__(self, sets: Sequence[DataSet], seed: int) -> None:
        self._seed = seed
        self._own = {some.name: _places("same-set", some) for some in sets}
        asked = {some.name: {question.language for question in some.questions} for some in sets}
        languages = sorted({language for some in asked.values() for language in some})
        self._foreign = {
            (some.name, language): [
                place
                for other in sets
                if other.name != some.name and language in asked[other.name]
                for place in _places("other-set", other)
            ]
            for some in sets
            for language in languages
        }

    def of(self, set: str, question: Question) -> tuple[Elsewhere, ...]:
        """Return at most one place in the question's set and one in a set of its language."""
        among = (self._own[set], self._foreign[set, question.language])
        found = (self._choice(set, question, some) for some in among)
        return tuple(place for place in found if place is not None)

    def _choice(
        self, set: str, question: Question, places: Sequence[Elsewhere]
    ) -> Elsewhere | None:
        """Begin where the question's hash says, and go on to the first that is not its own."""
        start = int(order_of(self._seed, set, question.id), 16)
        turned = (places[(start + at) % len(places)] for at in range(len(places)))
        return next((p for p in turned if p.conversation.name != question.conversation), None)


def order_of(seed: int, *names: str) -> str:
    """Return a hash to order by: the same on every machine, and of no meaning."""
    return sha256("\n".join((str(seed), *names)).encode()).hexdigest()


def _places(kind: Kind, some: DataSet) -> list[Elsewhere]:
    return [Elsewhere(kind, some.name, each) for each in some.conversations.values()]
