"""What a record's fields are made of: the closed sets of words, and the bounds of every text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import Meta

from membound.numbers import MOST
from membound.times import DATETIME_PATTERN

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["user", "workspace", "project"]
MemoryType = Literal["fact", "preference", "decision", "episode", "relationship", "insight"]
Authority = Literal["reference", "directive"]
ProvenanceKind = Literal["user", "tool", "inference", "file", "web"]
SourceKind = Literal["user", "tool", "inference", "file", "web", "imported", "legacy"]
Trust = Literal["explicit-user", "observed", "inferred", "imported", "legacy"]
Outcome = Literal["succeeded", "failed", "aborted", "unknown"]
EvidenceStatus = Literal[
    "observed-success", "observed-failure", "aborted", "unverified", "user-stated"
]
Operation = Literal["create", "update", "disable", "restore", "forget", "rollback", "supersede"]

CONTENT_CHARACTERS: Final = 16_384
HISTORY_CHARACTERS: Final = 64_000
HISTORY_REVISIONS: Final = 20
ID_CHARACTERS: Final = 128
"""Of a record, a source, an agent."""
ORIGIN_CHARACTERS: Final = 256
"""Of the id of a thread or a turn."""
REASON_CHARACTERS: Final = 1_000
LOCATOR_CHARACTERS: Final = 1_024
IMPORTANCE: Final[Mapping[str, float]] = {
    "user": 0.8,
    "file": 0.6,
    "tool": 0.5,
    "web": 0.4,
    "inference": 0.3,
}
"""Importance by the kind of provenance, where none is given."""


def text_of(least: int, most: int) -> str:
    """Says in words what text of bounded length is."""
    return f"text of {least:,} to {most:,} characters"


def _text(least: int, most: int) -> Meta:
    return Meta(min_length=least, max_length=most, description=text_of(least, most))


def list_of(most: int, items: str) -> Meta:
    """Bounds a list, and says so in words."""
    return Meta(max_length=most, description=f"a list of at most {most:,} {items}")


Id = Annotated[
    str,
    Meta(
        pattern=rf"\A[A-Za-z0-9][A-Za-z0-9._:-]{{0,{ID_CHARACTERS - 1}}}\Z",
        description=(
            f"an id: 1 to {ID_CHARACTERS} of A-Z a-z 0-9 . _ : - starting with a letter or digit"
        ),
    ),
]
Content = Annotated[str, _text(1, CONTENT_CHARACTERS)]
DateTime = Annotated[
    str,
    Meta(pattern=DATETIME_PATTERN, description="a UTC time such as 2026-07-01T12:00:00.000Z"),
]
Sha = Annotated[
    str,
    Meta(
        pattern=r"\A(?:[0-9a-f]{40}|[0-9a-f]{64})\Z",
        description="40 or 64 lower-case hex digits",
    ),
]
Text = Annotated[str, Meta(min_length=1, description="text that is not empty")]
Upto128 = Annotated[str, _text(0, 128)]
Text128 = Annotated[str, _text(1, ID_CHARACTERS)]
Text256 = Annotated[str, _text(1, ORIGIN_CHARACTERS)]
Text512 = Annotated[str, _text(1, 512)]
Text1000 = Annotated[str, _text(1, REASON_CHARACTERS)]
Text1024 = Annotated[str, _text(1, LOCATOR_CHARACTERS)]
Text4096 = Annotated[str, _text(1, 4_096)]
Ids = Annotated[tuple[Text256, ...], list_of(8, "ids")]
Unit = Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")]
Count = Annotated[int, Meta(ge=1, le=MOST, description="a whole number from 1 that JSON can carry")]
