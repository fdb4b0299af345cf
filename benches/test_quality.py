"""What the oracle finds in an invented set, and the command that measures it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

import pytest
from tests.oracle.levels import FLOORS

from benches.quality.__main__ import main
from benches.quality.figures import answers, measure
from benches.quality.floors import TRIED, choose
from benches.quality.selection import lexical, select
from benches.quality.sets import load

if TYPE_CHECKING:
    from pathlib import Path

MEMORIES = {
    "harbour": [
        "Mara: the ferry to Lindesund leaves at seven",
        "Mara keeps the logbook in the blue cabinet",
        "Tomas repaired the radio on 3 March 2024",
        "the anchor chain was replaced, and the old chain sold",
    ],
    "garden": [
        "the tomatoes by the wall need water every morning",
        "Ines planted garlic on 2023-11-05",
        "compost goes behind the shed",
    ],
}
QUESTIONS = {
    "harbour": {"Where is the logbook?": [1], "When was the radio repaired?": [2]},
    "garden": {"When did Ines plant garlic?": [1], "Where does the compost go?": [2]},
}


def write(folder: Path, name: str, places: list[str], language: str = "en") -> None:
    """A set of the invented memories, the records of its conversations taking turns."""
    records = [
        {"id": f"{place}-{at}", "conversation": place, "text": text}
        for place in places
        for at, text in enumerate(MEMORIES[place])
    ]
    records.sort(key=lambda record: record["id"].partition("-")[2])
    queries = [
        {
            "id": f"{name}-{query}",
            "text": query,
            "gold_ids": [f"{place}-{at}" for at in gold],
            "conversation": place,
            "lang": language,
        }
        for place in places
        for query, gold in QUESTIONS[place].items()
    ]
    unanswerable = {**queries[0], "id": "unanswerable", "category": "adversarial"}
    for file, lines in ("records", records), ("queries", [*queries, unanswerable]):
        (folder / name).mkdir(exist_ok=True)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / name / f"{file}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "notes", ["harbour", "garden"])
    write(tmp_path, "garden_only", ["garden"])
    write(tmp_path, "elsewhere", ["harbour"], language="nb")
    return tmp_path


def test_records_of_another_workspace_change_nothing(folder: Path) -> None:
    sets = load(folder)
    for query in QUESTIONS["garden"]:
        alone = lexical(sets["garden_only"].workspace("garden"), query)
        assert alone
        assert lexical(sets["notes"].workspace("garden"), query) == alone


def test_figures_of_a_set(folder: Path) -> None:
    sets = load(folder)
    asked = answers(sets, sets["notes"])
    assert len(asked) == 4
    found = measure(asked)
    assert (found.recall, found.recall_at_8, found.false_abstention) == (1, 1, 0)
    assert all(len(one.same_set) == 1 for one in asked)
    assert [len(one.other_set) for one in asked] == [1, 1, 0, 0]
    (foreign,) = {len(one.other_set) for one in answers(sets, sets["elsewhere"])}
    assert foreign == 0
    assert isnan(measure(answers(sets, sets["elsewhere"])).false_injection)


def test_a_floor_is_the_lowest_within_its_target(folder: Path) -> None:
    write(folder, "locomo", ["harbour", "garden"])
    sets = load(folder)
    asked = answers(sets, sets["locomo"])
    assert choose({"locomo": asked}) == {**FLOORS, "other": TRIED[0]}
    raised = [replace(one, same_set=[0.477]) for one in asked]
    assert choose({"locomo": raised})["other"] == 0.48
    assert choose({"notes": raised}) == FLOORS


def test_the_command_prints_every_set_the_same_twice(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for _ in range(2):
        main([str(folder)])
        main([str(folder), "notes", "--bare", "--floors"])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    first = [line.split()[0] for line in printed[0].splitlines()]
    assert first[:5] == ["floors:", "set", "elsewhere", "garden_only", "notes"]


def test_the_command_takes_other_constants_and_tells_recall_at_levels(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(folder), "--levels"])
    _, *sets = capsys.readouterr().out.splitlines()
    assert [row.split() for row in sets] == [
        ["garden_only", "2", *["1.000"] * 4],
        ["notes", "4", *["1.000"] * 4],
    ]
    main([str(folder), "notes", "--with", "doubt=50"])
    assert capsys.readouterr().out.splitlines()[-1].split()[:3] == ["notes", "4", "0.000"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["nothing"], "no such set: nothing; there are: elsewhere, garden_only, notes"),
        (["--with", "hope=1"], "no such constant: hope"),
        (["--with", "doubt=much"], "no number: much"),
    ],
)
def test_the_command_says_what_it_does_not_know(
    folder: Path, capsys: pytest.CaptureFixture[str], asked: list[str], told: str
) -> None:
    with pytest.raises(SystemExit):
        main([str(folder), *asked])
    assert told in capsys.readouterr().err


def test_a_selection_keeps_both_budgets() -> None:
    assert select(dict.fromkeys(range(20), 0.5), lambda _: 1, 0.4) == list(range(8))
    long = {0: 5000, 1: 470, 2: 200, 3: 10}
    assert select(dict.fromkeys(long, 0.5), long.__getitem__, 0.4) == [0, 1]


def test_one_that_reaches_the_floor_lets_others_in_below_it() -> None:
    lexical = {0: 0.44, 1: 0.31, 2: 0.29, 3: 0.44}
    assert select(lexical, lambda _: 1, 0.40) == [0, 3, 1]
    assert select(lexical, lambda _: 1, 0.45) == []
