"""Every error membound raises.

The tree:

    MemboundError
      InvalidInputError (ValueError)      an argument or a record field is not acceptable
        InvalidRecordError                a record's JSON does not follow the schema
        InvalidNameError                  a key, folder or tag names nothing in a workspace
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
      WorkspaceError                      a workspace has not what is asked for, or cannot do it
        NoteNotFoundError (LookupError)   there is no such note
        NoteExistsError                   the place is taken by another note
        NoteChangedError                  the note has changed since it was read
        UnreadableNoteError               the note's file cannot be read or kept as it is
        OutsideWorkspaceError             a path leads out of the workspace
        SessionNotFoundError (LookupError)  there is no such session
        TurnNotFoundError (LookupError)   the session has no such turn
        ThemeNotFoundError (LookupError)  there is no such theme
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
    "InvalidNameError",
    "InvalidRecordError",
    "MemboundError",
    "MissingExtraError",
    "NotFoundError",
    "NoteChangedError",
    "NoteExistsError",
    "NoteNotFoundError",
    "OutsideWorkspaceError",
    "PartialChangeError",
    "RevisionConflictError",
    "RevisionNotFoundError",
    "SessionNotFoundError",
    "StoreBusyError",
    "StoreClosedError",
    "StoreError",
    "ThemeNotFoundError",
    "TurnNotFoundError",
    "UnreadableNoteError",
    "WorkspaceError",
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


class InvalidNameError(InvalidInputError):
    """A key, folder, tag or theme names nothing that a workspace can hold; it says the rule."""


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


class WorkspaceError(MemboundError):
    """A workspace has not what is asked for, or cannot do what is asked."""


class NoteNotFoundError(WorkspaceError, LookupError):
    """There is no note at a path, which is told from the root of the workspace on."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"there is no note {self.path}; a list of its folder shows which there are"


class NoteExistsError(WorkspaceError):
    """The place is taken, by a note of this name or of one that differs in case alone.

    Attributes:
        path: where a note was to lie.
        taken_by: the note that lies there.
    """

    def __init__(self, path: str, taken_by: str) -> None:
        super().__init__(path, taken_by)
        self.path = path
        self.taken_by = taken_by

    def __str__(self) -> str:
        return f"{self.path} is taken by {self.taken_by}: choose another key, or change that note"


class NoteChangedError(WorkspaceError):
    """The note has changed since the caller read it: read it again and decide anew.

    Attributes:
        path: the note.
        expected: the `updatedAt` that the caller knew.
        found: the one that the note has; None where it has none, or is gone.
    """

    def __init__(self, path: str, expected: str, found: str | None) -> None:
        super().__init__(path, expected, found)
        self.path = path
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        found = "none" if self.found is None else self.found
        return (
            f"{self.path} was to have updatedAt {self.expected} and has {found}; "
            "read it again and retry"
        )


class UnreadableNoteError(WorkspaceError):
    """A note's file cannot be read, or not changed without loss; it is left as it is."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path} is left as it is: {self.reason}"


class OutsideWorkspaceError(WorkspaceError):
    """A path leads out of the workspace, by a link; nothing there is read or written."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path} leads out of the workspace, and is neither read nor written"


class SessionNotFoundError(WorkspaceError, LookupError):
    """There is no such session of the workspace."""

    def __init__(self, session_id: str) -> None:
        super().__init__(session_id)
        self.session_id = session_id

    def __str__(self) -> str:
        if not self.session_id:
            return "no session of this workspace is known yet"
        return f"there is no session {self.session_id!a} of this workspace"


class TurnNotFoundError(WorkspaceError, LookupError):
    """The session has no such turn, or it was withdrawn."""

    def __init__(self, session_id: str, turn_id: int) -> None:
        super().__init__(session_id, turn_id)
        self.session_id = session_id
        self.turn_id = turn_id

    def __str__(self) -> str:
        return f"session {self.session_id!a} has no turn {self.turn_id}, or it was withdrawn"


class ThemeNotFoundError(WorkspaceError, LookupError):
    """There is no such theme."""

    def __init__(self, theme: str) -> None:
        super().__init__(theme)
        self.theme = theme

    def __str__(self) -> str:
        return f"there is no theme {self.theme!a}; a list of all shows which there are"


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
