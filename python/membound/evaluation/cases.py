"""Evaluation data: the case, and JSONL files of cases and of records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

import msgspec

from membound.arguments import items
from membound.errors import InvalidInputError, InvalidRecordError
from membound.evaluation.lines import decoded, read_lines, refusal_of
from membound.excerpt import excerpt
from membound.records import MemoryRecord
from membound.schema import leaf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from membound.text import PathText

__all__ = ["EvaluationCase", "case_list", "load_cases", "load_records"]

_EXPECTED = "an evaluation case"
_Case = TypeVar("_Case", bound="EvaluationCase")


class EvaluationCase(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One question with the ids that should, and the ids that must not, be selected for it.

    Fields that are not ours are ignored, so a data set may carry more than is read here.

    Attributes:
        expected_ids: what a right answer holds; empty when a right answer is no answer.
        forbidden_ids: what no answer may hold, whatever its words: records of other workspaces,
            superseded, deleted, disabled or expired ones. Each one selected is a scope leak.
        expected_miss: the rules are known not to find it; it is counted apart, not hidden.
    """

    id: Annotated[str, msgspec.Meta(min_length=1)]
    query: str
    expected_ids: tuple[str, ...]
    forbidden_ids: tuple[str, ...] = ()
    workspace: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=0)] = 8
    category: str = "other"
    language: str = "und"
    expected_miss: bool = False
    note: str | None = None

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Self:
        """Read a case from its JSON shape, or raise `InvalidInputError`."""
        return _checked(mapping, cls, "case")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape; what is at its default is left out."""
        shape: dict[str, Any] = msgspec.to_builtins(self)
        return shape


def case_list(
    cases: Iterable[EvaluationCase | Mapping[str, Any]],
) -> tuple[EvaluationCase, ...]:
    """Read cases or mappings of their JSON shape; the constructor itself checks nothing."""
    given = enumerate(items(cases, "cases", "an EvaluationCase or a mapping"))
    return tuple(_checked(case, EvaluationCase, f"cases.{at}") for at, case in given)


def load_cases(path: PathText) -> tuple[EvaluationCase, ...]:
    """Read a JSONL file of cases; an error names the file and the line."""

    def read(line: bytes) -> EvaluationCase:
        return decoded(line, EvaluationCase, "case", _EXPECTED)

    return read_lines(path, read, InvalidInputError, lambda case: (case.id, case.id))


def load_records(path: PathText) -> tuple[MemoryRecord, ...]:
    """Read a JSONL file of records in their canonical JSON shape; an error names file and line."""
    return read_lines(
        path, MemoryRecord.from_json, InvalidRecordError, lambda record: (record.id, record.id)
    )


def _checked(value: object, case: type[_Case], field: str) -> _Case:
    names = zip(case.__struct_fields__, case.__struct_encode_fields__, strict=True)
    if isinstance(value, case):
        shape = {name: leaf(getattr(value, attribute)) for attribute, name in names}
    elif isinstance(value, Mapping):
        shape = {name: leaf(value[name]) for _, name in names if name in value}
    else:
        raise InvalidInputError(field, "an EvaluationCase or a mapping", excerpt(value))
    try:
        read = msgspec.convert(shape, case)
        msgspec.json.encode(read)  # fails on a lone surrogate anywhere
    except (msgspec.ValidationError, ValueError) as error:
        raise refusal_of(error, field, _EXPECTED) from error
    return read
