"""What a verb gives or takes goes to another process and comes back equal."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

import membound
from membound import (
    AgentAccess,
    AgentContext,
    EvaluationCase,
    MemboundError,
    MemoryDraft,
    MemoryPolicy,
    MemoryRecord,
    MemoryStore,
    Provenance,
    RankingPolicy,
    Source,
    examine,
    matched_words,
    record_retrieved,
    resolve_turn_context,
    retrieve_records,
    score_evaluation,
    search_tokens,
)
from membound.policy import FeedbackPolicy
from tests.test_errors import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


def same(value: object) -> object:
    return value


def raised(error: MemboundError) -> None:
    raise error


@pytest.fixture(name="pool", scope="module")
def one_process() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


def values(store: MemoryStore) -> dict[str, object]:
    """One of everything that a store takes or gives, full rather than empty."""
    agent = AgentContext(schema_version=1, agent_id="builder", source_conversation_id="c")
    draft = MemoryDraft(
        "kiwi walnut",
        scope="user",
        tags=["fruit"],
        ttl=timedelta(days=400),
        provenance=Provenance(kind="user", file="notes.md"),
        sources=[Source(id="source_1", kind="file", trust="observed", locator="a:4")],
    )
    first = store.remember_many([draft], now=NOW)[0]
    rule = store.remember("never force-push", scope="user", authority="directive", now=NOW)
    changed = store.update(first.id, content="kiwi harvest", now=NOW)
    loose = MemoryRecord.from_dict({**changed.to_dict(), "x-team": {"deep": [1, {"a": None}]}})
    result = store.retrieve("kiwi", now=NOW)
    turn = resolve_turn_context(store, "kiwi", now=NOW)
    ids = [record.id for record in result.records]
    record_retrieved(store, thread_id="t", turn_id="1", memory_ids=ids, now=NOW)
    case = EvaluationCase(id="c", query="kiwi", expected_ids=(changed.id,))
    score = score_evaluation([case], [retrieve_records([changed], case.query, now=NOW)])
    (Path(store.diagnostics().path) / "memory" / "broken.json").write_text("{")
    report = store.verify()
    return {
        "draft": draft,
        "record": changed,
        "record with unknown fields": loose,
        "directive": rule,
        "agent": agent,
        "result": result,
        "trace": result.trace,
        "turn": turn,
        "directives": store.list_directives(now=NOW),
        "policy": MemoryPolicy(max_injected_records=3, ranking=RankingPolicy(relative_floor=0.5)),
        "access": AgentAccess(agent_id="builder"),
        "tokens": search_tokens("kiwi"),
        "matched words": matched_words("kiwi pear", changed),
        "case": case,
        "score": score,
        "verification": report,
        "import": store.import_records([changed], on_conflict="skip"),
        "diagnostics": store.diagnostics(),
        "feedback": store.feedback.status(),
    }


def test_every_value_comes_back_equal(tmp_path: Path, pool: ProcessPoolExecutor) -> None:
    policy = MemoryPolicy(feedback=FeedbackPolicy(enabled=True))
    with MemoryStore.open(tmp_path, policy=policy) as store:
        sent = values(store)
    sent["finding"] = examine(tmp_path)[0]
    for name, value in sent.items():
        came = pool.submit(same, value).result(60)
        assert type(came) is type(value), name
        assert came == value, name
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(value, protocol)) == value, name  # noqa: S301 — ours
    kinds = {type(value).__name__ for value in sent.values()}
    public = {
        name
        for name in membound.__all__
        if isinstance(kind := getattr(membound, name), type) and issubclass(kind, msgspec.Struct)
    }
    inside = {"Provenance", "Source", "DirectivePolicy", "FeedbackPolicy"}
    inside |= {"RankingPolicy", "RankingWeights", "RankingFloors"}
    assert public <= kinds | inside


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_every_error_comes_back_equal(error: MemboundError, pool: ProcessPoolExecutor) -> None:
    came = pool.submit(raised, error).exception(60)
    assert came is not None
    assert (type(came), str(came), came.args) == (type(error), str(error), error.args)
    same_kept = {name: value for name, value in vars(came).items() if name != "__cause__"}
    assert same_kept.items() >= vars(error).items()
