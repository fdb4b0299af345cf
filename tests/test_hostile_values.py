"""Hostile values: only errors of ours come out of any public name, and the store recalls on."""

from __future__ import annotations

import asyncio
import inspect
import pickle
from datetime import UTC, datetime
from enum import Enum, IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
import pytest

import membound
from membound import (
    AgentAccess,
    AgentContext,
    DirectivePolicy,
    FeedbackPolicy,
    MemoryDraft,
    MemoryPolicy,
    MemoryRecord,
    MemoryStore,
    Provenance,
    RankingFloors,
    RankingPolicy,
    Source,
    evaluation,
    record_retrieved,
)
from membound.draft import DraftFields
from membound.errors import InvalidInputError, MemboundError
from membound.evaluation import EvaluationCase, score_evaluation
from membound.request import RetrievalOptions
from membound.revision import EditOptions, Noted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


class OwnError(Exception):
    """What a caller's own code raises; it may pass through."""


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "shown otherwise"


class Word(StrEnum):
    USER = "user"


class OldWord(str, Enum):  # noqa: UP042 — as written before Python 3.11
    USER = "user"


class Number(IntEnum):
    ONE = 1


class Whole(int):
    pass


class Real(float):
    pass


class PathOf:
    def __init__(self, given: object) -> None:
        self.given = given

    def __fspath__(self) -> object:
        if self.given is OwnError:
            raise OwnError
        return self.given


def own_error(*_: object, **__: object) -> NoReturn:
    raise OwnError


def broken_iterator() -> Iterator[str]:
    yield "user"
    raise OwnError


def nested(depth: int) -> list[Any]:
    tree: list[Any] = []
    for _ in range(depth):
        tree = [tree]
    return tree


HOSTILE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "empty": lambda: "",
    "space": lambda: " ",
    "NUL": lambda: "\0",
    "surrogate": lambda: "\ud800",
    "long": lambda: "x" * 20_000,
    "bytes": lambda: b"x",
    "list": list,
    "dict": dict,
    "object": object,
    "range": lambda: range(3),
    "function": lambda: own_error,
    "0": lambda: 0,
    "str subclass": lambda: Text("user"),
    "StrEnum": lambda: Word.USER,
    "str Enum": lambda: OldWord.USER,
    "IntEnum": lambda: Number.ONE,
    "int subclass": lambda: Whole(2),
    "float subclass": lambda: Real(0.5),
    "naive datetime": lambda: datetime(2026, 7, 1),  # noqa: DTZ001 — to be refused
    "first datetime": lambda: datetime.min.replace(tzinfo=UTC),
    "deep list": lambda: nested(5_000),
    "set": lambda: {None, 1, "x"},
    "odd mapping": lambda: {1: object(), "\ud800": "\ud800", Word.USER: Word.USER},
    "broken iterator": broken_iterator,
    "broken path": lambda: PathOf(OwnError),
    "path of bytes": lambda: PathOf(b"a"),
    "path of a number": lambda: PathOf(5),
    "path of a surrogate": lambda: PathOf("a/\ud800"),
}
RECORD = MemoryDraft("kiwi", scope="user").to_record(id="mem_1", now=NOON)
CASE = {"id": "case", "query": "kiwi", "expectedIds": ["mem_1"]}
SAMPLES: dict[str, Any] = {
    "agent_id": "a",
    "case_id": "case",
    "cases": [CASE],
    "content": "kiwi",
    "created_at": "2026-07-01T12:00:00.000Z",
    "data": RECORD.to_json(),
    "drafts": [{"content": "kiwi", "scope": "user"}],
    "expected_ids": ("mem_1",),
    "id": "mem_1",
    "kind": "user",
    "mapping": RECORD.to_dict(),
    "memory_ids": ["mem_1"],
    "now": NOON,
    "query": "kiwi",
    "record": RECORD,
    "records": [RECORD],
    "results": [["mem_1"]],
    "revision": 1,
    "schema_version": 1,
    "scope": "user",
    "source_conversation_id": "c",
    "text": "kiwi",
    "thread_id": "t",
    "trust": "observed",
    "turn_id": "1",
    "updated_at": "2026-07-01T12:00:00.000Z",
}
"""A good value for every keyword that must be given."""

WHOLES = ("record", "cases.0", "results")
"""What is named where a value's field is not."""
PARTS = {"sources": Source, "provenance": Provenance, "agent_context": AgentContext}

VERBS = {
    name: verb
    for name, verb in inspect.getmembers(MemoryStore, inspect.isfunction)
    if not name.startswith("_")
}
FUNCTIONS = {
    name: value
    for module in (membound, evaluation)
    for name in module.__all__
    if inspect.isfunction(value := getattr(module, name))
}


def remember(store: MemoryStore, **fields: Any) -> MemoryRecord:  # noqa: ANN401 — of any type
    return store.remember("kiwi", scope="user", **fields)


