"""Records: what is read is kept, what is refused is named, and nothing else is raised."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidRecordError
from membound.parts import Source
from membound.records import MemoryRecord

SMALL: dict[str, Any] = {
    "id": "mem_1",
    "content": "kiwi",
    "scope": "user",
    "createdAt": "2026-01-01T00:00:00.000Z",
    "updatedAt": "2026-01-02T00:00:00.000Z",
}
SNAPSHOT: dict[str, Any] = {
    "content": "pear",
    "tags": ["a"],
    "type": "fact",
    "authority": "reference",
    "confidence": 1,
    "importance": 0.5,
    "sources": [{"id": "s", "kind": "web", "trust": "observed"}],
    "observedAt": "2026-01-01T00:00:00Z",
}
REVISION = {"revision": 1, "changedAt": "then", "operation": "update", "snapshot": SNAPSHOT}
AGENT = {"schemaVersion": 1, "agentId": "a", "sourceConversationId": "c"}

NO_RECORDS = [
    b"",
    b"[]",
    b"null",
    b"\xff",
    b"\xef\xbb\xbf{}",
    b"[" * 100_000,
    b'{"id":' * 100_000,
    b'{"id": NaN}',
    b'{"id": -Infinity}',
    b'{"confidence": 1e400}',
    b'{"id": ' + b"9" * 5_000 + b"}",
    b'{"x": ' + b"[" * 500 + b"]" * 500 + b"}",
    b'{"id": "a", "id": "b"}',
    b'{"x": {"a": 1, "a": 1}}',
    b'{"id": "a"} {}',
    b'{"id": "\n"}',
    '{"x": "\ud800"}',
    r'{"x": "\ud800"}',
    5,
    None,
]

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
plain_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
unknown = st.dictionaries(words.map("x-{}".format) | st.just(""), plain_json, max_size=2)
unit = st.floats(0, 1).filter(lambda number: str(number) != "-0.0") | st.sampled_from([0, 1])
moments = st.datetimes().map(lambda moment: moment.isoformat() + "Z")


@st.composite
def record_trees(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a record with unknown fields at every level."""
    source = draw(unknown) | {"id": "s1", "kind": "user", "trust": "observed"}
    snapshot = SNAPSHOT | draw(unknown) | {"sources": [source], "observedAt": draw(moments)}
    optional = {
        "tags": draw(st.lists(words, max_size=3)),
        "confidence": draw(unit),
        "importance": draw(unit),
        "observedAt": draw(moments),
        "expiresAt": draw(moments),
        "deletedAt": draw(words | st.just("")),
        "provenance": draw(unknown) | {"kind": "file", "file": draw(words)},
        "sources": [source],
        "agentContext": draw(unknown) | AGENT,
        "revision": draw(st.integers(1, 2**53 - 1)),
        "history": [draw(unknown) | REVISION | {"snapshot": snapshot}],
        "schemaVersion": 2,
    }
    kept = draw(st.sets(st.sampled_from(sorted(optional))))
    return draw(unknown) | SMALL | {"content": draw(words)} | {n: optional[n] for n in kept}


def refused(**fields: object) -> InvalidRecordError:
    with pytest.raises(InvalidRecordError) as found:
        MemoryRecord.from_dict(SMALL | fields)
    return found.value


@given(record_trees())
def test_a_record_comes_back_from_its_json_with_all_it_had(tree: dict[str, Any]) -> None:
    record = MemoryRecord.from_dict(tree)
    assert MemoryRecord.from_json(record.to_json()) == record
    assert MemoryRecord.from_json(json.dumps(tree)) == record
    assert MemoryRecord.from_dict(record.to_dict()).to_json() == record.to_json()
    assert json.loads(record.to_json()) == record.to_dict()
    assert contained(tree, record.to_dict())
    assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301 — our own bytes


