"""What a store must hold: plain records, and what each verb does to them, the obvious way.

A command is a mapping: its verb, the moment `now`, and the verb's arguments in their JSON names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.oracle.tokens import Record

Command = dict[str, Any]
Records = dict[str, "Record"]
Changes = dict[str, "Record | None"]
"""What a command makes of records, in the order of writing; None is no file."""

INHERITED = ("scope", "workspace", "project", "projectIdentity", "type", "authority", "tags")


class Model:
    """The records that the acknowledged commands have made."""

    def __init__(self) -> None:
        self.records: Records = {}

    def take(self, changes: Changes) -> None:
        for id, record in changes.items():
            if record is None:
                self.records.pop(id, None)
            else:
                self.records[id] = record

    def live(self) -> list[str]:
        """The ids whose records are not deleted."""
        return [id for id, record in self.records.items() if "deletedAt" not in record]

    def changes(self, command: Command) -> Changes:
        """What a command does, if it is carried out now."""
        match command["verb"]:
            case "remember" | "remember_many":
                return self._remembered(command["drafts"], command["now"])
            case "supersede":
                before = self.records[command["id"]]
                inherited = {name: before[name] for name in INHERITED if name in before}
                draft = {**inherited, **command["draft"], "id": command["new"]}
                return self._remembered([{**draft, "supersedes": before["id"]}], command["now"])
            case "purge":
                return {command["id"]: None}
            case "import_records":
                return self._imported(command["records"], command["on_conflict"])
            case "rebuild_index":
                return {}
            case _:
                return {command["id"]: revised(self.records[command["id"]], command)}

    def _remembered(self, drafts: list[Record], now: str) -> Changes:
        made: Records = {}
        for draft in drafts:
            made[draft["id"]] = remembered(draft, now)
            if old := draft.get("supersedes"):
                made[old] = stepped(made.get(old) or self.records[old], now, supersededAt=now)
        # What ends an older record's life is written after what takes its place.
        last = {id: record for id, record in made.items() if "supersededAt" in record}
        return {**{id: record for id, record in made.items() if id not in last}, **last}

    def _imported(self, records: list[Record], on_conflict: str) -> Changes:
        new = {r["id"]: r for r in records if r["id"] not in self.records}
        if on_conflict == "skip":
            return {**new}
        live = set(self.live())
        changed = {r["id"]: r for r in records if r["id"] in live and r != self.records[r["id"]]}
        return {**new, **changed}


def remembered(draft: Record, now: str) -> Record:
    return {
        **draft,
        "createdAt": now,
        "updatedAt": now,
        "revision": 1,
        "schemaVersion": 2,
    }


def stepped(record: Record, now: str, **changes: object) -> Record:
    """The next state of a record; None takes a field away."""
    after = {**record, "revision": record["revision"] + 1, "updatedAt": now, **changes}
    return {name: value for name, value in after.items() if value is not None}


def revised(record: Record, command: Command) -> Record:
    now = command["now"]
    match command["verb"]:
        case "update":
            changes = dict(command["changes"])
            if changes.get("content", record["content"]) != record["content"]:
                changes.setdefault("confidence", 1.0)
                changes["correctedFrom"] = record.get("correctedFrom") or record["content"]
            return stepped(record, now, **changes)
        case "disable":
            return stepped(record, now, disabledAt=record.get("disabledAt", now))
        case "enable":
            return stepped(record, now, disabledAt=None)
        case "delete":
            return stepped(record, now, deletedAt=now)
        case "restore":
            return stepped(record, now, deletedAt=None)
        case verb:
            raise AssertionError(verb)


def view(record: Record) -> Record:
    """What of a record the model tells: of a deleted one only that it is, and since when."""
    if "deletedAt" in record:
        return {"id": record["id"], "deletedAt": record["deletedAt"]}
    return {name: value for name, value in record.items() if name not in ("history", "provenance")}


def views(changes: Changes | Records) -> Changes:
    return {id: None if record is None else view(record) for id, record in changes.items()}


def touched(command: Command) -> set[str]:
    """The ids of the records that a command makes or changes, as far as they are known."""
    named = [command.get("id"), command.get("new")]
    drafts = [*command.get("drafts", []), *command.get("records", [])]
    named += [one.get(name) for one in drafts for name in ("id", "supersedes")]
    return {id for id in named if id is not None}


def settled(model: Model, command: Command, stored: Records) -> Changes:
    """What a command that was killed has done, by what is stored; fails where that is neither.

    Each record is in its former or its later state. Where files are many, those before the first
    one that was not written are written, and no other.
    """
    if command["verb"] == "supersede":
        command["new"] = successor(model, command["id"], stored)
    changes = model.changes(command)
    done: Changes = {}
    for id, record in changes.items():
        found, former = stored.get(id), model.records.get(id)
        if found == (None if record is None else view(record)):
            assert len(done) == list(changes).index(id), ("out of order", id, command)
            done[id] = record
        else:
            assert found == (None if former is None else view(former)), (id, found, command)
    return done


def successor(model: Model, id: str, stored: Records) -> str:
    """The id that a killed `supersede` has given, or one that nothing has."""
    made = (
        record["id"]
        for record in stored.values()
        if record.get("supersedes") == id and record["id"] not in model.records
    )
    return next(made, "-")
