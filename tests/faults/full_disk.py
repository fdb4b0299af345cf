"""Run in a child: a store on a small disk, which gets full, changes nothing and goes on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from membound.errors import CanonicalFileError
from tests.faults.sweep import answers, files_of, right
from tests.faults.verbs import CHANGES, LATER, opened, prepare

if TYPE_CHECKING:
    from membound import MemoryStore


def refused(store: MemoryStore, folder: Path, change: str) -> CanonicalFileError | None:
    """Let a verb meet the full disk; give what it raised, None where there was room."""
    before = files_of(folder)
    try:
        if change in CHANGES:
            CHANGES[change](store)
        else:
            drafts = [{"content": f"kiwi {change} {'x' * 9_000}", "scope": "user"}] * 3
            store.remember_many(drafts, now=LATER)
    except CanonicalFileError as error:
        assert files_of(folder) == before
        assert answers(store) == right(before)
        return error
    return None


def main(disk: str) -> None:
    """Fill the disk, try what is refused then, make room, and go on."""
    folder, spare = Path(disk) / "store", Path(disk) / "spare"
    prepare(folder)
    spare.write_bytes(bytes(300_000))
    with opened(folder) as store:
        errors = (refused(store, folder, str(number)) for number in range(1_000))
        error = next(filter(None, errors))
        assert "No space left on device; free some space" in str(error)
        for change in ("remember_many", "import_records", "update"):
            assert refused(store, folder, change), change
        assert not list((folder / "memory").glob(".*"))
        spare.unlink()
        assert refused(store, folder, "update") is None
        assert answers(store) == right(files_of(folder))
    with opened(folder) as store:
        assert store.wait_until_ready(30)
        assert store.verify().ok
        assert answers(store) == right(files_of(folder))
    print("sound")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
