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
        self.purged: set[str] = set()

    def take(self, changes: Changes) -> None:
        for id, record in changes.items():
            if record is None:
                self.records.pop(id, None)
                self.purged.add(id)
            else:
                self.records[id] = record

    def live(self) -> list[str]:
        """The ids whose records are not deleted."""
        return [id for id, record in self.records.items() if "deletedAt" not in record]

    def changes(self, command: Command) -> Changes:
        """What a command does, if it is carried out now."""
        match command["verb"]:
            case "remember" | "remember_many":
                made = self._remembered(command["drafts"], command["now"])
            case "supersede":
                made = self._superseded(command)
            case "purge":
                made = {**self._retired(command), command["id"]: None}
            case "delete":
                made = {**self._retired(command), **self._revised(command)}
            case "restore":
                back = "deletedAt" in self.records[command["id"]]
                made = {**self._revised(command), **(self._retired(command) if back else {})}
            case "import_records":
                made = self._imported(command["records"], command["on_conflict"])
            case "rebuild_index":
                made = {}
            case _:
                made = self._revised(command)
        return made

    def _superseded(self, command: Command) -> Changes:
        before = self.records[command["id"]]
        inherited = {name: before[name] for name in INHERITED if name in before}
        draft = {**inherited, **command["draft"], "id": command["new"]}
        return self._remembered([{**draft, "supersedes": before["id"]}], command["now"])

    def successors(self, id: str) -> list[str]:
        """The ids of the records that have replaced one, and are not deleted."""
        return [new for new in self.live() if self.records[new].get("supersedes") == id]

    def _revised(self, command: Command) -> Changes:
        return {command["id"]: revised(self.records[command["id"]], command)}

    def _retired(self, command: Command) -> Changes:
        """What a record had replaced does not come back when that one goes: it gets the mark."""
        return {**self._replaced(self.records[command["id"]], command["now"])}

    def _replaced(self, record: Record, now: str) -> Records:
        """What a record has replaced, with its mark, where it has none."""
        id = record.get("supersedes")
        if id not in self.live() or "supersededAt" in self.records[id]:
            return {}
        return {id: stepped(self.records[id], now, supersededAt=now)}

    def touched(self, command: Command) -> frozenset[str]:
        """The ids of the records that a command makes or changes, as far as they are known."""
        named = [command.get("id"), command.get("new")]
        drafts = [*command.get("drafts", []), *command.get("records", [])]
        named += [one.get(name) for one in drafts for name in ("id", "supersedes")]
        named += [self.records[id].get("supersedes") for id in named if id in self.records]
        return frozenset(id for id in named if id is not None)

    def _remembered(self, drafts: list[Record], now: str) -> Changes:
        made: Records = {}
        for draft in drafts:
            made[draft["id"]] = remembered(draft, now)
            if old := draft.get("supersedes"):
                before = made.get(old) or self.records[old]
                if before.get("supersedes") not in made:
                    made.update(self._replaced(before, now))
                made[old] = stepped(before, now, supersededAt=now)
        # What ends an older record's life is written after what takes its place.
        last = {id: record for id, record in made.items() if "supersededAt" in record}
        return {**{id: record for id, record in made.items() if id not in last}, **last}

    def _imported(self, records: list[Record], on_conflict: str) -> Changes:
        known = self.records.keys() | self.purged
        new = {r["id"]: r for r in records if r["id"] not in known}
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
            mark = "deletedAt" if "deletedAt" in record else "supersededAt"
            return stepped(record, now, **{mark: None})
        case verb:
            raise AssertionError(verb)


def view(record: Record) -> Record:
    """What of a record the model tells: of a deleted one only that it is, and since when."""
    if "deletedAt" in record:
        return {"id": record["id"], "deletedAt": record["deletedAt"]}
    return {name: value for name, value in record.items() if name not in ("history", "provenance")}


def views(changes: Changes | Records) -> Changes:
    return {id: None if record is None else view(record) for id, record in changes.items()}


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
