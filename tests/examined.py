"""What tests of the doctor share: a store to make wrong, and what is then found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound import Finding, MemoryStore, examine
from tests.stores import NOW

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["advised", "made", "mended", "only", "wrong"]


def made(folder: Path) -> Path:
    """A store with the records a, b and c; d is deleted, e is purged."""
    with MemoryStore.open(folder, clock=lambda: NOW) as store:
        for id in ("a", "b", "c", "d", "e"):
            store.remember(f"kiwi harvest {id}", scope="user", id=id)
        store.delete("d")
        store.purge("e")
    return folder


def wrong(folder: Path, *, fix: bool = False) -> list[Finding]:
    return [finding for finding in examine(folder, fix=fix) if finding.severity != "ok"]


def only(folder: Path, *, fix: bool = False) -> Finding:
    """The one thing that is wrong."""
    (finding,) = wrong(folder, fix=fix)
    return finding


def mended(folder: Path) -> Finding:
    """The one thing that is wrong: looking does not mend it, asking for it does."""
    before = only(folder)
    assert before == only(folder)
    assert (before.fixable, before.fixed) == (True, False)
    after = only(folder, fix=True)
    assert (after.check, after.what, after.fixed) == (before.check, before.what, True)
    assert wrong(folder) == []
    return before


def advised(folder: Path) -> Finding:
    """The one thing that is wrong, that nothing but advice is for."""
    finding = only(folder)
    assert finding.advice
    assert not finding.fixable
    assert only(folder, fix=True) == finding
    return finding
