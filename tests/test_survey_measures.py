"""Metrics, means, intervals and curves, each against the slowest way to compute it."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.evaluation.survey.curves import curve
from membound.evaluation.survey.groups import Asked, Group, groups_of, means, values_of
from membound.evaluation.survey.intervals import COMPARED, Resampling
from membound.evaluation.survey.outcomes import DEPTHS, METRICS, Foreign, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIMIT = 3
SCORES = st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, math.inf])
Ranking = tuple[list[tuple[str, float]], set[str], list[tuple[str, list[float]]]]


@st.composite
def rankings(draw: st.DrawFn) -> Ranking:
    """What was ranked with which score, what answers, and the scores found elsewhere."""
    ids = draw(st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), unique=True, max_size=26))
    gold = draw(st.sets(st.sampled_from("abcdefghxyz"), max_size=5))
    kinds = st.sampled_from(["same-set", "other-set"])
    foreign = draw(st.lists(st.tuples(kinds, st.lists(SCORES, max_size=3)), max_size=3))
    return [(id, draw(SCORES)) for id in ids], gold, foreign


def outcome(ranking: Ranking) -> Outcome:
    ranked, gold, foreign = ranking
    selected = tuple(id for id, _ in ranked[:LIMIT])
    return Outcome(
        gold=len(gold),
        ranks=tuple(n for n, (id, _) in enumerate(ranked, 1) if id in gold),
        scores=tuple(score for _, score in ranked),
        places=tuple(n for n, (id, _) in enumerate(ranked, 1) if id in gold),
        selected=selected,
        hits=len(gold & {*selected}),
        characters=100 * len(selected),
        elsewhere=tuple(
            Foreign(kind=kind, injected=bool(scores), best=max(scores, default=-math.inf))
            for kind, scores in foreign
        ),
    )


def discounted(gains: Sequence[bool]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def oracle(ranking: Ranking) -> dict[str, float | None]:
    """Every metric from the ranked ids themselves."""
    ranked, gold, foreign = ranking
    ids = [id for id, _ in ranked]
    selected = ids[:LIMIT]
    if not gold:
        return dict.fromkeys(METRICS) | {"unanswerableInjected": float(bool(selected))}

    def injected(*kinds: str) -> float | None:
        found = [float(bool(scores)) for kind, scores in foreign if kind in kinds]
        return fmean(found) if found else None

    told: dict[str, float | None] = {
        "recall": len(gold & {*selected}) / len(gold),
        "precision": len(gold & {*selected}) / len(selected) if selected else 0.0,
        "falseAbstention": float(not selected),
        "falseInjection": injected("same-set", "other-set"),
        "falseInjectionSameSet": injected("same-set"),
        "falseInjectionOtherSet": injected("other-set"),
        "allNeededAt8": float(gold <= {*ids[:8]}),
        "selectedCharacters": 100.0 * len(selected),
        "unanswerableInjected": None,
    }
    for depth in DEPTHS:
        first = ids[:depth]
        places = [place for place, id in enumerate(first, 1) if id in gold]
        told[f"recallAt{depth}"] = len(gold & {*first}) / len(gold)
        told[f"hitAt{depth}"] = float(bool(places))
        told[f"reciprocalRankAt{depth}"] = 1 / places[0] if places else 0.0
        best = discounted([True] * min(len(gold), depth))
        told[f"ndcgAt{depth}"] = discounted([id in gold for id in first]) / best
    return told


@given(rankings())
def test_metrics_are_what_the_ids_say(ranking: Ranking) -> None:
    measured = {name: measure(outcome(ranking)) for name, measure in METRICS.items()}
    assert measured == pytest.approx(oracle(ranking))
    shares = [v for k, v in measured.items() if k != "selectedCharacters" and v is not None]
    assert all(0 <= share <= 1 + 1e-12 for share in shares)


def test_by_hand() -> None:
    # b and z answer; b is second of three that were ranked, and all three were selected.
    found = outcome(([("a", 0.6), ("b", 0.5), ("c", 0.4)], {"b", "z"}, [("same-set", [0.2])]))
    assert METRICS["recall"](found) == 0.5
    assert METRICS["precision"](found) == pytest.approx(1 / 3)
    assert METRICS["reciprocalRankAt8"](found) == 0.5
    assert METRICS["recallAt1"](found) == METRICS["allNeededAt8"](found) == 0
    assert METRICS["ndcgAt5"](found) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert METRICS["falseInjection"](found) == 1


def asked(set: str, id: int, language: str = "en", category: str = "plain") -> Asked:
    return Asked(
        set=set,
        id=str(id),
        conversation="c",
        language=language,
        category=category,
        gold_ids=(),
        elsewhere=(),
    )


class TestGroups:
    def test_parts_are_sets(self) -> None:
        questions = [asked("a", 0), asked("a", 1, "zh"), asked("b", 0, "zh", "other")]
        found = {(some.kind, some.name): some.parts for some in groups_of(questions, {"G": ["b"]})}
        assert found == {
            ("all", "sets"): ((0, 1), (2,)),
            ("group", "G"): ((2,),),
            ("language", "en"): ((0,),),
            ("language", "zh"): ((1,), (2,)),
            ("set", "a"): ((0, 1),),
            ("set", "b"): ((2,),),
            ("category", "a: plain"): ((0, 1),),
            ("category", "b: other"): ((2,),),
        }

    def test_an_unknown_set_is_refused(self) -> None:
        with pytest.raises(InvalidInputError) as refused:
            groups_of([asked("a", 0)], {"G": ["z"]})
        assert refused.value.field == "groups"

    @given(st.lists(st.lists(rankings(), min_size=1, max_size=4), min_size=1, max_size=3))
    def test_means_are_over_questions_and_then_over_sets(self, sets: list[list[Ranking]]) -> None:
        group, flat = grouped(sets)
        told = means(group, values_of([outcome(some) for some in flat]))
        for name in METRICS:
            of_sets = []
            for some in sets:
                known = [v for ranking in some if (v := oracle(ranking)[name]) is not None]
                of_sets += [fmean(known)] if known else []
            expected = fmean(of_sets) if of_sets else None
            assert told[name] == (
                expected if expected is None else pytest.approx(expected, abs=1e-6)
            )


def grouped(sets: list[list[Ranking]]) -> tuple[Group, list[Ranking]]:
    flat = [ranking for some in sets for ranking in some]
    numbers = iter(range(len(flat)))
    parts = tuple(tuple(next(numbers) for _ in some) for some in sets)
    return Group(kind="all", name="all sets", parts=parts), flat


class TestCurve:
    @given(st.lists(st.lists(rankings(), min_size=1, max_size=5), min_size=1, max_size=3))
    def test_each_point_is_what_its_floor_selects(self, sets: list[list[Ranking]]) -> None:
        group, flat = grouped(sets)
        answerable = [[some for some in part if some[1]] for part in sets]

        def recall(floor: float) -> float:
            return macro(answerable, lambda some: share(some, floor))

        def injection(floor: float) -> float:
            abroad = [[some for some in part if some[2]] for part in answerable]
            return macro(abroad, lambda some: fmean(any(s >= floor for s in f) for _, f in some[2]))

        points = curve(group, [outcome(some) for some in flat], limit=LIMIT)
        assert bool(points) == any(some[2] for part in answerable for some in part)
        for point in points:
            floor = math.inf if point.floor is None else point.floor
            assert point.recall == pytest.approx(recall(floor), abs=1e-6)
            assert point.false_injection == pytest.approx(injection(floor), abs=1e-6)
        # Never less is injected at a lower floor, and the points go there.
        shares = [point.false_injection for point in points]
        assert shares == sorted(shares)


def share(ranking: Ranking, floor: float) -> float:
    ranked, gold, _ = ranking
    selected = [id for id, score in ranked if score >= floor][:LIMIT]
    return len(gold & {*selected}) / len(gold)


def macro(parts: list[list[Ranking]], measure: Callable[[Ranking], float]) -> float:
    return fmean(fmean(map(measure, part)) for part in parts if part)


class TestIntervals:
    @given(st.lists(st.tuples(rankings(), rankings()), min_size=1, max_size=12), st.integers(0, 9))
    def test_the_same_draws_on_every_run(
        self, pairs: list[tuple[Ranking, Ranking]], seed: int
    ) -> None:
        group = Group(kind="set", name="s", parts=(tuple(range(len(pairs))),))
        values, others = (values_of([outcome(pair[n]) for pair in pairs]) for n in (0, 1))

        def found() -> dict[str, object]:
            return {**Resampling(values, others, seed=seed, times=100).differences(group)}

        assert found() == found()
        for metric, told in (
            Resampling(values, others, seed=seed, times=100).differences(group).items()
        ):
            both = zip(values[metric], others[metric], strict=True)
            known = [a - b for a, b in both if a is not None and b is not None]
            if not known:
                assert told is None
                continue
            assert told is not None
            assert told.difference == pytest.approx(fmean(known), abs=1e-6)
            assert min(known) - 1e-6 <= told.low <= told.high <= max(known) + 1e-6

    def test_nothing_changed_is_nothing(self) -> None:
        group = Group(kind="set", name="s", parts=((0, 1),))
        values: dict[str, list[float | None]] = {name: [0.25, 1.0] for name in METRICS}
        for told in Resampling(values, values, seed=0, times=100).differences(group).values():
            assert told is not None
            assert (told.difference, told.low, told.high) == (0, 0, 0)

    def test_the_bounds_are_those_of_a_fair_coin(self) -> None:
        count = 100
        group = Group(kind="set", name="s", parts=(tuple(range(count)),))
        values: dict[str, list[float | None]] = dict.fromkeys(METRICS, [0.0, 1.0] * (count // 2))
        others: dict[str, list[float | None]] = dict.fromkeys(METRICS, [0.0] * count)
        told = Resampling(values, others, seed=1, times=2_000).differences(group)["recall"]
        assert told is not None
        # 1.96 standard deviations of a mean of 100 draws: 0.098.
        assert told.low == pytest.approx(0.402, abs=0.015)
        assert told.high == pytest.approx(0.598, abs=0.015)

    def test_sets_are_drawn_apart(self) -> None:
        sizes = range(20), range(20, 40)
        both = Group(kind="all", name="all", parts=tuple(map(tuple, sizes)))
        one = Group(kind="set", name="s", parts=(tuple(range(20)),))
        values: dict[str, list[float | None]] = dict.fromkeys(METRICS, [0.0, 1.0] * 20)
        others: dict[str, list[float | None]] = dict.fromkeys(METRICS, [0.0] * 40)
        resampling = Resampling(values, others, seed=0, times=1_000)
        wide, narrow = resampling.differences(one)["recall"], resampling.differences(both)["recall"]
        assert wide is not None
        assert narrow is not None
        # The mean of two independent sets varies less than one of them: by the root of two.
        ratio = (narrow.high - narrow.low) / (wide.high - wide.low)
        assert ratio == pytest.approx(math.sqrt(0.5), abs=0.12)

    def test_what_is_compared_is_measured(self) -> None:
        assert set(COMPARED) <= METRICS.keys()
