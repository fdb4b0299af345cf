"""Data sets: folders of records and of questions that only their own conversation answers."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import msgspec

from membound.errors import InvalidInputError, InvalidRecordError
from membound.evaluation.lines import decoded, read_lines
from membound.excerpt import excerpt
from membound.records import MemoryRecord
from membound.text import PathText, any_path, word
from membound.times import EPOCH, instant, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

__all__ = ["Conversation", "DataSet", "OptionalField", "Question", "load_sets"]

OptionalField = Literal["speaker", "tags", "timestamp"]

_RECORDS, _QUESTIONS = "records.jsonl", "queries.jsonl"
_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
_Name = Annotated[str, msgspec.Meta(min_length=1)]


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of records."""

    id: _Name
    conversation: _Name
    text: str
    timestamp: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One line of questions: what is asked, and the ids of the records that answer it."""

    id: _Name
    text: str
    conversation: _Name
    gold_ids: tuple[str, ...]
    category: str = "other"
    language: str = msgspec.field(default="und", name="lang")


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """Records that share a workspace, in the order of their lines.

    Attributes:
        moment: when it is asked, unless the caller says otherwise: at its last record.
        language: that of its first question; `und` where it has none.
        given_ids: the ids of the data set, by those of the records.
        record_ids: the other way round.
    """

    name: str
    workspace: str
    moment: datetime
    language: str = "und"
    records: tuple[MemoryRecord, ...]
    given_ids: dict[str, str]
    record_ids: dict[str, str]


class DataSet(msgspec.Struct, frozen=True, kw_only=True):
    """One folder: its conversations by name, its questions, and the SHA-256 of its files."""

    name: str
    conversations: dict[str, Conversation]
    questions: tuple[Question, ...]
    digest: str


def load_sets(
    folders: Iterable[PathText], *, without: Iterable[OptionalField] = ()
) -> tuple[DataSet, ...]:
    """Read data sets; each folder is one, or holds some, which are taken in order of their names.

    Args:
        folders: where they lie; a set has the name of its folder.
        without: fields of records that are left out.

    Raises:
        InvalidInputError: a folder holds no set, two have one name, or a question cannot be used.
        InvalidRecordError: a record cannot be used; the file and the line are named.
    """
    omitted = {word(name, "without", get_args(OptionalField)) for name in without}
    found: dict[str, DataSet] = {}
    for folder in folders:
        for place in _set_folders(Path(any_path(folder, "data"))):
            if place.name in found:
                expected = "sets of different names"
                raise InvalidInputError("data", expected, f"{excerpt(place.name)} twice")
            found[place.name] = _load(place, len(found), omitted)
    if not any(some.questions for some in found.values()):
        raise InvalidInputError("data", "sets with questions", f"{len(found)} without any")
    return tuple(found.values())


def _set_folders(folder: Path) -> list[Path]:
    try:
        own = [folder.resolve(strict=True)] if (folder / _RECORDS).exists() else []
        found = own or sorted(path.parent for path in folder.glob(f"*/{_RECORDS}"))
    except OSError as error:
        got = f"{excerpt(folder.name)}: {error.strerror}"
        raise InvalidInputError("data", "a folder that can be read", got) from error
    if not found:
        expected = f"a folder with {_RECORDS} and {_QUESTIONS}, or one of such folders"
        raise InvalidInputError("data", expected, excerpt(str(folder)))
    return found


def _load(folder: Path, number: int, omitted: AbstractSet[OptionalField]) -> DataSet:
    rows = read_lines(
        folder / _RECORDS,
        _row,
        InvalidRecordError,
        lambda row: (row.id, (row.conversation, row.id)),
    )
    grouped: dict[str, list[_Row]] = {}
    for row in rows:
        grouped.setdefault(row.conversation, []).append(row)
    conversations = {
        name: _conversation(name, f"{number}.{at}", some, omitted)
        for at, (name, some) in enumerate(grouped.items())
    }
    known = {name: {row.id for row in some} for name, some in grouped.items()}

    def read(line: bytes) -> Question:
        question = decoded(line, Question, "query", "a question")
        if question.conversation not in known:
            expected = f"a conversation that {_RECORDS} has"
            raise InvalidInputError("conversation", expected, excerpt(question.conversation))
        for id in question.gold_ids:
            if id not in known[question.conversation]:
                expected = "ids of records of the conversation"
                raise InvalidInputError("gold_ids", expected, excerpt(id))
        return question

    questions = read_lines(
        folder / _QUESTIONS, read, InvalidInputError, lambda question: (question.id, question.id)
    )
    files = (folder / name for name in (_RECORDS, _QUESTIONS))
    for question in reversed(questions):
        own = conversations[question.conversation]
        conversations[own.name] = msgspec.structs.replace(own, language=question.language)
    digest = sha256(b"".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()
    return DataSet(
        name=folder.name, conversations=conversations, questions=questions, digest=digest
    )


def _row(line: bytes) -> _Row:
    row = decoded(line, _Row, "record", "a record of a data set")
    if row.timestamp is not None and instant(row.timestamp) is None:
        expected = "an ISO 8601 time such as 2026-07-01T12:00:00Z"
        raise InvalidInputError("timestamp", expected, excerpt(row.timestamp))
    _record(row, "checked", "/", EPOCH, frozenset())
    return row


def _conversation(
    name: str, number: str, rows: Sequence[_Row], omitted: AbstractSet[OptionalField]
) -> Conversation:
    """Make the records; their own ids are only unique in a conversation, and of any characters."""
    told = [None if "timestamp" in omitted else row.timestamp for row in rows]
    moments = [None if text is None else instant(text) for text in told]
    last = max((moment for moment in moments if moment is not None), default=_UNDATED)
    workspace = f"/sets/{number}"
    records = tuple(
        _record(row, f"{number}.{at:06}", workspace, timestamp(moment or last), omitted)
        for at, (row, moment) in enumerate(zip(rows, moments, strict=True))
    )
    return Conversation(
        name=name,
        workspace=workspace,
        moment=last,
        records=records,
        given_ids={record.id: row.id for record, row in zip(records, rows, strict=True)},
        record_ids={row.id: record.id for record, row in zip(records, rows, strict=True)},
    )


def _record(
    row: _Row, id: str, workspace: str, moment: str, omitted: AbstractSet[OptionalField]
) -> MemoryRecord:
    """Make the record that remembers a line; who speaks is part of what is remembered."""
    speaker = None if "speaker" in omitted else row.speaker
    return MemoryRecord.from_dict(
        {
            "id": id,
            "content": f"{speaker}: {row.text}" if speaker else row.text,
            "scope": "workspace",
            "type": "fact",
            "authority": "reference",
            "tags": [] if "tags" in omitted else list(row.tags),
            "importance": 0.5,
            "createdAt": moment,
            "updatedAt": moment,
            "observedAt": moment,
            "workspace": workspace,
            "sources": [],
        }
    )
