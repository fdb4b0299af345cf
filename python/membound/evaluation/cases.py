"""Evaluation data: the case, and JSONL files of cases and of records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

import msgspec

from membound.arguments import items
from membound.errors import InvalidInputError, InvalidRecordError
from membound.excerpt import excerpt
from membound.records import MemoryRecord
from membound.schema import leaf
from membound.text import PathText, any_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["EvaluationCase", "case_list", "load_cases", "load_records"]

# msgspec tells no value, but the name of a caller's own type, which may have any length.
_LONG_NAME = re.compile(r"(?<=got `)([^`]{40})[^`]+")
_Case = TypeVar("_Case", bound="EvaluationCase")
_Item = TypeVar("_Item", "EvaluationCase", MemoryRecord)


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
    return _load(path, _case, InvalidInputError)


def load_records(path: PathText) -> tuple[MemoryRecord, ...]:
    """Read a JSONL file of records in their canonical JSON shape; an error names file and line."""
    return _load(path, MemoryRecord.from_json, InvalidRecordError)


def _case(line: bytes) -> EvaluationCase:
    try:
        return msgspec.json.decode(line, type=EvaluationCase)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _refusal(error) from error
    except RecursionError:
        got = "nesting that is too deep"
        raise InvalidInputError("case", "an evaluation case", got) from None


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
        raise _refusal(error, field) from error
    return read


def _refusal(error: Exception, field: str = "case") -> InvalidInputError:
    reason = _LONG_NAME.sub(r"\1...", str(error))
    return InvalidInputError(field, "an evaluation case", f"another value ({reason})")


def _load(
    path: PathText, read: Callable[[bytes], _Item], refusal: type[InvalidInputError]
) -> tuple[_Item, ...]:
    """Read every line that is not blank; each id may occur once."""
    found: dict[str, _Item] = {}
    for place, line in _lines(path):
        try:
            item = read(line)
        except InvalidInputError as error:
            raise refusal(f"{place} {error.field}", error.expected, error.got) from error
        if item.id in found:
            raise refusal(f"{place} id", "an id that no earlier line has", excerpt(item.id))
        found[item.id] = item
    return tuple(found.values())


def _lines(path: PathText) -> Iterator[tuple[str, bytes]]:
    """Yield `file:line` and the line; only LF ends one, as U+2028 may stand inside a string."""
    name = any_path(path, "path")
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        got = f"{excerpt(Path(name).name)}: {error.strerror}"
        raise InvalidInputError("path", "a file that can be read", got) from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield f"{name}:{number}", line
