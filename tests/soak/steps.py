"""The next step of a run, by chance: a command that fits what the model holds, or a request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.strategies import (
    HINTING,
    IDENTITIES,
    NUMBERS,
    TAGS,
    TYPES,
    make_content,
    make_query,
    make_source,
    maybe,
)

if TYPE_CHECKING:
    import random

    from tests.oracle.tokens import Record
    from tests.soak.model import Command, Model

START = datetime(2026, 7, 1, 12, tzinfo=UTC)
PLACES: list[dict[str, str]] = [
    {"scope": "user"},
    {"scope": "user"},
    {"scope": "workspace", "workspace": "/ws/alpha"},
    {"scope": "workspace", "workspace": "/ws/beta"},
    {"scope": "project", "workspace": "/ws/alpha", "project": "/ws/alpha"},
]
REPOSITORIES = [
    {"scope": "project", "project": "/ws/alpha", "projectIdentity": "/repo/one"},
    {"scope": "project", "project": "/ws/beta", "projectIdentity": "/repo/two"},
]
WEIGHTS = {
    "remember": 12,
    "remember_many": 4,
    "update": 10,
    "supersede": 6,
    "disable": 4,
    "enable": 4,
    "delete": 6,
    "restore": 4,
    "purge": 5,
    "import_records": 4,
    "rebuild_index": 1,
}
CROWD = 180
"""Records from which on more are purged than remembered."""
LARGEST_BATCH = 6


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


class Steps:
    """Commands and requests, one after another; equal seeds and models give equal ones.

    Args:
        chance: the seeded source of every choice.
        model: what the commands are chosen from.
        name: begins every id that is made here.
    """

    def __init__(self, chance: random.Random, model: Model, name: str = "m") -> None:
        self._chance = chance
        self._model = model
        self._name = name
        self._made = 0
        self.now = START

    def command(self, taken: frozenset[str] = frozenset()) -> Command:
        """The next command; it touches none of the records `taken`."""
        self.now += timedelta(seconds=self._chance.randint(1, 3_600))
        crowded = len(self._model.records) > CROWD
        weights = {**WEIGHTS, "purge": 40, "delete": 12} if crowded else WEIGHTS
        while True:
            (verb,) = self._chance.choices(list(weights), list(weights.values()))
            found = self._of(verb, taken)
            if found is not None:
                return {"verb": verb, "now": stamp(self.now), **found}

    def _of(self, verb: str, taken: frozenset[str]) -> dict[str, Any] | None:
        """The arguments of a verb; None where no record is fit for it."""
        match verb:
            case "remember":
                return {"drafts": [self._draft(taken, [])]}
            case "remember_many":
                return {"drafts": self._drafts(taken)}
            case "import_records":
                return self._import(taken)
            case "rebuild_index":
                return {}
            case _:
                return self._of_one(verb, taken)

    def _of_one(self, verb: str, taken: frozenset[str]) -> dict[str, Any] | None:
        fit = [id for id in self._model.records if id not in taken and self._fits(id, verb)]
        # What it replaced may change with it.
        fit = [id for id in fit if self._model.records[id].get("supersedes") not in taken]
        if not fit:
            return None
        id = self._chance.choice(fit)
        more = {"update": self._changes, "supersede": self._replacement}
        return {"id": id, **(more[verb]() if verb in more else {})}

    def _fits(self, id: str, verb: str) -> bool:
        """Tell whether a verb is meant for a record, by its state and those of its successors."""
        record = self._model.records[id]
        if not fits(record, verb):
            return False
        if verb == "supersede":
            return not self._model.successors(id)
        if verb == "restore" and "deletedAt" in record:
            return not self._model.successors(record.get("supersedes", ""))
        return verb != "restore" or not self._model.successors(id)

    def _replacement(self) -> dict[str, Any]:
        return {"draft": self._statement()}

    def _id(self) -> str:
        self._made += 1
        return f"{self._name}{self._made}"

    def _statement(self) -> Record:
        """What a draft always gives, so that the model needs no defaults."""
        chance = self._chance
        sources = [make_source(chance, number) for number in range(chance.choice([1, 1, 2]))]
        return {
            "content": make_content(chance, list(self._model.records.values())[-20:]),
            "confidence": chance.choice(NUMBERS),
            "importance": chance.choice(NUMBERS),
            "observedAt": stamp(self.now - timedelta(days=chance.choice([0, 1, 90, 360]))),
            **self._times(),
            "sources": sources,
        }

    def _times(self) -> dict[str, str]:
        chance = self._chance
        soon = self.now + timedelta(hours=chance.choice([-1, 1, 12]))
        return {
            **maybe(chance, 0.08, expiresAt=stamp(soon)),
            **maybe(chance, 0.08, validFrom=stamp(soon)),
        }

    def _draft(self, taken: frozenset[str], batch: list[Record]) -> Record:
        chance = self._chance
        place = chance.choice(PLACES)
        draft = {"id": self._id(), **place, **self._kind(), **self._statement()}
        replaced = {earlier.get("supersedes") for earlier in batch}
        old = [
            r["id"]
            for r in (*self._model.records.values(), *batch)
            if same_place(r, place) and fits(r, "supersede")
        ]
        old = [id for id in old if not self._model.successors(id)]
        old = [id for id in old if id not in taken and id not in replaced]
        old = [id for id in old if self._replaced_by(id) not in taken]
        return {**draft, **maybe(chance, 0.15, supersedes=chance.choice(old))} if old else draft

    def _replaced_by(self, id: str) -> str | None:
        record = self._model.records.get(id, {})
        return record.get("supersedes")

    def _kind(self) -> Record:
        chance = self._chance
        return {
            "type": chance.choice(TYPES),
            "authority": "reference",
            "tags": chance.sample(TAGS, chance.choice([0, 0, 1, 2])),
        }

    def _drafts(self, taken: frozenset[str]) -> list[Record]:
        drafts: list[Record] = []
        for _ in range(self._chance.randint(2, LARGEST_BATCH)):
            drafts.append(self._draft(taken, drafts))
        return drafts

    def _changes(self) -> dict[str, Any]:
        chance = self._chance
        statement = self._statement()
        names = ["content", "importance", "observedAt", "sources"]
        changed = chance.sample(names, chance.randint(1, len(names)))
        changes = {
            **{name: statement[name] for name in changed},
            **maybe(chance, 0.3, tags=self._kind()["tags"]),
            **maybe(chance, 0.2, type=chance.choice(TYPES)),
            **maybe(chance, 0.2, expiresAt=None),
            **maybe(chance, 0.2, confidence=0.5),
        }
        return {"changes": changes}

    def _import(self, taken: frozenset[str]) -> dict[str, Any]:
        chance = self._chance
        stored = [id for id in self._model.records if id not in taken]
        ids = [self._id() for _ in range(chance.randint(1, LARGEST_BATCH))]
        ids += chance.sample(stored, min(len(stored), chance.choice([0, 1, 2])))
        if self._model.purged and chance.random() < 0.3:
            ids.append(chance.choice(sorted(self._model.purged)))
        return {
            "records": [self._record(id) for id in ids],
            "on_conflict": chance.choice(["replace", "skip"]),
        }

    def _record(self, id: str) -> Record:
        chance = self._chance
        then = stamp(self.now - timedelta(days=chance.choice([0, 1, 30])))
        return {
            "id": id,
            **chance.choice([*PLACES, *REPOSITORIES]),
            **self._kind(),
            **self._statement(),
            "createdAt": then,
            "updatedAt": then,
            **maybe(chance, 0.1, disabledAt=then),
            "revision": chance.randint(1, 5),
            "schemaVersion": 2,
        }

    def refused(self) -> tuple[Command, str]:
        """A command that must be refused, and with which error."""
        records = self._model.records.values()
        deleted = [r["id"] for r in records if "deletedAt" in r]
        replaced = [r["id"] for r in records if "supersededAt" in r and "deletedAt" not in r]
        update: Command = {"verb": "update", "now": stamp(self.now), "changes": {"content": "no"}}
        possible: list[tuple[Command, str]] = [({**update, "id": "nobody"}, "NotFoundError")]
        possible += [({**update, "id": id}, "ConflictError") for id in deleted[:2]]
        for id in sorted(self._model.purged)[:2]:
            draft = {**self._draft(frozenset(self._model.records), []), "id": id}
            possible.append(({**update, "verb": "remember", "drafts": [draft]}, "ConflictError"))
        for id in replaced[:2]:
            draft = self._statement()
            possible.append(
                ({**update, "verb": "supersede", "id": id, "draft": draft}, "ConflictError")
            )
        for record in list(records)[:2]:
            draft = {**self._draft(frozenset(self._model.records), []), "id": record["id"]}
            possible.append(({**update, "verb": "remember", "drafts": [draft]}, "DuplicateIdError"))
            if "deletedAt" not in record:
                changes = {"content": "no", "expected_revision": record["revision"] + 1}
                possible.append(
                    ({**update, "id": record["id"], "changes": changes}, "RevisionConflictError")
                )
        return self._chance.choice(possible)

    def request(self) -> dict[str, Any]:
        """A recall, at the moment of the last command."""
        chance = self._chance
        records = list(self._model.records.values())
        query = chance.choice(HINTING) if chance.random() < 0.1 else make_query(chance, records)
        return {
            "query": query,
            "now": stamp(self.now),
            **maybe(chance, 0.8, workspace=chance.choice(["/ws/alpha", "/ws/beta"])),
            **maybe(chance, 0.2, project_identity=chance.choice(IDENTITIES)),
            **maybe(chance, 0.3, limit=chance.choice([1, 3, 64])),
            **maybe(chance, 0.3, character_budget=chance.choice([500, 900, 2000])),
            **maybe(chance, 0.2, relevance_mode="historical-v1"),
            **maybe(chance, 0.2, type=chance.choice(TYPES)),
        }


def fits(record: Record, verb: str) -> bool:
    """Tell whether a verb is meant for a record in its state."""
    deleted = "deletedAt" in record
    match verb:
        case "restore":
            return deleted or "supersededAt" in record
        case "purge":
            return True
        case "disable":
            return not deleted and "disabledAt" not in record
        case "enable":
            return not deleted and "disabledAt" in record
        case "supersede":
            return not deleted and "supersededAt" not in record
        case _:
            return not deleted


def same_place(record: Record, place: dict[str, str]) -> bool:
    names = ("scope", "workspace", "project", "projectIdentity")
    return all(record.get(name) == place.get(name) for name in names)