def contained(part: Any, whole: Any) -> bool:  # noqa: ANN401 — any JSON value
    if isinstance(part, dict):
        return all(key in whole and contained(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(contained, part, whole))
    return bool(part == whole)


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_random_bytes_raise_nothing_but_our_error(data: bytes) -> None:
    with pytest.raises(InvalidRecordError):
        MemoryRecord.from_json(data)


@given(st.data())
def test_a_record_with_any_value_in_any_place_raises_nothing_but_our_error(
    data: st.DataObject,
) -> None:
    fields = [*MemoryRecord.from_dict(SMALL).to_dict(), "provenance", "agentContext"]
    odd = st.one_of(
        plain_json, st.just("\ud800"), st.just(float("nan")), st.sets(words), st.binary()
    )
    tree = SMALL | {data.draw(st.sampled_from(fields)): data.draw(odd)}
    try:
        record = MemoryRecord.from_dict(tree)
    except InvalidRecordError as fault:
        message = str(fault)
    else:
        assert MemoryRecord.from_json(record.to_json()) == record
        return
    assert len(message) < 400
    assert message.isascii()
    assert message.isprintable()


@pytest.mark.parametrize("data", NO_RECORDS, ids=map(str, range(len(NO_RECORDS))))
def test_what_is_not_a_json_object_is_refused(data: Any) -> None:  # noqa: ANN401 — of any type
    with pytest.raises(InvalidRecordError):
        MemoryRecord.from_json(data)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"id": "mem_1\n"}, "id"),
        ({"id": ".hidden"}, "id"),
        ({"id": "a" * 129}, "id"),
        ({"content": "x" * 16_385}, "content"),
        ({"confidence": True}, "confidence"),
        ({"confidence": "1"}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"importance": float("inf")}, "importance"),
        ({"importance": -0.0}, "importance"),
        ({"tags": ["a", 1]}, "tags.1"),
        ({"tags": {"a", "b"}}, "tags"),
        ({"tags": "a"}, "tags"),
        ({"workspace": None}, "workspace"),
        ({"provenance": {"kind": "user", "file": None}}, "provenance.file"),
        ({"sources": [{"id": "a", "kind": "user", "trust": "high"}]}, "sources.0.trust"),
        ({"sources": SNAPSHOT["sources"] * 2}, "sources.1.id"),
        ({"sources": [7]}, "sources.0"),
        ({"history": [REVISION | {"snapshot": {}}]}, "history.0.snapshot.content"),
        ({"history": [REVISION] * 21}, "history"),
        ({"validFrom": "2026-01-02T00:00:00Z", "validTo": "2026-01-01T00:00:00Z"}, "validTo"),
        ({"observedAt": "2026-01-01T00:00:00Z\n"}, "observedAt"),
        ({"revision": 2**53}, "revision"),
        ({"x": {"deep": [float("nan")]}}, "x.deep.0"),
        ({"x": object()}, "x"),
        ({"x": {1: 2}}, "x"),
        ({"x": 10**5_000}, "x"),
    ],
)
def test_a_refusal_names_the_field(fields: dict[str, Any], field: str) -> None:
    assert refused(**fields).field == field


def test_a_lone_surrogate_and_a_nul_are_refused_with_their_position() -> None:
    assert str(refused(content="ok \ud83d")) == (
        "content: expected text without lone surrogates, got U+D83D at position 3"
    )
    assert refused(tags=["a", "b\udc00"]).field == "tags.1"
    assert refused(x=[{"\ud800": 1}]).expected == "text without lone surrogates"
    assert refused(content="alpha\0omega").got == "NUL at position 5"


def test_a_refusal_shows_little_of_the_value() -> None:
    fault = refused(scope="x' - at `$.id`\n" * 1_000)
    assert fault.field == "scope"
    assert fault.expected == "one of user, workspace, project"
    assert len(fault.got) < 100


def test_free_times_are_kept_as_they_are() -> None:
    record = MemoryRecord.from_dict(SMALL | {"deletedAt": "", "disabledAt": "Jul 1, 2026"})
    assert (record.deleted_at, record.disabled_at) == ("", "Jul 1, 2026")


@pytest.mark.parametrize(
    ("updated", "observed"),
    [
        ("2026", "2026-01-01T00:00:00.000Z"),
        ("2026-03", "2026-03-01T00:00:00.000Z"),
        ("2026-03-04t05:06z", "2026-03-04T05:06:00.000Z"),
        ("2026-03-04T05:06:07.1239", "2026-03-04T05:06:07.123Z"),
        ("2026-03-04T05:06:07-02:30", "2026-03-04T07:36:07.000Z"),
        ("2026-02-30", "2026-03-02T00:00:00.000Z"),
        ("2026-03-04 05:06", SMALL["createdAt"]),
        ("9999-12-31T23:59:59-01:00", SMALL["createdAt"]),
    ],
)
def test_a_legacy_record_was_observed_when_it_was_updated(updated: str, observed: str) -> None:
    assert MemoryRecord.from_dict(SMALL | {"updatedAt": updated}).observed_at == observed


def test_a_legacy_source_takes_no_id_it_would_have_to_cut() -> None:
    record = MemoryRecord.from_dict(SMALL | {"sourceThreadId": "t" * 257, "sourceTurnId": "u"})
    source = Source(id="source_legacy_1", kind="legacy", trust="legacy", turn_id="u")
    assert record.sources == (source,)
    assert record.source_thread_id == "t" * 257


def test_the_callers_own_values_are_not_shared() -> None:
    mine = {"list": [1]}
    record = MemoryRecord.from_dict(SMALL | {"x": mine})
    mine["list"].append(2)
    record.to_dict()["x"]["list"].append(3)
    assert record.to_dict()["x"] == {"list": [1]}


def test_the_json_is_readable_and_in_the_order_of_the_schema() -> None:
    record = MemoryRecord.from_dict({"later": 1} | SMALL | {"schemaVersion": 2, "revision": 3})
    text = record.to_json().decode()
    assert text.startswith('{\n  "id": "mem_1",\n  "content": "kiwi",\n')
    assert text.endswith('"schemaVersion": 2,\n  "later": 1\n}\n')
