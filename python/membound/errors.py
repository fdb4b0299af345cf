"""Every error membound raises.

The tree:

    MemboundError
      InvalidInputError (ValueError)      an argument or a record field is not acceptable
        InvalidRecordError                a record's JSON does not follow the schema
      NotFoundError (LookupError)         there is no such record
        RevisionNotFoundError             the record keeps no such revision
      ConflictError                       the change contradicts what is stored
        DuplicateIdError                  the id is taken by another record
        RevisionConflictError             the record has moved on since it was read
      StoreError                          the store as a whole cannot do this now
        StoreBusyError                    another writer holds the store
        StoreClosedError                  the store was closed, or inherited by a forked child
        CanonicalFileError                a file or folder of the store cannot be read or written
          PartialChangeError              a change failed, and could not be undone as a whole
        IndexUnavailableError             the index cannot be used; recall answers from the files
          IndexDamagedError               its file is damaged or outdated and is to be rebuilt
          IndexSchemaError                the index was written by a newer version
      MissingExtraError (ImportError)     an optional dependency is not installed
      InternalError                       a fault of membound itself

Each error says what was expected, what came and what to do. Its constructor takes exactly the
values it keeps, so each one survives pickling.
"""

from __future__ import annotations

__all__ = [
    "CanonicalFileError",
    "ConflictError",
    "DuplicateIdError",
    "IndexDamagedError",
    "IndexSchemaError",
    "IndexUnavailableError",
    "InternalError",
    "InvalidInputError",
    "InvalidRecordError",
    "MemboundError",
    "MissingExtraError",
    "NotFoundError",
    "PartialChangeError",
    "RevisionConflictError",
    "RevisionNotFoundError",
    "StoreBusyError",
    "StoreClosedError",
    "StoreError",
]


class MemboundError(Exception):
    """The root: catch it to catch everything membound raises on purpose."""


class InvalidInputError(MemboundError, ValueError):
    """An argument or a field is not acceptable; nothing was changed.

    Attributes:
        field: the argument or field, as a dotted path such as ``sources.0.kind``.
        expected: what would have been accepted.
        got: a short, safe description of what came.
    """

    def __init__(self, field: str, expected: str, got: str) -> None:
        super().__init__(field, expected, got)
        self.field = field
        self.expected = expected
        self.got = got

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}, got {self.got}"


class InvalidRecordError(InvalidInputError):
    """A record's JSON does not follow the schema; the file it came from is untouched."""


class NotFoundError(MemboundError, LookupError):
    """There is no such record: none of that id has a file."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id)
        self.record_id = record_id

    def __str__(self) -> str:
        return f"there is no record {self.record_id!a}; a list of all shows which there are"


class RevisionNotFoundError(NotFoundError):
    """The record keeps no such revision to go back to.

    Attributes:
        revision: the one that was asked for.
        kept: those that the record keeps, oldest first.
    """

    def __init__(self, record_id: str, revision: int, kept: tuple[int, ...]) -> None:
        super().__init__(record_id)
        self.args = (record_id, revision, kept)
        self.revision = revision
        self.kept = kept

    def __str__(self) -> str:
        kept = ", ".join(map(str, self.kept)) or "none"
        return (
            f"record {self.record_id!r} keeps no revision {self.revision} to go back to; "
            f"it keeps {kept}"
        )


class ConflictError(MemboundError):
    """The change contradicts what is stored; nothing was changed."""

    def __init__(self, record_id: str, reason: str) -> None:
        super().__init__(record_id, reason)
        self.record_id = record_id
        self.reason = reason

    def __str__(self) -> str:
        return f"record {self.record_id!a}: {self.reason}"


class DuplicateIdError(ConflictError):
    """The id is taken by another record."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id, "the id is taken; choose another or update that record")
        self.args = (record_id,)


class RevisionConflictError(ConflictError):
    """The record has moved on since the caller read it: read it again and decide anew."""

    def __init__(self, record_id: str, expected: int, found: int) -> None:
        super().__init__(
            record_id,
            f"expected revision {expected}, found {found}; read the record again and retry",
        )
        self.args = (record_id, expected, found)
        self.expected = expected
        self.found = found


class StoreError(MemboundError):
    """The store as a whole cannot do this now."""


class StoreBusyError(StoreError):
    """Another writer, in this or another process, holds the store; retrying is safe."""

    def __init__(self, waited_seconds: float) -> None:
        super().__init__(waited_seconds)
        self.waited_seconds = waited_seconds

    def __str__(self) -> str:
        return f"another writer held the store for {self.waited_seconds:.1f} s; try again"


class StoreClosedError(StoreError):
    """The store was closed, or a forked child inherited it: open it again."""


class CanonicalFileError(StoreError):
    """A file or folder of the store cannot be read or written.

    A record's file, the folder that holds them, the writer's lock file or the feedback log.

    Attributes:
        path: the file or folder, as text.
        action: what was tried, as a verb.
        reason: why it failed.
    """

    def __init__(self, path: str, action: str, reason: str) -> None:
        super().__init__(path, action, reason)
        self.path = path
        self.action = action
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot {self.action} {self.path}: {self.reason}"


class PartialChangeError(CanonicalFileError):
    """A change failed halfway, and the disk refused to undo it: look at what it names.

    Each file is the former or the later one, never a part. The index is compared with the files.
    """


class IndexUnavailableError(StoreError):
    """The index cannot be used. Recall goes on from the canonical files and says so."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the index cannot be used: {self.reason}"


class IndexDamagedError(IndexUnavailableError):
    """The index file is damaged or outdated: rebuild_index() makes it anew from the files."""


class IndexSchemaError(IndexUnavailableError):
    """The index was written by a newer version of membound and is left untouched."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"its schema is {found}, newer than {known}, the newest this version knows; "
            "upgrade membound, or delete the index file to have it rebuilt",
        )
        self.args = (found, known)
        self.found = found
        self.known = known


class MissingExtraError(MemboundError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(extra, package)
        self.extra = extra
        self.package = package

    def __str__(self) -> str:
        return f"{self.package} is not installed; run: pip install 'membound[{self.extra}]'"


class InternalError(MemboundError):
    """A fault of membound itself: please report it with the message."""
