"""Data sets, and the places where their questions have no answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError, InvalidRecordError
from membound.evaluation.survey import load_sets
from membound.evaluation.survey.elsewhere import Places
from tests.surveys import FERRIES, TEAS, question, record, write_set

if TYPE_CHECKING:
    from pathlib import Path

GOOD = record("1", "north", "the ferry leaves")


@pytest.fixture(name="folder")
def sets_folder(tmp_path: Path) -> Path:
    write_set(tmp_path / "sets" / "ferries", *FERRIES)
    write_set(tmp_path / "sets" / "teas", *TEAS)
    return tmp_path / "sets"


def test_a_folder_is_a_set_or_holds_some(folder: Path) -> None:
    assert [some.name for some in load_sets([folder])] == ["ferries", "teas"]
    teas, ferries = load_sets([folder / "teas", folder / "ferries"])
    assert (teas.name, ferries.name) == ("teas", "ferries")
    assert [len(some.records) for some in ferries.conversations.values()] == [2, 2]
    assert [some.language for some in teas.questions] == ["en", "zh"]


def test_a_file_that_is_missing_is_told_with_its_folder(folder: Path) -> None:
    (folder / "teas" / "queries.jsonl").unlink()
    with pytest.raises(InvalidInputError, match=r"teas/queries\.jsonl"):
        load_sets([folder / "teas"])


def test_a_line_is_remembered_with_its_speaker_tags_and_time(folder: Path) -> None:
    ferries, _ = load_sets([folder])
    north, south = ferries.conversations.values()
    assert [some.content for some in south.records] == [
        "Ada: the lighthouse keeper repairs nets",
        "a storm closed the harbour",
    ]
    assert north.records[1].tags == ("pier",)
    assert north.records[0].observed_at == "2024-05-01T09:00:00.000Z"
    # What has no time of its own was said at the end.
    assert {some.updated_at for some in south.records} == {"2024-06-01T09:00:00.000Z"}
    assert list(south.given_ids.values()) == ["1", "2"]
    assert len({some.id for c in (north, south) for some in c.records}) == 4
    assert north.workspace != south.workspace


def test_fields_can_be_left_out(folder: Path) -> None:
    ferries, _ = load_sets([folder], without=["speaker", "tags", "timestamp"])
    for conversation in ferries.conversations.values():
        for some in conversation.records:
            assert not some.content.startswith("Ada")
            assert some.tags == ()
            assert some.updated_at == "2026-01-01T00:00:00.000Z"
    with pytest.raises(InvalidInputError, match="speaker, tags, timestamp"):
        load_sets([folder], without=["text"])  # type: ignore[list-item]


def test_a_digest_is_of_the_files(folder: Path) -> None:
    before = [some.digest for some in load_sets([folder])]
    assert before == [some.digest for some in load_sets([folder])]
    with (folder / "teas" / "queries.jsonl").open("a") as file:
        file.write("\n")
    after = [some.digest for some in load_sets([folder])]
    assert (after[0], after[1] == before[1]) == (before[0], False)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b"{", "record"),
        (b'"text"', "record"),
        (b'{"id": "\xff", "conversation": "north", "text": "x"}', "record"),
        (json.dumps(record("", "north", "x")).encode(), "record"),
        (json.dumps(record("2", "north", "x", tags="pier")).encode(), "record"),
        (json.dumps(record("2", "north", "x", timestamp="yesterday")).encode(), "timestamp"),
        (json.dumps(record("2", "north", "x", timestamp="2024-13-01")).encode(), "timestamp"),
        (json.dumps(record("2", "north", "")).encode(), "content"),
        (json.dumps(record("2", "north", "a\0b")).encode(), "content"),
        (json.dumps(record("2", "north", "x" * 16_380, speaker="Ada A.")).encode(), "content"),
        (json.dumps(record("2", "north", "\ud800")).encode(), "record"),
        (json.dumps(record("1", "north", "again")).encode(), "id"),
        (b'{"id": "2", "x": ' + b"[" * 200_000, "record"),
    ],
)  # fmt: skip
def test_a_bad_record_is_named_by_line(tmp_path: Path, line: bytes, field: str) -> None:
    write_set(tmp_path / "bad", [GOOD], [question("q", "north", "ferry?", "1")])
    file = tmp_path / "bad" / "records.jsonl"
    file.write_bytes(file.read_bytes() + b"\n" + line)
    with pytest.raises(InvalidRecordError) as refused:
        load_sets([tmp_path / "bad"])
    assert refused.value.field == f"{file}:3 {field}"
    assert len(refused.value.got) < 200


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"id": "q2"}, "query"),
        (question("q2", "north", "x") | {"gold_ids": "1"}, "query"),
        (question("q2", "west", "x"), "conversation"),
        (question("q2", "north", "x", "9"), "gold_ids"),
        (question("q", "north", "x", "1"), "id"),
    ],
)
def test_a_bad_question_is_named_by_line(tmp_path: Path, line: dict[str, Any], field: str) -> None:
    write_set(tmp_path / "bad", [GOOD], [question("q", "north", "ferry?", "1"), line])
    with pytest.raises(InvalidInputError) as refused:
        load_sets([tmp_path / "bad"])
    assert refused.value.field == f"{tmp_path / 'bad' / 'queries.jsonl'}:2 {field}"


def test_what_is_no_set_is_refused(folder: Path, tmp_path: Path) -> None:
    for folders in ([], [tmp_path / "none"], [folder, folder / "teas"]):
        with pytest.raises(InvalidInputError):
            load_sets(folders)
    (tmp_path / "half" / "x").mkdir(parents=True)
    (tmp_path / "half" / "x" / "records.jsonl").write_text(json.dumps(GOOD))
    with pytest.raises(InvalidInputError, match=r"queries\.jsonl"):
        load_sets([tmp_path / "half"])


NAMES = st.sampled_from(["one", "two", "three"])
SPOKEN = st.lists(st.tuples(NAMES, st.sampled_from(["en", "zh"])), min_size=1, max_size=4)


@given(st.lists(SPOKEN, min_size=1, max_size=3), st.integers(0, 3))
def test_elsewhere_is_never_where_the_answer_is(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[list[tuple[str, str]]], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("sets")
    for number, spoken in enumerate(drawn):
        records = [record("1", name, "x") for name in dict.fromkeys(name for name, _ in spoken)]
        questions = [question(str(n), *pair[:1], "x", "1", lang=pair[1]) for n, pair in enumerate(spoken)]  # fmt: skip  # noqa: E501
        write_set(folder / str(number), records, questions)
    sets = load_sets([folder])
    places = Places(sets, seed)
    asked = {some.name: {q.language for q in some.questions} for some in sets}
    for some in sets:
        for posed in some.questions:
            found = places.of(some.name, posed)
            assert found == Places(sets, seed).of(some.name, posed)
            kinds = [place.kind for place in found]
            others = {name for name in some.conversations if name != posed.conversation}
            foreign = {
                name
                for other in sets
                if other.name != some.name and posed.language in asked[other.name]
                for name in other.conversations
                if name != posed.conversation
            }
            assert kinds == ["same-set"] * bool(others) + ["other-set"] * bool(foreign)
            for place in found:
                assert place.conversation.name in (others if place.kind == "same-set" else foreign)
                assert (place.set == some.name) == (place.kind == "same-set")


def test_the_seed_moves_the_places(tmp_path: Path) -> None:
    names = [f"c{n}" for n in range(20)]
    records = [record("1", name, "x") for name in names]
    write_set(tmp_path / "s", records, [question(n, n, "x", "1") for n in names])
    (some,) = load_sets([tmp_path / "s"])

    def chosen(seed: int) -> list[str]:
        places = Places([some], seed)
        return [places.of("s", q)[0].conversation.name for q in some.questions]

    assert chosen(0) == chosen(0) != chosen(1)
    assert len(set(chosen(0))) > 5
