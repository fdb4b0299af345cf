"""The errors: the tree in the docstring is the real one, and each error survives pickling."""

from __future__ import annotations

import pickle
import re

import pytest

from membound import errors
from membound.errors import MemboundError

SAMPLES: list[MemboundError] = [
    errors.MemboundError("a fault"),
    errors.InvalidInputError("ttl", "a timedelta", "3"),
    errors.InvalidRecordError("sources.0.kind", "a kind of source", "'x'"),
    errors.NotFoundError("mem_1"),
    errors.RevisionNotFoundError("mem_1", 9, (2, 3)),
    errors.ConflictError("mem_1", "it was deleted"),
    errors.DuplicateIdError("mem_1"),
    errors.RevisionConflictError("mem_1", 2, 3),
    errors.StoreError("a fault"),
    errors.StoreBusyError(2.5),
    errors.StoreClosedError("the store is closed"),
    errors.CanonicalFileError("/srv/memory/a.json", "write", "no space left"),
    errors.PartialChangeError("/srv/memory/a.json", "put back", "no space left"),
    errors.IndexUnavailableError("the disk is full"),
    errors.IndexDamagedError("a page is torn"),
    errors.IndexSchemaError(9, 1),
    errors.InvalidNameError("key", "a name", "'a/b'"),
    errors.WorkspaceError("a fault"),
    errors.NoteNotFoundError("memory/a.md"),
    errors.NoteExistsError("memory/a.md", "memory/A.md"),
    errors.NoteChangedError("memory/a.md", "2026-01-01T00:00:00.000Z", None),
    errors.UnreadableNoteError("memory/a.md", "it is no UTF-8"),
    errors.OutsideWorkspaceError("memory/link"),
    errors.SessionNotFoundError("session_1"),
    errors.TurnNotFoundError("session_1", 3),
    errors.ThemeNotFoundError("queue"),
    errors.MissingExtraError("cli", "click"),
    errors.InternalError("a fault"),
]


def classes_under(root: type[MemboundError]) -> dict[str, str]:
    """Return every class of the tree by name, with its parent of ours and its builtin parent."""
    found = {}
    for child in root.__subclasses__():
        builtin = [base.__name__ for base in child.__bases__[1:]]
        found[child.__name__] = f"{root.__name__} {' '.join(builtin)}".strip()
        found |= classes_under(child)
    return found


def documented_classes() -> dict[str, str]:
    found = {}
    above: dict[int, str] = {}
    pattern = re.compile(r"^    ( *)(\w+Error)(?: \((\w+)\))?(?: |$)", re.MULTILINE)
    for indent, name, builtin in pattern.findall(errors.__doc__ or ""):
        above[len(indent)] = name
        if indent:
            found[name] = f"{above[len(indent) - 2]} {builtin}".strip()
    return found


def test_the_docstring_shows_the_real_tree() -> None:
    assert documented_classes() == classes_under(MemboundError)


def test_every_class_is_exported_and_has_a_sample() -> None:
    names = {"MemboundError", *classes_under(MemboundError)}
    assert set(errors.__all__) == names
    assert {type(sample).__name__ for sample in SAMPLES} == names


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_survives_pickling(error: MemboundError, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301 — our own bytes
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.args == error.args
    assert vars(again) == vars(error)
