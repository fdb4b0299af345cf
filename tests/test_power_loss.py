"""Loss of power: what a verb that returned has done is there, whatever was not synced is lost.

A child logs its calls and keeps each file as it was synced (tests/faults/). Here the log is told
again up to any point, on a disk that forgets the rest, and the store that is left is opened.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pytest

from membound.canonical import CanonicalStore
from tests.faults.acts import Act, feedback_of
from tests.faults.disk import Disk
from tests.faults.layer import compiled, missing, with_layer
from tests.faults.sweep import answers, files_of, right
from tests.faults.verbs import opened

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(missing() is not None, reason=missing() or "")

STORE = "new/store"
CALLS = {
    "write": "write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range",
    "rename": "rename,renameat,renameat2",
    "link": "link,linkat,symlink,symlinkat",
    "mkdir": "mkdir,mkdirat",
    "unlink": "unlink,unlinkat,rmdir",
}


class Acted(NamedTuple):
    disk: Path
    log: list[str]
    snapshots: Path
    acts: list[Act]


def act(folder: Path, *around: object) -> Acted:
    """Have a child do every verb; `around` is put before its command."""
    disk, notes = folder / "disk", folder / "notes"
    disk.mkdir()
    (notes / "snapshots").mkdir(parents=True)
    library = compiled(folder)
    with_layer(library, "tests.faults.acts", disk, notes, around=around)
    acts = msgspec.json.decode((notes / "acts").read_bytes(), type=list[Act])
    return Acted(disk, (notes / "log").read_text().splitlines(), notes / "snapshots", acts)


@pytest.fixture(scope="module")
def acted(tmp_path_factory: pytest.TempPathFactory) -> Acted:
    return act(tmp_path_factory.mktemp("power"))


@pytest.mark.parametrize("names_kept", [False, True], ids=["synced", "names kept"])
def test_what_returned_is_there_after_power_loss(
    acted: Acted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, names_kept: bool
) -> None:
    every = 1 if os.environ.get("MEMBOUND_FAULTS") == "all" else 11
    disk = Disk(acted.disk, acted.snapshots)
    states = [Act("nothing", {}, 0), *acted.acts]
    done = 0
    for at, line in enumerate(acted.log):
        disk.does(line)
        returned = line.startswith("mark\t")
        done += returned
        # A write that is not synced leaves no other disk than the line before.
        if line.startswith("write\t") or not (returned or at % every == 0):
            continue
        left = tmp_path / "left"
        disk.after_power_loss(left, names_kept=names_kept)
        later = states[done if returned else min(done + 1, len(acted.acts))]
        check(left / STORE, states[done], later)
        if not names_kept and (left / STORE / "memory").is_dir():
            # The copy has another identity than the folder: let the index believe that it knows it.
            identity = disk.folder(f"{acted.disk}/{STORE}/memory").identity
            monkeypatch.setattr(CanonicalStore, "identity", lambda _self: identity)  # noqa: B023
        if done:
            sound(left / STORE)
        monkeypatch.undo()
        shutil.rmtree(left)
    assert done == len(acted.acts)


def check(folder: Path, former: Act, later: Act) -> None:
    """Each file is the former or the later one."""
    files = files_of(folder)
    for name in files | former.files | later.files:
        states = former.files.get(name), later.files.get(name)
        assert files.get(name) in states, (name, former.verb, later.verb)
    assert former.feedback <= feedback_of(folder) <= later.feedback


def sound(folder: Path) -> None:
    wanted = right(files_of(folder))
    with opened(folder) as store:
        assert answers(store) == wanted
        assert store.wait_until_ready(30)
        assert store.verify().ok
        assert answers(store) == wanted


def test_the_layer_sees_every_call_that_changes_a_file(tmp_path: Path) -> None:
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    wanted = ",".join(CALLS.values())
    acted = act(tmp_path, "strace", "-f", "-qq", "-y", "-o", trace, "-e", f"trace={wanted}")
    kinds = {call: kind for kind, calls in CALLS.items() for call in calls.split(",")}
    made = [
        found[1]
        for line in trace.read_text().splitlines()
        if str(acted.disk) in line and " = -1 " not in line
        if (found := re.match(r"\d+ +(\w+)\(", line))
    ]
    seen = Counter(line.split("\t")[0] for line in acted.log)
    assert {kind: seen[kind] for kind in CALLS} == {
        kind: sum(kinds[call] == kind for call in made) for kind in CALLS
    }
