"""Tuning: chosen on one half, tried on another one that had no part in it, written if it gains."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from membound import MemoryPolicy, RankingFloors, RankingPolicy, RankingWeights
from membound.errors import InvalidInputError
from membound.evaluation.survey import load_sets
from membound.evaluation.tuning import tune
from membound.evaluation.tuning.gathered import Gathered
from membound.evaluation.tuning.goal import PENALTY, Goal
from membound.evaluation.tuning.halves import halved
from membound.evaluation.tuning.search import search
from tests.command import Command
from tests.surveys import question, record, write_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from membound.evaluation.survey import DataSet
    from membound.evaluation.tuning import TuningReport
    from tests.surveys import Line

ROOMS = ("attic", "barn", "cellar", "den", "entry", "foyer")
THINGS = (
    "lamp", "chair", "mirror", "carpet", "ladder", "basket", "bottle", "candle",
    "drum", "engine", "flute", "globe",
)  # fmt: skip


def house() -> tuple[list[Line], list[Line]]:
    """Six conversations, each with its own things; every question has one answer, in its own."""
    records, questions = [], []
    for at, room in enumerate(ROOMS):
        for number, thing in enumerate(THINGS):
            word = f"{thing}{room}"
            text = f"the {word} was painted by {room}{number} in the spring"
            day = f"2024-0{1 + number % 9}-{1 + at:02}T09:00:00Z"
            records.append(record(f"{number}", room, text, timestamp=day))
            asked = f"who painted the {word} of {room}{number}?"
            questions.append(question(f"{room}-{number}", room, asked, f"{number}"))
    return records, questions


@pytest.fixture(name="load")
def loader(tmp_path: Path) -> Callable[..., tuple[DataSet, ...]]:
    def load(change: Callable[[Line], Line] = lambda line: line) -> tuple[DataSet, ...]:
        records, questions = house()
        write_set(tmp_path / "house", records, [change(line) for line in questions])
        return load_sets([tmp_path / "house"])

    return load


def floors(floor: float) -> RankingFloors:
    return RankingFloors(**dict.fromkeys(RankingFloors.__struct_fields__, floor))


HIGH = MemoryPolicy(max_injected_records=5, ranking=RankingPolicy(floors=floors(0.99)))


class TestTune:
    def test_a_gain_is_worth_it(self, load: Any) -> None:  # noqa: ANN401 — the fixture
        report = tune(load(), policy=HIGH, resamples=100)
        assert report.before == HIGH
        assert report.trial.before[0]["recall"] == 0
        assert report.trial.after[0]["recall"] == 1
        assert report.gain is not None
        assert (report.gain.difference, report.gain.low, report.gain.high) == (1, 1, 1)
        assert report.worthwhile
        ranking = report.policy.ranking
        assert ranking is not None
        assert ranking.floors.other < 0.66
        # Nothing was asked in other writings, and no record has another scope, type or importance.
        others = msgspec.structs.replace(ranking.floors, other=0.99)
        assert others == floors(0.99)
        for name in ("scope_affinity", "type_affinity", "importance", "confidence"):
            assert getattr(ranking.weights, name) == getattr(RankingWeights(), name)
        assert msgspec.structs.replace(report.policy, ranking=HIGH.ranking) == HIGH

    def test_no_gain_is_none(self, load: Any) -> None:  # noqa: ANN401 — the fixture
        tuned = tune(load(), policy=HIGH, resamples=100).policy
        report = tune(load(), policy=tuned, resamples=100)
        assert report.policy == report.before == tuned
        assert report.trial.before == report.trial.after
        assert report.gain is not None
        assert report.gain.low == 0
        assert not report.worthwhile

    def test_the_same_on_every_run(self, load: Any) -> None:  # noqa: ANN401 — the fixture
        seen: list[tuple[int, int]] = []
        one = tune(
            load(), policy=HIGH, seed=3, resamples=100, progress=lambda *told: seen.append(told)
        )
        assert tune(load(), policy=HIGH, seed=3, resamples=100).to_json() == one.to_json()
        assert seen[-1] == (len(seen), len(seen))

    def test_the_half_that_it_is_tried_on_has_no_part_in_the_choice(self, load: Any) -> None:  # noqa: ANN401 — the fixture
        def chosen(report: TuningReport) -> tuple[object, ...]:
            half = report.development
            return report.policy, report.search, half.before, half.after, half.gains

        _, tried_on = halved(load(), 0)
        asked = {one.id for some in tried_on for one in some.questions}

        def other(line: Line) -> Line:
            return {**line, "text": "zeppelin?", "gold_ids": ["0"]} if line["id"] in asked else line

        plain, changed = tune(load(), policy=HIGH), tune(load(other), policy=HIGH)
        assert chosen(plain) == chosen(changed)
        assert plain.trial != changed.trial
        assert changed.trial.after[0]["recall"] == 0
        assert not changed.worthwhile

    def test_what_the_search_takes_for_worth_is_what_is_measured(self, load: Any) -> None:  # noqa: ANN401 — the fixture
        report = tune(load(), policy=HIGH, injection=0, precision=1, resamples=100)
        assert report.search["incomplete"] == 0
        assert report.search["worth"] == report.development.after[0]["worth"]

    def test_the_report(self, load: Any) -> None:  # noqa: ANN401 — the fixture
        report = tune(load(), policy=HIGH, resamples=100)
        shape = json.loads(report.to_json())
        assert shape["settings"]["penalty"] == PENALTY
        assert shape["policy"] == json.loads(report.policy.to_json())
        halves = [shape[half]["sets"]["house"] for half in ("development", "trial")]
        assert [half["conversations"] for half in halves] == [3, 3]
        assert {half["questions"] for half in halves} == {36}
        assert shape["trial"]["scores"]["set"]["house"]["gain"]["low"] == 1
        table = report.as_table()
        assert "floors.other" in table
        assert table.endswith("gain +1.000 [+1.000 +1.000]: worth it")

    def test_a_small_set_does_not_count(self, load: Any, tmp_path: Path) -> None:  # noqa: ANN401 — the fixture
        load()
        records, questions = house()
        write_set(tmp_path / "shed", records[:24], questions[:4])
        report = tune(load_sets([tmp_path]), policy=HIGH, resamples=100)
        assert report.settings["leftOut"] == ["shed"]
        assert list(report.trial.sets) == list(report.development.sets) == ["house"]
        assert [group.name for group in report.trial.groups] == ["sets", "house"]

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"policy": {}}, "policy"),
            ({"injection": 2}, "injection"),
            ({"precision": -1}, "precision"),
            ({"seed": -1}, "seed"),
            ({"resamples": 1}, "resamples"),
            ({"progress": 1}, "progress"),
            ({"unanswerable": ["plain"]}, "sets"),
        ],
    )
    def test_refusals(self, load: Any, options: dict[str, Any], field: str) -> None:  # noqa: ANN401 — the fixture
        with pytest.raises(InvalidInputError) as refused:
            tune(load(), **options)
        assert refused.value.field == field

    def test_without_a_place_that_has_no_answer(self, tmp_path: Path) -> None:
        records, questions = house()
        one = [{**line, "conversation": "only", "id": str(n)} for n, line in enumerate(records)]
        asked = [
            {**line, "conversation": "only", "gold_ids": [str(n)]}
            for n, line in enumerate(questions)
        ]
        write_set(tmp_path / "one", one, asked)
        with pytest.raises(InvalidInputError, match="conversations in which a question has no"):
            tune(load_sets([tmp_path / "one"]))


class TestHalves:
    def test_no_conversation_is_in_both(self, load: Any, tmp_path: Path) -> None:  # noqa: ANN401 — the fixture
        records, questions = house()
        # Another set about some of the same conversations: they stay on their side.
        write_set(tmp_path / "again", records[: 4 * 12], questions[: 4 * 12])
        seen = set()
        for seed in range(8):
            halves = halved(load_sets([tmp_path / "again"]) + load(), seed)
            names = [{name for some in half for name in some.conversations} for half in halves]
            seen.add(frozenset(names[0]))
            assert not names[0] & names[1]
            assert names[0] | names[1] == set(ROOMS)
            for half in halves:
                for some in half:
                    assert {one.conversation for one in some.questions} <= set(some.conversations)
                    assert some.questions
        assert len(seen) > 1

    def test_few_conversations_are_parted_by_question(self, tmp_path: Path) -> None:
        records, questions = house()
        write_set(tmp_path / "two", records[:24], questions[:24])
        halves = halved(load_sets([tmp_path / "two"]), 0)
        ids = [{one.id for some in half for one in some.questions} for half in halves]
        assert not ids[0] & ids[1]
        assert len(ids[0] | ids[1]) == 24
        assert min(map(len, ids)) >= 6
        assert all(len(half[0].conversations) == 2 for half in halves)
        # A question's side is its own, whatever else is asked.
        write_set(tmp_path / "two", records[:24], questions[:12])
        fewer = halved(load_sets([tmp_path / "two"]), 0)
        assert {one.id for one in fewer[0][0].questions} <= ids[0]


def gathered(*rows: tuple[float, float, bool], foreign: float = 0.0) -> Gathered:
    """A question by the lexical and the freshness of its records, and whether they answer."""
    return Gathered(
        set="s",
        floor="other",
        gold=sum(gold for _, _, gold in rows),
        best=max(lexical for lexical, _, _ in rows),
        rows=tuple(((lexical, 1.0, 0.0, fresh, 0.5, 1.0), gold) for lexical, fresh, gold in rows),
        foreign=(foreign,),
        complete=True,
    )


class TestSearch:
    def test_the_floor_lies_between_what_answers_and_what_is_injected(self) -> None:
        questions = [gathered((0.36, 1.0, True), foreign=0.345)] * 4
        found = search(RankingPolicy(), questions, Goal(injection=0.0), 8)
        assert 0.345 < found.ranking.floors.other <= 0.36
        assert found.worth == 1
        # Of the three such floors it is the one in the middle.
        assert found.ranking.floors.other == 0.355
        assert found.ranking.relative_floor == RankingPolicy().relative_floor

    def test_injection_up_to_the_target_costs_nothing(self) -> None:
        questions = [gathered((0.36, 1.0, True), foreign=0.5)]
        questions += [gathered((0.5, 1.0, True))]
        assert search(RankingPolicy(), questions, Goal(injection=0.5), 8).worth == 1
        strict = search(RankingPolicy(), questions[:1], Goal(injection=0.0), 8)
        assert strict.ranking.floors.other > 0.5
        assert strict.worth == 0

    def test_a_weight_takes_from_that_of_words(self) -> None:
        questions = [gathered((0.5, 0.0, True), (0.49, 1.0, False))] * 3
        found = search(RankingPolicy(), questions, Goal(injection=0.0), 1)
        weights = found.ranking.weights
        assert weights.freshness < RankingWeights().freshness
        assert sum(msgspec.structs.astuple(weights)) == pytest.approx(1, abs=1e-9)
        assert found.worth == 1

    def test_levels_let_followers_in(self) -> None:
        questions = [gathered((0.6, 1.0, False), (0.35, 1.0, True))] * 3
        found = search(RankingPolicy(), questions, Goal(injection=0.0), 8)
        assert found.worth == 1
        assert found.ranking.relative_floor in {0.5, 0.55}

    def test_precision_that_is_asked_for_keeps_them_out(self) -> None:
        questions = [gathered((0.6, 1.0, True), (0.35, 1.0, False), (0.35, 1.0, True))] * 3
        free = search(RankingPolicy(), questions, Goal(injection=0.0), 8)
        assert free.ranking.relative_floor < 0.65
        asked = search(RankingPolicy(), questions, Goal(injection=0.0, precision=1.0), 8)
        assert asked.ranking.relative_floor == 0.65
        assert (free.worth, asked.worth) == (1, 0.5)

    def test_no_record_without_a_word_is_counted(self) -> None:
        start = RankingPolicy(floors=floors(0), relative_floor=0, following_floor=0)
        questions = [gathered((0.0, 1.0, True), foreign=0.0)] * 3
        assert search(start, questions, Goal(injection=0.0), 8).worth == 0


class TestCommand:
    @pytest.fixture
    def membound(self, load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:  # noqa: ANN401 — the fixture
        load()
        monkeypatch.chdir(tmp_path)
        (tmp_path / "high.json").write_bytes(HIGH.to_json())
        return Command(tmp_path / "store")

    def test_a_gain_is_written_and_can_be_recalled_by(
        self, membound: Command, tmp_path: Path
    ) -> None:
        words = ("tune", "--data", "house", "--policy", "high.json", "--output", "high.json")
        report = membound.json(*words)
        policy = MemoryPolicy.from_json((tmp_path / "high.json").read_bytes())
        assert json.loads(policy.to_json()) == report["policy"]
        assert policy.max_injected_records == 5
        membound.ok("init", "--tokenizer", "v2")
        membound.remember("the lamp is blue", "--scope", "user")
        told = membound.json("recall", "is the lamp blue", "--policy", "high.json")
        assert told["trace"]["weighing"]["floor"] == report["policy"]["ranking"]["floors"]["other"]
        assert len(told["records"]) == 1

    def test_without_a_gain_nothing_is_written(self, membound: Command, tmp_path: Path) -> None:
        words = ("tune", "--data", "house", "--policy")
        membound.ok(*words, "high.json", "--output", "tuned.json")
        (tmp_path / "mine.json").write_text("what was there")
        for name in ("mine.json", "new.json"):
            result = membound(*words, "tuned.json", "--output", name)
            assert result.exit_code == 1
            assert "is not written" in result.stderr
        assert (tmp_path / "mine.json").read_text() == "what was there"
        assert not (tmp_path / "new.json").exists()
        assert membound(*words, "tuned.json").exit_code == 0

    @pytest.mark.parametrize(
        "words", [("--policy", "none.json"), ("--injection", "2"), ("--resamples", "1")]
    )
    def test_refusals(self, membound: Command, words: tuple[str, ...]) -> None:
        result = membound("tune", "--data", "house", *words)
        assert (result.exit_code, result.stdout) == (2, "")
