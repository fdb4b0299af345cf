"""What a record's fields are made of: the closed sets of words, and the bounds of every text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import Meta

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

DIRECTIVE_CHARACTERS: Final = 1_000
HISTORY_CHARACTERS: Final = 64_000
HISTORY_REVISIONS: Final = 20
LOCATOR_CHARACTERS: Final = 1_024
IMPORTANCE: Final[Mapping[str, float]] = {
    "user": 0.8,
    "file": 0.6,
    "tool": 0.5,
    "web": 0.4,
    "inference": 0.3,
}
"""Importance by the kind of provenance, where none is given."""

Id = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z0-9][A-Za-z0-9._:-]{0,127}\Z",
        description="an id: 1 to 128 of A-Z a-z 0-9 . _ : - starting with a letter or digit",
    ),
]
Content = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=16_384,
        description="text of 1 to 16,384 characters",
    ),
]
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
Upto128 = Annotated[str, Meta(max_length=128, description="text of at most 128 characters")]
Text128 = Annotated[
    str, Meta(min_length=1, max_length=128, description="text of 1 to 128 characters")
]
Text256 = Annotated[
    str, Meta(min_length=1, max_length=256, description="text of 1 to 256 characters")
]
Text512 = Annotated[
    str, Meta(min_length=1, max_length=512, description="text of 1 to 512 characters")
]
Text1000 = Annotated[
    str, Meta(min_length=1, max_length=1_000, description="text of 1 to 1,000 characters")
]
Text1024 = Annotated[
    str,
    Meta(min_length=1, max_length=LOCATOR_CHARACTERS, description="text of 1 to 1,024 characters"),
]
Text4096 = Annotated[
    str, Meta(min_length=1, max_length=4_096, description="text of 1 to 4,096 characters")
]
Ids = Annotated[tuple[Text256, ...], Meta(max_length=8, description="a list of at most 8 ids")]
Unit = Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")]
Count = Annotated[
    int, Meta(ge=1, le=2**53 - 1, description="a whole number from 1 that JSON can carry")
]
