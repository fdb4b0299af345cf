"""Failing disks under a workspace: a verb is done or not, says so, and nothing else is touched.

tests/faults/layer.c makes the calls fail, in a child. MEMBOUND_FAULTS=all tries a fault at
every call of every verb.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from membound.workspace import Workspace
from tests.faults.garden import VERBS
from tests.faults.layer import compiled, missing, with_layer

if TYPE_CHECKING:
    from pathlib import Path

SOME = {"full": 3, "short": 3, "full for good": 5, "read-only": 7, "read-only for good": 11}
"""How many calls lie between those that fail."""
EVERY = dict.fromkeys(SOME, 1)


class BrokenOffError(Exception):
    """What the caller's own code raises."""


needs_layer = pytest.mark.skipif(missing() is not None, reason=missing() or "")


@needs_layer
def test_a_verb_that_meets_a_fault_is_done_or_not_and_loses_nothing(tmp_path: Path) -> None:
    steps = EVERY if os.environ.get("MEMBOUND_FAULTS") == "all" else SOME
    library = compiled(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    wanted = json.dumps(dict.fromkeys(VERBS, steps))
    told = [*map(json.loads, with_layer(library, "tests.faults.garden", work, wanted))]
    assert [one["verb"] for one in told] == [*VERBS]
    assert {one["verb"]: one["wrong"] for one in told if one["wrong"]} == {}
    assert all(one["injected"] > 10 for one in told)


@needs_layer
def test_a_note_that_could_not_be_read_once_is_found_once_it_can(tmp_path: Path) -> None:
    library = compiled(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    assert with_layer(library, "tests.faults.unread", work) == ["found"]


def test_a_look_that_was_broken_off_is_made_anew(tmp_path: Path) -> None:
    def stop(_: int, __: int) -> None:
        raise BrokenOffError

    project = tmp_path / "project"
    project.mkdir()
    with Workspace.open(project, root=tmp_path / "stores", environment={}) as workspace:
        workspace.remember("one", "heron")
        (workspace.path / "memory" / "two.md").write_text("heron by hand")
        with pytest.raises(BrokenOffError):
            workspace.sync(progress=stop)
        assert {one.key for one in workspace.list().items} == {"one", "two"}
        assert {one.key for one in workspace.search("heron").items} == {"one", "two"}
