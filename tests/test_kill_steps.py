"""A verb killed before each of its steps on files: what is left is a beginning of it.

An audit hook kills the process before the first, second, third… time that it opens, renames or
removes a file or makes a folder, so every order in which a verb writes is seen.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from membound import MemoryStore
from tests.soak.compare import assert_recalled, assert_sound, stored
from tests.soak.model import Model, settled, views
from tests.soak.process import ROOT
from tests.soak.steps import START, stamp
from tests.soak.worker import recall

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracle.tokens import Record
    from tests.soak.model import Command

NOW = stamp(START)
DRIVER = """
import json, os, signal, sys
from pathlib import Path
from membound import MemoryStore
from tests.soak.worker import Clock, perform

folder, made, killed = Path(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
clock = Clock()

def work(number, commands, last=0):
    seen = 0
    def watch(event, arguments):
        nonlocal seen
        if event in ("open", "os.rename", "os.remove", "os.mkdir") and last:
            seen += 1
            if seen == last:
                os.kill(os.getpid(), signal.SIGKILL)
    with MemoryStore.open(folder / str(number), durability="relaxed", clock=clock) as store:
        sys.addaudithook(watch)
        for command in commands:
            clock.now = clock.now.fromisoformat(command["now"])
            perform(store, command)

status = None
number = 0
while status != 0:
    number += 1
    work(number, made)
    child = os.fork()
    if not child:
        work(number, [killed], number)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), status
"""


def record(id: str, **more: object) -> Record:
    return {
        "id": id,
        "content": f"kiwi {id}",
        "scope": "user",
        "type": "fact",
        "authority": "reference",
        "tags": ["db"],
        "confidence": 0.5,
        "importance": 0.5,
        "createdAt": NOW,
        "updatedAt": NOW,
        "observedAt": NOW,
        "sources": [{"id": "s", "kind": "user", "trust": "observed"}],
        "revision": 1,
        "schemaVersion": 2,
        **more,
    }


def draft(id: str, **more: object) -> Record:
    left = ("createdAt", "updatedAt", "revision", "schemaVersion")
    return {name: value for name, value in record(id, **more).items() if name not in left}


def command(verb: str, **arguments: Any) -> Command:  # noqa: ANN401 — as in JSON
    return {"verb": verb, "now": NOW, **arguments}


def statement() -> Record:
    return {
        name: record("")[name] for name in ("confidence", "importance", "observedAt", "sources")
    }


def imported(*records: Record) -> Command:
    return command("import_records", records=[*records], on_conflict="replace")


# "new" replaces "old", which has no mark: an import takes records as they are. "back" is deleted,
# and "before", which it had replaced, was restored.
MADE = [
    imported(record("old"), record("new", supersedes="old"), record("one"), record("two")),
    imported(record("off", disabledAt=NOW), record("gone"), record("before")),
    imported(record("back", supersedes="before")),
    command("delete", id="gone"),
    command("delete", id="back"),
    command("restore", id="before"),
]
KILLED = {
    "remember": command("remember", drafts=[draft("a")]),
    "remember many": command(
        "remember_many", drafts=[draft("a"), draft("b", supersedes="one"), draft("c")]
    ),
    "remember a chain": command("remember_many", drafts=[draft("a"), draft("b", supersedes="a")]),
    "update": command("update", id="one", changes={"content": "walnut"}),
    "supersede": command("supersede", id="one", draft={"content": "walnut", **statement()}),
    "supersede a successor": command(
        "supersede", id="new", draft={"content": "walnut", **statement()}
    ),
    "disable": command("disable", id="one"),
    "enable": command("enable", id="off"),
    "delete": command("delete", id="one"),
    "delete a successor": command("delete", id="new"),
    "restore": command("restore", id="gone"),
    "restore a successor": command("restore", id="back"),
    "purge": command("purge", id="one"),
    "purge a tombstone": command("purge", id="gone"),
    "purge a successor": command("purge", id="new"),
    "import": imported(record("a"), record("one", supersededAt=NOW), record("b", supersedes="one")),
    "rebuild": command("rebuild_index"),
}


@pytest.mark.parametrize("name", KILLED)
def test_a_verb_that_is_killed_before_any_step_leaves_a_beginning_of_it(
    tmp_path: Path, name: str
) -> None:
    killed = KILLED[name]
    words = [sys.executable, "-c", DRIVER, str(tmp_path), json.dumps(MADE), json.dumps(killed)]
    subprocess.run(words, check=True, cwd=ROOT)
    folders = [tmp_path / str(number + 1) for number in range(len(list(tmp_path.iterdir())))]
    assert len(folders) >= 3
    for folder in folders:
        model = Model()
        for one in MADE:
            model.take(model.changes(one))
        with MemoryStore.open(folder) as store:
            found = stored(store)
            model.take(settled(model, killed, found))
            assert found == views(model.records), folder
            for query in ("kiwi", "walnut"):
                request = {"query": query, "now": NOW}
                answer = recall(store, request)
                assert_recalled(answer, model, request)
                assert "old" not in answer["selectedIds"], folder
        assert_sound(folder, [{"query": "kiwi", "now": NOW}], temporary=0)
