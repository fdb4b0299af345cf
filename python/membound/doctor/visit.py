"""The doctor's visit: look at everything, mend what can be mended safely, and look again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import msgspec

from membound.arguments import require
from membound.data_folder import holds_store
from membound.doctor.files import PATIENCE, check_files, temporary_files
from membound.doctor.finding import Check, Finding
from membound.doctor.index import check_index, cut_log
from membound.doctor.place import check_place, wrong_modes
from membound.errors import CanonicalFileError, InvalidInputError, StoreError
from membound.excerpt import excerpt
from membound.layout import SETTINGS
from membound.policy import MemoryPolicy
from membound.session import Session
from membound.settings import Settings
from membound.store import MemoryStore
from membound.text import PathText, system_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["examine"]

_ORDER: Final[tuple[Check, ...]] = get_args(Check)


def examine(path: PathText, *, fix: bool = False) -> tuple[Finding, ...]:
    """Looks at a store, open or not, and tells what is wrong with it and what to do.

    Nothing is changed without ``fix``, but that closing the index brings its log in. With it, what
    is safe is done: leftover temporary files are removed, the permissions of the store's own files
    are set, an index that differs is made anew, its log is cut. No record is changed, moved or
    removed.

    Args:
        path: the data folder.
        fix: whether to mend what can be mended.

    Returns:
        What was found, in the order of the checks; also that all is well with one. What was mended
        is there with ``fixed``: a second look has confirmed it.

    Raises:
        InvalidInputError: there is no store at the path.
    """
    folder = Path(system_path(path, "path")).absolute()
    require(fix, bool, "fix", "True or False")
    if not holds_store(folder):
        raise InvalidInputError("path", "the folder of a store", excerpt(str(path)))
    before = _look(folder)
    if not fix:
        return before
    failures = _mend(folder, before)
    after = _look(folder)
    return _told(before, after, failures)


def _look(folder: Path) -> tuple[Finding, ...]:
    found: list[Finding] = []
    try:
        session = _session(folder)
    except CanonicalFileError as error:
        advice = "restore the file; where it is lost, say in it what the store was made with"
        what = f"its settings cannot be read: {error}"
        return (Finding(check="folder", severity="problem", what=what, advice=advice),)
    for check in (
        _lost_settings(folder),
        check_place(folder),
        check_files(session),
        check_index(session),
    ):
        try:
            found.extend(check)
        except (CanonicalFileError, OSError) as error:
            found.append(
                Finding(
                    check="folder",
                    severity="problem",
                    what=f"not all of it can be looked at: {error}",
                    advice="let this user read the folder and what is in it",
                )
            )
    return _sorted(found)


def _lost_settings(folder: Path) -> Iterator[Finding]:
    kept = Settings.in_use(folder).tokenizer
    if Settings.read(folder) is None and kept != "v1":
        what = f"{SETTINGS} was lost; the index says that the store has {kept}"
        advice = "open the store once, such as with `membound list`: it is written again"
        yield Finding(check="folder", severity="warning", what=what, advice=advice)


def _session(folder: Path) -> Session:
    """Opens a store's parts without its index, which a look must not heal."""
    return Session(
        folder,
        MemoryPolicy(),
        lambda: datetime.now(UTC),
        index=False,
        durable=True,
        settings=Settings.in_use(folder),
    )


def _mend(folder: Path, findings: tuple[Finding, ...]) -> dict[Check, str]:
    """Does what is to be done about the findings; gives why what failed did."""
    failures: dict[Check, str] = {}
    for check in dict.fromkeys(one.check for one in findings if one.fixable and not one.fixed):
        if check in _MENDS:
            try:
                _MENDS[check](folder)
            except (StoreError, OSError) as error:
                failures[check] = str(error)
    return failures


def _set_modes(folder: Path) -> None:
    for name, (_, wanted) in wrong_modes(folder).items():
        (folder / name).chmod(wanted)


def _remove_leftovers(folder: Path) -> None:
    session = _session(folder)
    with session.writer.held(PATIENCE):
        for name in temporary_files(folder):
            (folder / name).unlink()
    # The folder is not as the index knows it any more.
    with MemoryStore.open(folder) as store:
        store.wait_until_ready()


def _rebuild(folder: Path) -> None:
    with MemoryStore.open(folder) as store:
        store.rebuild_index()


_MENDS: Final[Mapping[Check, Callable[[Path], None]]] = {
    "permissions": _set_modes,
    "leftovers": _remove_leftovers,
    "log": cut_log,
    "versions": _rebuild,
    "index": _rebuild,
}


def _told(
    before: tuple[Finding, ...], after: tuple[Finding, ...], failures: Mapping[Check, str]
) -> tuple[Finding, ...]:
    """Joins both looks: what was mended, and what there is still."""
    left = {one.check for one in after if one.fixable and not one.fixed}
    mended = [
        msgspec.structs.replace(one, fixed=True)
        for one in before
        if one.fixable and one.check not in left
    ]
    gone = {one.check for one in mended}
    still = [
        _with_failure(one, failures.get(one.check)) if one.fixable else one
        for one in after
        if not (one.check in gone and one.severity == "ok")
    ]
    return _sorted([*mended, *still])


def _sorted(findings: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.check)))


def _with_failure(finding: Finding, failure: str | None) -> Finding:
    if failure is None:
        return finding
    return msgspec.structs.replace(finding, advice=f"it could not be mended: {failure}")
