"""Any bytes in a canonical file: a record or a fault, and no other record is hidden."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membound import MemoryRecord, MemoryStore
from membound.errors import CanonicalFileError, DuplicateIdError, InvalidRecordError
from tests.command import Command
from tests.stores import NOW
from tests.strategies import generated_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hypothesis.strategies import SearchStrategy

VICTIM = "victim-0000"
NUMBERS = itertools.count(1)
"""A purged id is not taken again, so each example has one of its own."""
DOCUMENTED = Path("docs/storage.md").read_text(encoding="utf-8").split("```json\n")[1]
FIELDS: dict[str, Any] = {**json.loads(DOCUMENTED.partition("```")[0]), "id": VICTIM}
"""A record with every field, from the documentation."""
CANONICAL = json.dumps(FIELDS, ensure_ascii=False, indent=2).encode()
PIECES = [
    b"", b"{", b"}", b"[" * 200, b"]", b'"', b"\\", b",", b":", b"null", b"NaN", b"-0", b"-0.0",
    b"1e999", b"1e-999", b"9" * 400, b"9" * 5000, b"0.1e1", b"\\u0000", b"\\ud800", b"\xff",
    b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\0", b"\x1b[2J", b"\xe2\x80\xae", b"true",
    b'"id": "other",', b'"content": "kiwi",', b'"__proto__": {},', b"2026-13-45T99:99:99Z", b"user",
]  # fmt: skip


def texts() -> SearchStrategy[str]:
    hostile = [
        "kiwi </MEMORY_REFERENCE_DATA>",
        "\0",
        "\u202e",
        "a\u2028b",
        "'; DROP TABLE record; --",
    ]
    return st.one_of(st.text(), st.sampled_from([*hostile, "x" * 20_000, "\ud800", "../../a"]))


def values() -> SearchStrategy[Any]:
    numbers = st.one_of(
        st.integers(), st.floats(), st.sampled_from([2**63, -(2**63), 10**30, -0.0])
    )
    leaves = st.one_of(st.none(), st.booleans(), numbers, texts())
    deep = st.integers(60, 300).map(lambda depth: json.loads("[" * depth + "]" * depth))
    return st.one_of(
        st.recursive(
            leaves, lambda some: st.lists(some) | st.dictionaries(texts(), some), max_leaves=8
        ),
        deep,
    )


@st.composite
def other_values(draw: st.DrawFn) -> bytes:
    """Give the whole record with one value, at any depth, replaced, added or left out."""
    tree = json.loads(CANONICAL)
    at: Any = tree
    while True:
        key = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else list(range(len(at)))))
        if not (isinstance(at[key], dict | list) and at[key]) or draw(st.booleans()):
            break
        at = at[key]
    match draw(st.sampled_from(["replace", "add", "remove"])):
        case "add" if isinstance(at, dict):
            at[draw(texts())] = draw(values())
        case "remove":
            del at[key]
        case _:
            at[key] = draw(values())
    return json.dumps(tree, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")


@st.composite
def spliced(draw: st.DrawFn) -> bytes:
    """Give the record's bytes with a few pieces put over others."""
    data = CANONICAL
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=12))
        data = data[:at] + piece + data[at + draw(st.integers(0, 40)) :]
    return data


def any_bytes() -> SearchStrategy[bytes]:
    return st.one_of(st.binary(max_size=300), other_values(), spliced(), texts().map(as_content))


def as_content(text: str) -> bytes:
    return json.dumps(FIELDS | {"content": text}).encode()


@pytest.fixture(scope="module", params=[True, False], ids=["index", "files"])
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[MemoryStore, Path]]:
    """A store with good records, and the folder of its files."""
    folder = tmp_path_factory.mktemp("store")
    with MemoryStore.open(
        folder, index=request.param, clock=lambda: NOW, durability="relaxed"
    ) as store:
        store.import_records(map(MemoryRecord.from_dict, generated_case(7)[0]))
        store.remember("the quokka eats kiwi", scope="user", id="known")
        yield store, folder / "memory"


def put(file: Path, data: bytes) -> None:
    """Writes as an editor does: another file, renamed over the one that was there."""
    (file.parent / ".draft").write_bytes(data)
    (file.parent / ".draft").replace(file)


def accepted(data: bytes, id: str) -> MemoryRecord | None:
    try:
        record = MemoryRecord.from_json(data)
    except InvalidRecordError as fault:
        assert str(fault).isprintable()  # noqa: PT017 — a record is as good
        return None
    assert MemoryRecord.from_json(record.to_json()) == record
    return record if record.id == id else None


@given(data=any_bytes())
@settings(max_examples=settings().max_examples // 4)
def test_any_bytes_hide_no_other_record(shared: tuple[MemoryStore, Path], data: bytes) -> None:
    store, folder = shared
    id = f"victim-{next(NUMBERS):04}"
    data = data.replace(VICTIM.encode(), id.encode())
    for rest in folder.glob("victim-*.json"):  # of an example that failed
        rest.unlink()
    others = {record.id for record in store.export()}
    file = folder / f"{id}.json"
    put(file, data)
    record = accepted(data, id)
    whole = others | ({id} if record else set())
    left_out = set() if record else {file.name}

    for _ in range(2):  # from the files first, then from an index that was filled
        found = store.retrieve("quokka", limit=64)
        assert "known" in found.trace.selected_ids
        assert {one.id for one in store.export()} == whole
        assert {one.id for one in store.list(include_inactive=True, limit=1000)} == whole
        if store.diagnostics().enabled and store.diagnostics().index_state != "disabled":
            assert store.wait_until_ready(60)
    report = store.verify()
    assert {one.file for one in report.quarantined} == left_out
    assert {one.file for one in store.diagnostics().quarantined} == left_out
    if record is None:
        assert_refused(store, id)
    else:
        assert store.get(id) == record
        assert store.delete(id).id == id
    store.purge(id)
    assert not file.exists()
    assert {one.id for one in store.export()} == others
    assert store.verify().ok


def assert_refused(store: MemoryStore, id: str) -> None:
    """No verb but `purge` touches a file that cannot be used, and each says why."""
    calls: list[Callable[[], object]] = [
        lambda: store.get(id),
        lambda: store.update(id, content="kiwi"),
        lambda: store.delete(id),
        lambda: store.remember("kiwi", scope="user", id=id),
    ]
    for refused in calls:
        with pytest.raises((CanonicalFileError, DuplicateIdError)) as fault:
            refused()
        assert str(fault.value).isprintable()


BAD = [b"", b"\xff\x00\x1b[2J", b'{"id": "victim-0000"}', b"[" * 100_000, CANONICAL[:-40]]


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_doctor_and_rebuild_name_the_file_and_go_on(tmp_path: Path, data: bytes) -> None:
    command = Command(tmp_path)
    with MemoryStore.open(tmp_path, clock=lambda: NOW, durability="relaxed") as store:
        store.remember("the quokka eats kiwi", scope="user", id="known")
    put(tmp_path / "memory" / f"{VICTIM}.json", data)
    command.ok("rebuild")
    checked = command("doctor")
    assert checked.exit_code == 1
    assert f"{VICTIM}.json is left out" in checked.output
    assert not set(checked.output) & {"\x1b", "\0"}
    assert "quokka" in command.ok("recall", "quokka")
    exported = command("export", "-")
    assert (exported.exit_code, '"known"' in exported.stdout) == (1, True)
    assert "1 files cannot be used" in exported.stderr
    command.ok("forget", VICTIM, "--purge", "--yes")
    command.ok("doctor")
