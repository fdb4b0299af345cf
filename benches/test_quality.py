"""The scoring of the coming mode: its formula, its bound, its tokenizer, and an invented set."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan, log, sqrt
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benches.quality.__main__ import main
from benches.quality.figures import answers, measure
from benches.quality.floors import TRIED, choose
from benches.quality.scoring import CHOSEN, FLOORS, Workspace, least, select
from benches.quality.sets import load
from benches.quality.units import query_units, record_units, script, units

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


def workspace(*texts: str) -> Workspace:
    return Workspace([record_units(text) for text in texts])


# ------------------------------------------------------------------------------ the formula


def test_one_word_in_one_record_is_as_the_formula_says() -> None:
    rare = log(1 + (1 + 100 - 1 + 0.5) / (1 + 0.5))
    lexical = sqrt(rare / (rare + 2 * rare) / (1 + 0.25))
    assert workspace("walnut harbour").lexical("walnut") == {0: pytest.approx(lexical)}


def test_parts_of_the_formula_are_as_it_says() -> None:
    seen = workspace("walnuts", "walnut", "的数据 据库", "unlike", "the")
    assert seen.matches("wwalnut") == {0: pytest.approx(2 * 4 / 9), 1: 1.0}
    assert seen.matches("wthe") == {4: 1.0}
    assert seen.matches("c数库") == {2: 0.3}
    assert seen.matches("c的库") == {2: 0.3}
    assert seen.matches("c的的") == {}
    idf = [log(1 + (5 + 100 - found + 0.5) / (found + 0.5)) for found in (2, 1)]
    weighed = seen.weigh("walnut, the 的数 のに")
    assert weighed.weights == pytest.approx(
        [
            idf[0],
            0.2 * idf[1],
            0.6 * idf[1],
            0.2 * log(1 + 105.5 / 0.5),
        ]
    )


def test_a_sentence_counts_when_the_rest_of_the_query_is_about_something_else() -> None:
    seen = workspace("the radio was repaired", "water the garlic")
    chat = "Lovely weather, sunshine and swallows everywhere around Lindesund today! "
    alone = seen.lexical("radio repaired")[0]
    with_chat = seen.lexical(f"{chat}radio repaired")[0]
    without_sentences = seen.lexical(f"{chat.replace('!', ',')}radio repaired")[0]
    assert without_sentences < with_chat < alone


def test_a_query_of_stop_words_alone_finds_nothing_where_they_are_common() -> None:
    seen = workspace(*(f"what is the walnut{at} that is in the harbour" for at in range(30)))
    for query in ("what is in the", "what is it? is it that?", "的", "who is in the"):
        assert select(seen.lexical(query), len_of_one, FLOORS[script(query)]) == []


def test_several_stop_words_that_are_rare_in_a_store_are_enough() -> None:
    seen = workspace("what is it that you have", "the wall", "the radio")
    assert select(seen.lexical("what is it that you have"), len_of_one, FLOORS["other"]) == [0]


def len_of_one(_: int) -> int:
    return 1


def test_one_that_reaches_the_floor_lets_others_in_below_it() -> None:
    lexical = {0: 0.44, 1: 0.31, 2: 0.29, 3: 0.4399999999999}
    assert least(0.44, 0.40) == pytest.approx(CHOSEN.following * 0.40)
    assert select(lexical, len_of_one, 0.40) == [0, 3, 1]
    assert select(lexical, len_of_one, 0.45) == []
    assert least(0.9, 0.40) == pytest.approx(0.65 * 0.9)
    assert least(0.40, 0.40) <= 0.40


def test_a_selection_keeps_both_budgets() -> None:
    lexical = dict.fromkeys(range(20), 0.5)
    assert select(lexical, len_of_one, 0.4) == list(range(8))
    long = {0: 5000, 1: 470, 2: 200, 3: 10}
    assert select(dict.fromkeys(long, 0.5), long.__getitem__, 0.4) == [0, 1]


# ------------------------------------------------------------------------------ the bound

WORDS = (
    *("walnut", "walnuts", "harbour", "harbours", "harbourmaster", "the", "is", "radio", "x2"),
    *("数据库", "数库", "的数", "データ", "항구는", "3 May 2024", "httpResponse", "a.b", "."),
)
GENERATED = settings(deadline=None, derandomize=True, max_examples=300)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


@GENERATED
@given(st.lists(TEXTS, min_size=1, max_size=12), TEXTS)
def test_a_record_is_never_above_the_bound_of_the_units_that_reach_it(
    texts: list[str], query: str
) -> None:
    seen = workspace(*texts)
    weighed = seen.weigh(query)
    shortest = min(seen.lengths)
    for record, lexical in seen.lexical(query).items():
        reached = {at for at, found in enumerate(weighed.matches) if record in found}
        assert lexical <= weighed.bound(reached, seen.stretch(shortest)) + 1e-12


@GENERATED
@given(st.lists(TEXTS, min_size=1, max_size=12), TEXTS, st.sampled_from(sorted(FLOORS.values())))
def test_the_lightest_units_need_not_propose_anything(
    texts: list[str], query: str, floor: float
) -> None:
    seen = workspace(*texts)
    assume(any(seen.lengths))
    weighed = seen.weigh(query)
    order = sorted(range(len(weighed.weights)), key=lambda at: (-weighed.weights[at], at))
    tails = [order[first:] for first in range(len(order) + 1)]
    shortest = seen.stretch(min(seen.lengths))
    needed = CHOSEN.following * floor
    tail = next(one for one in tails if weighed.bound(one, shortest) < needed)
    proposed = {record for at in order if at not in tail for record in weighed.matches[at]}
    enough = {record for record, found in seen.lexical(query).items() if found >= needed}
    assert enough <= proposed


@GENERATED
@given(st.lists(TEXTS, min_size=1, max_size=8), TEXTS)
def test_lexical_is_below_one_and_the_same_twice(texts: list[str], query: str) -> None:
    once = workspace(*texts).lexical(query)
    assert all(0 < lexical < 1 for lexical in once.values())
    assert workspace(*texts).lexical(query) == once


# ------------------------------------------------------------------------------ the tokenizer


@pytest.mark.parametrize(
    "date",
    [
        *("2023-05-08", "2023/5/8", "2023.05.08", "May 8, 2023", "8 May 2023", "may 8th 2023"),
        *("8th of May, 2023", "2023年5月8日", "２０２３年５月８号", "2023년 5월 8일", "8 MAY 2023"),
    ],
)
def test_a_date_in_any_form_gives_the_same_units(date: str) -> None:
    assert units(f"on {date}") == ["won", "w2023", "m5", "d5-8"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Port 数据库 HTTPResponse", "wport c数据 c据库 whttpresponse whttp wresponse"),
        ("user_id v2", "wuser_id wuser wid wv2 wv w2"),
        ("C++ a.b/c", "wc++ wc wa.b/c wa wb wc"),
        ("İstanbul हिन्दी it's", "wistanbul wहिन्दी wit ws"),
        ("ﾃﾞｰﾀ 𠀀𠀁 茶", "cデー cータ c𠀀𠀁 c茶"),
        ("ที่นี่", "cที่นี่"),
        ("5월 8일 July 2023年5月", "m5 d5-8 m7 w2023 m5"),
        ("2023-13-08 may march", "w2023-13-08 w2023 w13 w08 wmay wmarch"),
    ],
)
def test_a_text_gives_its_units_in_order(text: str, expected: str) -> None:
    assert units(text) == expected.split()


def test_a_query_loses_what_only_marks_a_question() -> None:
    assert query_units("数据库在哪里？") == (["c数据", "c据库", "c库在"], [])
    assert query_units("為什麼") == ([], [])
    assert query_units("radio? the radio! ?") == (["wradio", "wthe"], [[0], [1, 0]])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("radio", "other"),
        ("radio 数据", "han"),
        ("データ数据", "kana"),
        ("ﾃﾞｰﾀ", "kana"),
        ("항구 数据", "hangul"),
        ("con gà ở đâu", "vietnamese"),
        ("naïve façade à côté", "other"),
    ],
)
def test_a_script_is_the_first_that_a_query_has(query: str, expected: str) -> None:
    assert script(query) == expected


# ------------------------------------------------------------------------------ an invented set


def test_records_of_another_workspace_change_nothing(folder: Path) -> None:
    sets = load(folder)
    for query in QUESTIONS["garden"]:
        alone = sets["garden_only"].workspace("garden").lexical(query)
        assert alone
        assert sets["notes"].workspace("garden").lexical(query) == alone


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
