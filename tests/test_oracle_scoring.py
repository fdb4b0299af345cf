"""The oracle of `foundation-v2` by itself: its formula, its bound, its levels, what it asks for."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracle.asked import Asked, asked
from tests.oracle.levels import FLOORS, needed, script
from tests.oracle.scoring import CHOSEN, Workspace
from tests.oracle.tokens_v2 import search_tokens
from tests.oracle.words import STOP, trigrams, weak_characters


def workspace(*texts: str) -> Workspace:
    return Workspace([search_tokens(text)[0] for text in texts])


def lexical_in(seen: Workspace, query: str) -> dict[int, float]:
    return seen.lexical(seen.weigh(asked(query)))


def test_one_word_in_one_record_is_as_the_formula_says() -> None:
    rare = log(1 + (1 + 100 - 1 + 0.5) / (1 + 0.5))
    lexical = sqrt(rare / (rare + 2 * rare) / (1 + 0.25))
    found = lexical_in(workspace("walnut harbour"), "walnut")
    assert found == {0: pytest.approx(lexical, abs=1e-9)}


def test_parts_of_the_formula_are_as_it_says() -> None:
    seen = workspace("walnuts", "walnut", "的数据 据库", "unlike", "the")
    assert seen.matches("wwalnut") == {0: pytest.approx(2 * 4 / 9), 1: 1.0}
    assert seen.matches("wthe") == {4: 1.0}
    assert seen.matches("c数库") == {2: 0.3}
    assert seen.matches("c的库") == {2: 0.3}
    assert seen.matches("c的的") == {}
    idf = [log(1 + (5 + 100 - found + 0.5) / (found + 0.5)) for found in (2, 1, 0)]
    weighed = seen.weigh(asked("walnut, the 的数 のに"))
    strengths = [idf[0], 0.2 * idf[1], 0.6 * idf[1], 0.2 * idf[2]]
    assert weighed.weights == pytest.approx(strengths)


def test_a_sentence_counts_when_the_rest_of_the_query_is_about_something_else() -> None:
    seen = workspace("the radio was repaired", "water the garlic")
    chat = "Lovely weather, sunshine and swallows everywhere around Lindesund today! "
    alone = lexical_in(seen, "radio repaired")[0]
    with_chat = lexical_in(seen, f"{chat}radio repaired")[0]
    without_sentences = lexical_in(seen, f"{chat.replace('!', ',')}radio repaired")[0]
    assert without_sentences < with_chat < alone


def test_lexical_has_nine_decimals() -> None:
    (lexical,) = lexical_in(workspace("walnut harbour"), "walnut").values()
    assert f"{lexical:.15f}".endswith("000000")


# --------------------------------------------------------------------- what a query asks for


def test_a_query_loses_what_only_marks_a_question() -> None:
    assert asked("数据库在哪里？") == Asked(["c数据", "c据库", "c库在"])
    assert asked("為什麼") == Asked()
    assert asked("駅の") == Asked(["c駅"])
    assert asked("どこの駅") == Asked(["cの駅"])


def test_sentences_have_their_own_units() -> None:
    assert asked("radio? the radio! ?") == Asked(["wradio", "wthe"], [[0], [1, 0]])
    assert asked("v1.2 is out") == asked("v1.2 is out.")
    assert asked("a;b").sentences == []


@pytest.mark.parametrize(("count", "cut"), [(254, False), (255, False), (256, True)])
def test_reading_stops_with_the_sentence_that_goes_beyond_the_budget(count: int, cut: bool) -> None:
    words = " ".join(f"{chr(97 + at % 26)}{chr(97 + at // 26)}z" for at in range(count))
    alone = asked(words)
    assert (len(alone.units), alone.truncated) == (min(count, 255), cut)
    read = asked(f"{words}. radio aaz walnut. harbour baz")
    assert read.truncated
    assert ("wradio" in read.units) is (count < 255)
    assert not {"wwalnut", "wharbour"} & set(read.units)
    own = [*([254] if count < 255 else []), 0]
    assert read.sentences == ([] if cut else [list(range(count)), own])


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


def test_what_is_weak() -> None:
    assert {"the", "der", "что", "من", "là"} <= STOP
    assert [weak_characters(unit) for unit in ("c数据", "c的数", "c的了", "c的")] == [0, 1, 2, 2]
    assert [weak_characters(unit) for unit in ("c항구", "c구는", "cのに", "c港の")] == [0, 1, 2, 1]
    assert trigrams("abc") == trigrams("abc4d") == frozenset()
    assert trigrams("abcd") == {"abc", "bcd"}


# --------------------------------------------------------------------- levels and the bound


def test_what_others_need_is_of_the_best_or_of_the_floor() -> None:
    assert needed(0.44, 0.40) == pytest.approx(0.75 * 0.40)
    assert needed(0.9, 0.40) == pytest.approx(0.65 * 0.9)
    assert needed(0.39, 0.40) is None
    assert needed(0.40, 0.40) == pytest.approx(0.75 * 0.40)


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
    weighed = seen.weigh(asked(query))
    shortest = min(seen.lengths)
    for record, lexical in seen.lexical(weighed).items():
        reached = {at for at, found in enumerate(weighed.matches) if record in found}
        assert lexical <= weighed.bound(reached, seen.stretch(shortest)) + 1e-9


@GENERATED
@given(st.lists(TEXTS, min_size=1, max_size=12), TEXTS, st.sampled_from(sorted(FLOORS.values())))
def test_the_lightest_units_need_not_propose_anything(
    texts: list[str], query: str, floor: float
) -> None:
    seen = workspace(*texts)
    assume(any(seen.lengths))
    weighed = seen.weigh(asked(query))
    order = sorted(range(len(weighed.weights)), key=lambda at: (-weighed.weights[at], at))
    tails = [order[first:] for first in range(len(order) + 1)]
    shortest = seen.stretch(min(seen.lengths))
    least = CHOSEN.following * floor - 1e-9
    tail = next(one for one in tails if weighed.bound(one, shortest) < least)
    proposed = {record for at in order if at not in tail for record in weighed.matches[at]}
    enough = {
        record
        for record, found in seen.lexical(weighed).items()
        if found >= CHOSEN.following * floor
    }
    assert enough <= proposed


@GENERATED
@given(st.lists(TEXTS, min_size=1, max_size=8), TEXTS)
def test_lexical_is_below_one_and_the_same_twice(texts: list[str], query: str) -> None:
    once = lexical_in(workspace(*texts), query)
    assert all(0 < lexical < 1 for lexical in once.values())
    assert lexical_in(workspace(*texts), query) == once
