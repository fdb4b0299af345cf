"""Drafts: what `remember` takes, with its defaults, and every refusal by its argument."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.draft import DraftFields, MemoryDraft
from membound.errors import InvalidInputError
from membound.parts import Provenance, Source
from membound.records import MemoryRecord

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
NOW_TEXT = "2026-07-01T12:00:00.000Z"


def record_of(content: Any = "kiwi", **given: Any) -> MemoryRecord:  # noqa: ANN401 — of any type
    given = {"scope": "user"} | given
    return MemoryDraft(content, **given).to_record(id="mem_1", now=NOW)


def test_a_bare_draft_says_that_the_user_said_it_now() -> None:
    record = record_of()
    assert record.to_dict() == {
        "id": "mem_1",
        "content": "kiwi",
        "scope": "user",
        "type": "fact",
        "authority": "reference",
        "tags": [],
        "confidence": 1.0,
        "importance": 0.8,
        "createdAt": NOW_TEXT,
        "updatedAt": NOW_TEXT,
        "observedAt": NOW_TEXT,
        "provenance": {"kind": "user"},
        "sources": [{"id": "source_1", "kind": "user", "trust": "explicit-user"}],
        "revision": 1,
        "history": [],
        "schemaVersion": 2,
    }


def test_everything_given_is_kept() -> None:
    zone = timezone(timedelta(hours=8))
    record = record_of(
        tags=["decision", "a", "a"],
        observed_at=datetime(2026, 6, 1, tzinfo=zone),
        valid_from=NOW,
        valid_to=NOW,
        ttl=timedelta(minutes=1),
        provenance=Provenance(kind="web", origin="https://example.invalid"),
        agent_context={"schema_version": 1, "agentId": "a", "source_conversation_id": "c"},
        source_thread_id="t",
        supersedes="mem_0",
        disabled=True,
    )
    assert record.tags == ("decision", "a")
    assert (record.type, record.confidence, record.importance) == ("decision", 0.5, 0.4)
    assert record.observed_at == "2026-05-31T16:00:00.000Z"
    assert record.expires_at == "2026-07-01T12:01:00.000Z"
    assert (record.supersedes, record.disabled_at) == ("mem_0", NOW_TEXT)
    assert record.agent_context is not None
    assert record.agent_context.source_conversation_id == "c"
    assert record.sources == (
        Source(
            id="source_1",
            kind="web",
            trust="observed",
            thread_id="t",
            locator="https://example.invalid",
        ),
    )


@pytest.mark.parametrize("tag", ["decision", " DECISION\ufeff", "Ｄecision", "决定"])
def test_a_tag_names_the_type_in_any_spelling_that_recall_takes_for_equal(tag: str) -> None:
    assert record_of(tags=["a", tag]).type == "decision"
    assert record_of(tags=[tag], type="fact").type == "fact"


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"scope": "user", "workspace": "/a", "project": "/b"}, (None, None, None)),
        ({"scope": "workspace", "workspace": " //a/./b/../c/ "}, ("/a/c", None, None)),
        ({"scope": "workspace", "workspace": Path("/a"), "project": "/b"}, ("/a", None, None)),
        ({"scope": "workspace", "workspace": "tenant-1"}, ("tenant-1", None, None)),
        ({"scope": "project", "workspace": "/a"}, ("/a", "/a", None)),
        ({"scope": "project", "workspace": "/a", "project": "/b"}, ("/a", "/b", None)),
        ({"scope": "project", "project_identity": "/c/"}, (None, None, "/c")),
    ],
)
def test_places_are_kept_where_the_scope_needs_them(
    given: dict[str, Any], stored: tuple[str | None, ...]
) -> None:
    record = record_of(**given)
    assert (record.workspace, record.project, record.project_identity) == stored


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"content": ""}, "content"),
        ({"content": None}, "content"),
        ({"content": b"kiwi"}, "content"),
        ({"content": "a\0"}, "content"),
        ({"content": "x" * 16_385}, "content"),
        ({"content": "\ud83d"}, "content"),
        ({"scope": "*"}, "scope"),
        ({"scope": ["user", "project"]}, "scope"),
        ({"scope": "workspace"}, "workspace"),
        ({"scope": "workspace", "workspace": "  "}, "workspace"),
        ({"scope": "workspace", "workspace": "/a\0b"}, "workspace"),
        ({"scope": "workspace", "workspace": "/a\ud800"}, "workspace"),
        ({"scope": "workspace", "workspace": b"/a"}, "workspace"),
        ({"scope": "project"}, "project"),
        ({"scope": "project", "workspace": "/a", "authority": "directive"}, "scope"),
        ({"content": "x" * 1_001, "authority": "directive"}, "content"),
        ({"type": "memo"}, "type"),
        ({"authority": 1}, "authority"),
        ({"tags": "a"}, "tags"),
        ({"tags": 1}, "tags"),
        ({"tags": [""]}, "tags.0"),
        ({"tags": ["a", "x" * 65]}, "tags.1"),
        ({"tags": ["a", None]}, "tags.1"),
        ({"tags": ["a", "\ud83d"]}, "tags.1"),
        ({"tags": [str(n) for n in range(33)]}, "tags"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": float("inf")}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"confidence": "1"}, "confidence"),
        ({"importance": -0.0}, "importance"),
        ({"observed_at": "2026-07-01"}, "observed_at"),
        ({"valid_from": datetime(2026, 7, 1)}, "valid_from"),  # noqa: DTZ001 — to be refused
        ({"valid_from": NOW, "valid_to": NOW - timedelta(days=1)}, "valid_to"),
        ({"ttl": 60}, "ttl"),
        ({"ttl": timedelta()}, "ttl"),
        ({"ttl": timedelta.max}, "ttl"),
        ({"ttl": timedelta(days=1), "expires_at": NOW}, "ttl"),
        ({"sources": {"kind": "user"}}, "sources"),
        ({"sources": [{"kind": "user"}]}, "sources.0.trust"),
        ({"sources": [{"kind": "user", "trust": "observed", "thread": "t"}]}, "sources.0"),
        ({"sources": [None]}, "sources.0"),
        ({"sources": [{"kind": "user", "trust": "observed"}] * 9}, "sources"),
        ({"provenance": "user"}, "provenance"),
        ({"provenance": {"kind": "rumour"}}, "provenance.kind"),
        ({"agent_context": {}}, "agent_context.schemaVersion"),
        ({"supersedes": ""}, "supersedes"),
        ({"source_thread_id": ""}, "source_thread_id"),
        ({"source_turn_id": 5}, "source_turn_id"),
        ({"disabled": "yes"}, "disabled"),
    ],
)
def test_a_refusal_names_the_argument(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        record_of(**given)
    assert type(refused.value) is InvalidInputError
    assert refused.value.field == field


def test_a_directive_is_no_agents() -> None:
    agent = {"schemaVersion": 1, "agentId": "a", "sourceConversationId": "c"}
    with pytest.raises(InvalidInputError, match="agent_context"):
        record_of(authority="directive", agent_context=agent)


@pytest.mark.parametrize("id", ["", "../x", "mem 1", "mem_1\n", None])
def test_an_id_that_no_file_could_have_is_refused(id: Any) -> None:  # noqa: ANN401 — of any type
    with pytest.raises(InvalidInputError) as refused:
        MemoryDraft("kiwi", scope="user").to_record(id=id, now=NOW)
    assert refused.value.field == "id"


@pytest.mark.parametrize(
    "keywords", [{}, {"text": "kiwi"}, {"content": "k", "ttlMs": 1}, 5, {1: 2}]
)
def test_unknown_keywords_are_refused(keywords: Any) -> None:  # noqa: ANN401 — of any type
    with pytest.raises(InvalidInputError):
        MemoryDraft.from_keywords(keywords)


def test_the_keywords_of_remember_are_the_fields_of_a_draft() -> None:
    draft, fields = get_type_hints(MemoryDraft), get_type_hints(DraftFields)
    apart = {"content", "id"}
    assert fields == {name: hint for name, hint in draft.items() if name not in apart}


def test_iterators_are_read_once_and_sets_in_a_fixed_order() -> None:
    draft = MemoryDraft("kiwi", scope="user", tags=iter(["b", "a"]), sources=iter([]))
    assert draft.to_record(id="m1", now=NOW).tags == draft.to_record(id="m2", now=NOW).tags
    assert record_of(tags={"c", "a", "b"}).tags == ("a", "b", "c")
    assert pickle.loads(pickle.dumps(draft)) == draft  # noqa: S301 — our own bytes


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.datetimes(),
    st.timedeltas(), st.lists(st.integers()), st.dictionaries(st.text(), st.text()),
    st.builds(object),
)  # fmt: skip


@given(st.sampled_from(MemoryDraft.__struct_fields__), anything)
def test_a_value_of_any_type_raises_nothing_but_our_error(name: str, value: object) -> None:
    try:
        record = MemoryDraft.from_keywords({"content": "kiwi", "scope": "user", name: value})
        read = record.to_record(id="mem_1", now=NOW)
    except InvalidInputError:
        return
    assert MemoryRecord.from_json(read.to_json()) == read