def take(store: MemoryStore, made: MemoryRecord) -> None:
    store.import_records([made], on_conflict="replace")
    membound.retrieve_records([made], "kiwi", now=NOON)


def recall_by(store: MemoryStore, ranking: RankingPolicy) -> object:
    return store.retrieve("kiwi", policy=MemoryPolicy(ranking=ranking))


MADE: dict[str, tuple[type, Callable[[MemoryStore, Any], object]]] = {
    "AgentAccess": (AgentAccess, lambda store, made: store.retrieve("kiwi", agent=made)),
    "AgentContext": (AgentContext, lambda store, made: remember(store, agent_context=made)),
    "DirectivePolicy": (
        DirectivePolicy,
        lambda store, made: store.list_directives(policy=MemoryPolicy(directives=made)),
    ),
    "EvaluationCase": (EvaluationCase, lambda _, made: score_evaluation([made], [["mem_1"]])),
    "FeedbackPolicy": (
        FeedbackPolicy,
        lambda store, made: store.retrieve("kiwi", policy=MemoryPolicy(feedback=made)),
    ),
    "MemoryDraft": (MemoryDraft, lambda store, made: store.remember_many([made])),
    "MemoryPolicy": (MemoryPolicy, lambda store, made: store.retrieve("kiwi", policy=made)),
    "MemoryRecord": (MemoryRecord, take),
    "Provenance": (Provenance, lambda store, made: remember(store, provenance=made)),
    "RankingFloors": (
        RankingFloors,
        lambda store, made: recall_by(store, RankingPolicy(floors=made)),
    ),
    "RankingPolicy": (RankingPolicy, recall_by),
    "Source": (Source, lambda store, made: remember(store, sources=[made])),
}
"""Values that callers make, and a verb that takes them: their constructors may trust."""


def keywords(function: Callable[..., Any]) -> Iterator[tuple[str, bool]]:
    """Every keyword, and whether it must be given; ``**options`` are those of their dict."""
    rest: dict[str, type] = {
        "options": RetrievalOptions,
        "fields": DraftFields,
        "edit": EditOptions,
        "noted": Noted,
    }
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from ((field, False) for field in rest[name].__annotations__)
        elif name != "self":
            yield name, parameter.default is parameter.empty


def rows(functions: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, field) for name, made in functions.items() for field, _ in keywords(made)]


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryStore]:
    """A store that afterwards recalls what it knew, and can read every file."""
    monkeypatch.chdir(tmp_path)
    policy = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))
    path = tmp_path / "store"
    with MemoryStore.open(path, policy=policy, clock=lambda: NOON, durability="relaxed") as opened:
        known = opened.remember("The quokka is brown.", scope="user", id="known", tags=["animal"])
        yield opened
    with MemoryStore.open(path, clock=lambda: NOON) as again:
        assert again.retrieve("what colour is the quokka?").records[:1] == (known,)
        assert again.wait_until_ready(10)
        assert again.verify().ok


def judge(function: Callable[..., object], name: str, given: Callable[[], dict[str, Any]]) -> None:
    """Calls with each hostile value, bare and in a list, in the place of one keyword."""
    for kind, value in HOSTILE.items():
        for hostile in (value(), [value()]):
            try:
                function(**{**given(), name: hostile})
            except OwnError:
                continue
            except MemboundError as error:
                faults = list(faults_of(error, name))
                assert not faults, f"{kind}: {error!r}"  # noqa: PT017 — success is as good
            except Exception as error:
                error.add_note(f"{name}: {kind}, {type(hostile).__name__}")
                raise


def faults_of(error: MemboundError, keyword: str) -> Iterator[str]:
    """What is wrong with the error: it is to pickle, and to name the keyword.

    Of one draft alone only its own field is named, and of unknown fields theirs.
    """
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 — our own bytes
    if (type(again), str(again)) != (type(error), str(error)):
        yield "it does not survive pickling"
    if isinstance(error, InvalidInputError) and keyword not in ("drafts", "loose"):
        field = error.field.replace("_", "").lower()
        if keyword.replace("_", "") not in field and not field.endswith(WHOLES):
            yield "it does not name the keyword"


@pytest.mark.parametrize(("verb", "name"), rows(VERBS))
def test_verbs(store: MemoryStore, runner: asyncio.Runner, verb: str, name: str) -> None:
    method: Any = getattr(store, verb)
    changed = remember(store)

    def given() -> dict[str, Any]:
        needed = [field for field, needed in keywords(method) if needed]
        if verb in ("remember", "aremember"):
            needed.append("scope")
        one = remember(store).id if verb == "supersede" else changed.id
        return {field: one if field == "id" else SAMPLES[field] for field in needed}

    def call(**fields: object) -> None:
        answer = method(**fields)
        if inspect.iscoroutine(answer):
            runner.run(answer)

    judge(call, name, given)


