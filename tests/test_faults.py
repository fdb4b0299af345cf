"""Failing disks: a verb is done or undone, and says so; recall stays right; the index is healed.

tests/faults/layer.c makes the calls fail, in children. MEMBOUND_FAULTS=all tries every kind of
fault at every call of every verb.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.faults.layer import ROOT, compiled, missing, with_layer
from tests.faults.sweep import FAULTS, STARTS
from tests.faults.verbs import CHANGES, OTHERS
from tests.foreign import python

if TYPE_CHECKING:
    from pathlib import Path

# How many calls lie between those that fail: where every kind of fault is tried, and otherwise.
EVERY = dict.fromkeys(FAULTS, 1)
CHANGING = {"full": 1, "broken": 29, "short": 13, "full for good": 17, "broken for good": 53}
OTHER = {"full": 11, "broken": 17, "broken for good": 71}
GROUPS = {
    "remember": [*CHANGES][:4],
    "mark and forget": [*CHANGES][4:],
    "other verbs": [*OTHERS],
    "open": [*STARTS],
}

needs_layer = pytest.mark.skipif(missing() is not None, reason=missing() or "")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("layer"))


@needs_layer
@pytest.mark.parametrize("group", GROUPS)
def test_a_verb_that_meets_a_fault_is_done_or_undone(
    library: Path, tmp_path: Path, group: str
) -> None:
    every = os.environ.get("MEMBOUND_FAULTS") == "all"
    steps = {
        verb: EVERY if every else CHANGING if verb in CHANGES else OTHER for verb in GROUPS[group]
    }
    lines = with_layer(library, "tests.faults.sweep", tmp_path, json.dumps(steps))
    told = list(map(json.loads, lines))
    print(*({**one, "wrong": len(one["wrong"])} for one in told), sep="\n")  # noqa: T201
    assert [one["verb"] for one in told] == GROUPS[group]
    assert {one["verb"]: one["wrong"] for one in told if one["wrong"]} == {}
    # A verb that reads what is in memory, or only locks, may meet no fault.
    assert all(one["injected"] for one in told if one["verb"] in CHANGES)


ON_SMALL_DISK = 'mount -t tmpfs -o size=2m,mode=700 tmpfs "$0" || exit 77; exec "$@"'


def test_a_full_disk_changes_nothing_and_recall_goes_on(tmp_path: Path) -> None:
    # The mount is seen by the child alone, and ends with it.
    around = ["unshare", "--mount", "sh", "-c", ON_SMALL_DISK, tmp_path]
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("only root can mount a small disk")
    command = [*map(str, around), sys.executable, "-m", "tests.faults.full_disk", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip(f"a small disk cannot be mounted: {done.stderr}")
    assert (done.returncode, done.stdout) == (0, "sound\n"), done.stderr


LIMITED = """
import resource, sys
from tests.faults.sweep import answers, files_of, right
from tests.faults.verbs import CHANGES, opened, prepare
from pathlib import Path
folder = Path(sys.argv[1])
prepare(folder)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
with opened(folder) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 * 1024, hard))
    for name, change in CHANGES.items():
        if name != "purge":  # which says that it could not clean the index
            change(store)
        assert answers(store) == right(files_of(folder))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
with opened(folder) as store:
    assert store.wait_until_ready(30)
    assert store.verify().ok
    assert answers(store) == right(files_of(folder))
print("sound")
"""


def test_an_index_that_may_not_grow_fails_no_verb(tmp_path: Path) -> None:
    with python(LIMITED, tmp_path / "store") as child:
        assert child.stdout is not None
        assert child.stdout.read() == "sound\n"
