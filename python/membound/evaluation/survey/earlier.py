"""An earlier report, read again to be compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Protocol

import msgspec

from membound.errors import InvalidInputError
from membound.evaluation.survey.outcomes import Foreign, Outcome
from membound.excerpt import excerpt
from membound.text import PathText, any_path

__all__ = ["Earlier", "read_earlier", "same_question"]

_Count = Annotated[int, msgspec.Meta(ge=0)]


class _EarlierAnswer(msgspec.Struct, frozen=True, kw_only=True):
    ranks: tuple[Annotated[int, msgspec.Meta(ge=1)], ...]
    selected: tuple[str, ...]
    hits: _Count
    characters: _Count
    elsewhere: tuple[Foreign, ...]


class _EarlierQuestion(msgspec.Struct, frozen=True, kw_only=True):
    set: str
    id: str
    gold_ids: tuple[str, ...]
    elsewhere: tuple[str, ...]
    answers: dict[str, _EarlierAnswer]


class _EarlierReport(msgspec.Struct, frozen=True, kw_only=True):
    questions: tuple[_EarlierQuestion, ...]


Question = tuple[str, str, tuple[str, ...], tuple[str, ...]]
Earlier = dict[str, dict[Question, Outcome]]
"""Outcomes of an earlier report, by variant and question."""


def read_earlier(path: PathText) -> Earlier:
    """Read the outcomes of a report's JSON.

    Raises:
        InvalidInputError: it is not the JSON of a report.
    """
    file = Path(any_path(path, "against"))
    try:
        report = msgspec.json.decode(file.read_bytes(), type=_EarlierReport)
    except OSError as error:
        got = f"{excerpt(file.name)}: {error.strerror}"
        raise InvalidInputError("against", "a file that can be read", got) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError("against", "the JSON of a survey's report", str(error)) from error
    found: Earlier = {}
    for question in report.questions:
        for name, answer in question.answers.items():
            outcome = Outcome(
                gold=len(set(question.gold_ids)),
                ranks=answer.ranks,
                selected=answer.selected,
                hits=answer.hits,
                characters=answer.characters,
                elsewhere=answer.elsewhere,
            )
            found.setdefault(name, {})[same_question(question)] = outcome
    return found


class _Named(Protocol):
    """What says whether two reports asked the same."""

    @property
    def set(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def gold_ids(self) -> tuple[str, ...]: ...
    @property
    def elsewhere(self) -> tuple[str, ...]: ...


def same_question(named: _Named) -> Question:
    """Return what is equal if two reports asked the same, with the same answer and places."""
    return named.set, named.id, named.gold_ids, named.elsewhere
