"""Plain records and requests through the public API and the oracle, answered in one shape."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import membound
from membound.errors import InvalidInputError
from tests import oracle
from tests.oracle.dates import milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from membound.tokens import Tokenizer
    from membound.trace import Ranking, Weighing
    from tests.conformance import Request, Row
    from tests.oracle.tokens import Record

FEATURES = (
    "lexical",
    "scope_affinity",
    "type_affinity",
    "freshness",
    "importance",
    "confidence",
    "final_score",
)
CLOSE = 1e-12


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def records_of(records: list[Record]) -> list[membound.MemoryRecord]:
    return [membound.MemoryRecord.from_dict(record) for record in records]


def policy_of(mapping: dict[str, Any] | None) -> membound.MemoryPolicy:
    if mapping is None:
        return membound.MemoryPolicy()
    rules = mapping["directives"]
    return membound.MemoryPolicy(
        enabled=mapping["enabled"],
        scopes=tuple(mapping["scopes"]),
        max_injected_records=mapping["maxInjectedRecords"],
        directives=membound.DirectivePolicy(
            enabled=rules["enabled"],
            max_records=rules["maxRecords"],
            max_characters=rules["maxCharacters"],
        ),
        ranking=msgspec.convert(mapping.get("ranking"), membound.RankingPolicy | None),
    )


def agent_of(mapping: dict[str, Any] | None) -> membound.AgentAccess | None:
    if mapping is None:
        return None
    return membound.AgentAccess(
        agent_id=mapping["agentId"],
        conversation_id=mapping.get("conversationId"),
        handoff_id=mapping.get("handoffId"),
        task_id=mapping.get("taskId"),
        manage=mapping.get("manage", False),
    )


def options_of(request: Request) -> dict[str, Any]:
    """Return the keyword arguments of the public API."""
    beside = {"query", "tokenizer"}  # a store has a tokenizer of its own
    options = {name: value for name, value in request.items() if name not in beside}
    options.setdefault("relevance_mode", "foundation-v1")
    options["now"] = moment(request["now"])
    if "agent" in request:
        options["agent"] = agent_of(request["agent"])
    if "policy" in request:
        options["policy"] = policy_of(request["policy"])
    return options


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def ranking_of(ranking: Ranking) -> Row:
    return {
        "memoryId": ranking.memory_id,
        "channel": ranking.channel,
        "features": {camel(name): getattr(ranking.features, name) for name in FEATURES},
        "selected": ranking.selected,
    }


def weighing_of(weighing: Weighing | None) -> Row | None:
    return None if weighing is None else json.loads(msgspec.json.encode(weighing))


def answer_of(result: membound.RetrievalResult) -> Row:
    """Return a result in the oracle's shape."""
    return account_of(result.trace, [record.content for record in result.records], result.context)


def account_of(trace: membound.Trace, contents: list[str], context: str) -> Row:
    """Return what a recall gives in the oracle's shape."""
    return {
        "selectedIds": list(trace.selected_ids),
        "selectedContents": contents,
        "duplicateIds": list(trace.duplicate_ids),
        "excludedIds": list(trace.excluded_ids),
        "truncatedIds": list(trace.truncated_ids),
        "queryTokenCount": trace.query_token_count,
        "queryTokensTruncated": trace.query_tokens_truncated,
        "candidateCount": trace.candidate_count,
        "filtered": {
            stage: getattr(trace.filtered, stage)
            for stage in ("scope", "lifecycle", "purpose", "request", "irrelevant")
        },
        "weighing": weighing_of(trace.weighing),
        "rankings": [ranking_of(ranking) for ranking in trace.rankings],
        "selectedCharacters": trace.selected_characters,
        "recordLimit": trace.record_limit,
        "context": context,
    }


def ask(retrieve: Callable[..., membound.RetrievalResult], request: Request) -> Row:
    """Answer a request with `MemoryStore.retrieve` or what is called like it."""
    return answer_of(retrieve(request["query"], **options_of(request)))


def ask_records(records: list[Record], request: Request) -> Row:
    """Answer a request with the pure function."""
    parsed = records_of(records)
    retrieve = partial(membound.retrieve_records, tokenizer=request.get("tokenizer", "v1"))
    return ask(lambda query, **rest: retrieve(parsed, query, **rest), request)


def ask_oracle(records: list[Record], request: Request) -> Row:
    asked = {**request, "now": milliseconds(request["now"])}
    return oracle.retrieve(records, asked.pop("query"), **asked)


def assert_same(mine: Row, theirs: Row, *, ignored: tuple[str, ...] = ()) -> None:
    """Compare two answers: numbers within 1e-12, everything else exactly."""
    one, other = (
        {k: v for k, v in answer.items() if k not in ignored} for answer in (mine, theirs)
    )
    apart = {"features": None, "channel": None}
    rankings, expected = one.pop("rankings", []), other.pop("rankings", [])
    assert one == other
    assert [r["memoryId"] for r in rankings] == [r["memoryId"] for r in expected]
    for ranking, wanted in zip(rankings, expected, strict=True):
        assert ranking["features"] == pytest.approx(wanted["features"], abs=CLOSE, rel=0)
        assert {**ranking, **apart} == {**wanted, **apart}


@contextmanager
def store_of(
    folder: Path, records: list[Record], *, index: bool, tokenizer: Tokenizer = "v1"
) -> Iterator[membound.MemoryStore]:
    """Opens a store of some records that answers from the index's file, or without an index."""
    path = folder / ("indexed" if index else "files")
    with membound.MemoryStore.open(
        path, index=index, durability="relaxed", postings_bytes=0, tokenizer=tokenizer
    ) as store:
        store.import_records(records_of(records))
        if index:
            store.wait_until_ready(60)
            assert store.verify().ok
        yield store


@contextmanager
def warm_store_of(folder: Path) -> Iterator[membound.MemoryStore]:
    """Opens the indexed store of that folder once more, to answer from memory."""
    with membound.MemoryStore.open(folder / "indexed", durability="relaxed") as store:
        assert store.warm_up(60)
        yield store


def without_channels(answer: Row) -> Row:
    """Return the answer without the channels: they tell the paths apart."""
    rankings = [{**entry, "channel": "any"} for entry in answer["rankings"]]
    return {**answer, "rankings": rankings}


def refused(call: Callable[[], object]) -> bool:
    """Tell whether membound refuses the input with a typed error."""
    try:
        call()
    except InvalidInputError:
        return True
    return False
