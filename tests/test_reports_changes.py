"""Faults that users met, by class: what was changed, deleted or replaced, and who may see it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from membound import AgentAccess, AgentContext, MemoryRecord
from membound.errors import DuplicateIdError, InvalidInputError
from tests.command import Command
from tests.stores import NOW, recalled, say

if TYPE_CHECKING:
    from membound import MemoryStore


def test_delete_scope(store: MemoryStore) -> None:
    for place in ("/a", "/b"):
        store.remember("the key is under the mat", workspace=place, id=f"k{place[1:]}")
    with pytest.raises(DuplicateIdError):  # an id is the store's, not a place's
        store.remember("the key is under the mat", workspace="/b", id="ka")
    store.delete("ka")
    assert recalled(store, "key mat", workspace="/a") == []
    assert len(recalled(store, "key mat", workspace="/b")) == 1
    store.purge("kb")
    assert recalled(store, "key mat", workspace="/b") == []
    assert store.get("ka").deleted_at


def test_delete_index(store: MemoryStore) -> None:
    id = say(store, "quokkafin swims")
    store.delete(id)
    say(store, "plain note")
    assert recalled(store, "quokkafin") == []
    other = say(store, "lemurtail climbs")
    store.update(other, content="gibbonarm climbs")
    assert recalled(store, "lemurtail") == []
    assert recalled(store, "gibbonarm") == ["gibbonarm climbs"]
    store.import_records(
        [MemoryRecord.from_dict({**store.get(other).to_dict(), "content": "tapirnose climbs"})],
        on_conflict="replace",
    )
    assert recalled(store, "gibbonarm") == []
    assert recalled(store, "tapirnose") == ["tapirnose climbs"]


def test_delete_index_through_the_command(store: MemoryStore, tmp_path: Path) -> None:
    """Old text never, new text always, whoever changes it."""
    command = Command(Path(store.diagnostics().path))
    id = say(store, "quokkafin swims")

    def told(word: str) -> tuple[bool, bool]:
        return recalled(store, word) != [], command.ok("recall", word) != ""

    command.ok("edit", id, "--content", "lemurtail climbs")
    assert (told("quokkafin"), told("lemurtail")) == ((False, False), (True, True))
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({**store.get(id).to_dict(), "content": "gibbonarm hangs"}))
    command.ok("import", str(lines), "--on-conflict", "replace")
    assert (told("lemurtail"), told("gibbonarm")) == ((False, False), (True, True))
    command.ok("forget", id)
    assert told("gibbonarm") == (False, False)
    command("import", str(lines), "--on-conflict", "replace")
    assert told("gibbonarm") == (False, False)


def test_supersede(store: MemoryStore) -> None:
    command = Command(Path(store.diagnostics().path))
    old = say(store, "the badge desk is in hall 2")
    new = store.supersede(old, "the badge desk is in hall 6").id
    assert recalled(store, "badge desk hall") == ["the badge desk is in hall 6"]
    assert recalled(store, "badge desk hall 2") == ["the badge desk is in hall 6"]
    assert (store.get(new).supersedes, store.get(old).content[-1]) == (old, "2")
    assert [record.id for record in store.list()] == [new]
    assert {record.id for record in store.list(include_inactive=True)} == {old, new}
    assert "superseded" in command.ok("show", old)


def test_supersede_by_time(store: MemoryStore) -> None:
    """What has expired is shown where it is asked for, and is called so."""
    command = Command(Path(store.diagnostics().path))
    old = say(store, "relay on pin 4", expires_at=NOW)
    say(store, "relay on pin 9")
    assert recalled(store, "relay pin 4") == ["relay on pin 9"]
    assert [record.content for record in store.list()] == ["relay on pin 9"]
    assert old in {record.id for record in store.list(include_inactive=True)}
    assert "expired" not in command.ok("list")
    assert "expired" in command.ok("list", "--all")
    assert "expired" in command.ok("show", old)


def test_retract(store: MemoryStore) -> None:
    id = say(store, "plays the oboe")
    before = tuple(store.export())
    store.delete(id, reason="said in jest")
    for conflict in ("skip", "replace"):
        assert store.import_records(before, on_conflict=conflict).skipped == (id,)
    assert recalled(store, "oboe") == []
    (entry,) = store.history(id)
    assert (entry.operation, entry.reason) == ("forget", "said in jest")
    assert store.list(include_inactive=True)[0].deleted_at


def test_scope_leak(store: MemoryStore) -> None:
    store.remember("vault code is 4711", workspace="/team/one")
    store.remember("vault code is 4712", workspace="/team/one/sub")
    assert recalled(store, "vault code 4711", workspace="/team/one") == ["vault code is 4711"]
    for place in (
        "/team",
        "/team/oneself",
        "/team/two",
        "",
        "*",
        "%",
        "/team/%",
        "/team/_ne",
        None,
    ):
        assert recalled(store, "vault code 4711", workspace=place) == []
    refused: list[Any] = ["", "*", "%", "all", [None], ["user", "*"]]
    for scope in refused:
        with pytest.raises(InvalidInputError, match="scope"):
            store.retrieve("vault code", workspace="/team/one", scope=scope)
    agent = AgentAccess(agent_id="a1")
    assert recalled(store, "vault code", workspace="/team/one", agent=agent) == []
    trace = store.retrieve("vault code", workspace="/team/two").trace
    assert (trace.filtered.scope, trace.rankings) == (2, ())


def test_scope_leak_between_agents(store: MemoryStore) -> None:
    """The best match of one is absent for the other, and present for its own."""
    for name in ("a1", "a2"):
        owner = AgentContext(
            schema_version=1, agent_id=name, source_conversation_id="c", shared=True
        )
        say(store, f"vault code of {name} is 4711", agent_context=owner)
    for name in ("a1", "a2"):
        agent = AgentAccess(agent_id=name)
        assert recalled(store, "vault code of a1", agent=agent) == [f"vault code of {name} is 4711"]
    assert recalled(store, "vault code of a1") == []
    assert recalled(store, "vault code of a1", agent=AgentAccess(agent_id="a")) == []


def test_scope_leak_without_a_place(store: MemoryStore) -> None:
    with pytest.raises(InvalidInputError, match="workspace"):
        store.remember("belongs nowhere")
    say(store, "mine everywhere")
    store.remember("theirs there", workspace="/w")
    assert recalled(store, "mine everywhere theirs there") == ["mine everywhere"]


def test_duplicates(store: MemoryStore, tmp_path: Path) -> None:
    """A statement is kept as often as it is made, and recalled once; by its id it is kept once."""
    for text in ("Buy oat milk", "  buy oat MILK ", "buy oat milk"):
        say(store, text)
    other = store.remember("buy oat milk", workspace="/w").id
    found = store.retrieve("oat milk", workspace="/w")
    assert len(store.list()) == 4
    assert (len(found.records), len(found.trace.duplicate_ids)) == (1, 3)
    assert len(recalled(store, "oat milk", scope="workspace", workspace="/w")) == 1
    assert len(recalled(store, "oat milk")) == 1
    everything = tuple(store.export())
    assert store.import_records(everything).skipped == tuple(record.id for record in everything)
    with pytest.raises(DuplicateIdError):
        store.remember("buy oat milk", scope="user", id=other)
    page = tmp_path / "page.md"
    page.write_text("Buy oat milk.\n\nBuy oat milk.\n")
    command = Command(Path(store.diagnostics().path))
    for place in ("/a", "/a", "/b"):
        command.ok("import", str(page), "--scope", "workspace", "--workspace", place)
    assert len(recalled(store, "oat milk", scope="workspace", workspace="/a")) == 1
    assert len(store.list()) == 4 + 2