@pytest.mark.parametrize("name", [name for name, _ in keywords(MemoryStore.open)])
def test_open(tmp_path: Path, name: str) -> None:
    def opened(**fields: Any) -> None:  # noqa: ANN401 — of any type
        with MemoryStore.open(**fields) as other:
            remember(other)
            assert other.retrieve("kiwi").records

    judge(opened, name, lambda: {"path": tmp_path / "other", "durability": "relaxed"})


@pytest.mark.parametrize(("function", "name"), rows(FUNCTIONS))
def test_functions(store: MemoryStore, tmp_path: Path, function: str, name: str) -> None:
    samples = {**SAMPLES, "store": store, "path": tmp_path / "store"}
    needed = [field for field, needed in keywords(FUNCTIONS[function]) if needed]
    judge(FUNCTIONS[function], name, lambda: {field: samples[field] for field in needed})


@pytest.mark.parametrize(("made", "name"), rows({name: made for name, (made, _) in MADE.items()}))
def test_values_that_callers_make(store: MemoryStore, made: str, name: str) -> None:
    kind, verb = MADE[made]
    needed = [field for field, needed in keywords(kind) if needed]
    needed += ["scope"] if made == "MemoryDraft" else []
    judge(
        lambda **fields: verb(store, kind(**fields)),
        name,
        lambda: {field: SAMPLES[field] for field in needed},
    )


@pytest.mark.parametrize(("part", "name"), rows(PARTS))
def test_parts_given_as_mappings(store: MemoryStore, part: str, name: str) -> None:
    def call(**fields: object) -> None:
        remember(store, **{part: [fields] if part == "sources" else fields})

    needed = [field for field, needed in keywords(PARTS[part]) if needed]
    judge(call, name, lambda: {field: SAMPLES[field] for field in needed})


@pytest.mark.parametrize("word", [Text("user"), Word.USER, OldWord.USER], ids=type)
def test_a_member_of_an_enumeration_is_the_value_that_it_has(store: MemoryStore, word: str) -> None:
    def remembered(user: Any, one: float) -> MemoryRecord:  # noqa: ANN401 — any text
        agent = {"schema_version": one, "agent_id": user, "source_conversation_id": user}
        return store.remember(
            user,
            id=Text(type(user).__name__),
            scope=user,
            tags={user},
            confidence=one,
            sources=[{"kind": user, "trust": "observed", "locator": user}],
            agent_context=agent,
            source_thread_id=user,
        )

    def recalled(user: Any, one: int) -> membound.RetrievalResult:  # noqa: ANN401 — any text
        return store.retrieve(
            user,
            workspace=user,
            agent=AgentAccess(agent_id=user, conversation_id=user),
            limit=one,
            scope=user,
            tags=[user],
            policy=MemoryPolicy(scopes=(user,), max_injected_records=one),
        )

    same = msgspec.structs.replace(remembered(word, Number.ONE), id="")
    assert same == msgspec.structs.replace(remembered("user", 1), id="")
    assert type(same.content) is type(same.tags[0]) is str
    assert recalled(word, Number.ONE).records == recalled("user", 1).records != ()
    events = [
        record_retrieved(store, thread_id=id, turn_id=id, memory_ids=[id]) for id in (word, "user")
    ]
    assert events[0] == events[1] != ()


@pytest.mark.parametrize("told", [None, 0, "now", NOON.replace(tzinfo=None)], ids=repr)
def test_a_clock_that_tells_no_moment_is_named(tmp_path: Path, told: Any) -> None:  # noqa: ANN401 — of any type
    with (
        MemoryStore.open(tmp_path / "other", clock=lambda: told) as other,
        pytest.raises(InvalidInputError) as refused,
    ):
        remember(other)
    assert refused.value.field == "clock"


def test_what_a_callers_own_code_raises_passes_through(store: MemoryStore, tmp_path: Path) -> None:
    broken: Any = PathOf(OwnError)
    with MemoryStore.open(tmp_path / "other", clock=own_error) as other, pytest.raises(OwnError):
        remember(other)
    with pytest.raises(OwnError):
        store.retrieve("kiwi", workspace=broken)
    with pytest.raises(OwnError):
        store.retrieve("kiwi", scope=broken_iterator())  # type: ignore[arg-type]
    with pytest.raises(OwnError):
        store.remember_many([{"content": "kiwi", "scope": "user"}], progress=own_error)


def test_no_public_name_is_left_out() -> None:
    answers = {
        "Diagnostics", "DirectiveSelection", "EvaluationScore", "Finding", "ImportReport",
        "MatchedWords", "MemboundError", "RetrievalResult", "SearchTokens", "Trace", "TurnContext",
        "VerifyReport",
    }  # fmt: skip
    # Weights fit together or not at all: tests/test_ranking_policy.py.
    named = {*FUNCTIONS, *MADE, *answers, "MemoryStore", "RankingWeights"}
    assert set(membound.__all__) <= named
