"""A policy's weights and floors: used, told, read, and refused where they make no sense."""

from __future__ import annotations

import json
import pickle
import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from membound import (
    MemoryPolicy,
    MemoryRecord,
    RankingFloors,
    RankingPolicy,
    RankingWeights,
    retrieve_records,
)
from membound._core import floor_of
from membound.errors import InvalidInputError
from tests.adapters import (
    answer_of,
    moment,
    options_of,
    records_of,
    store_of,
    warm_store_of,
    without_channels,
)
from tests.command import Command
from tests.conformance import whole
from tests.strategies import NOW, make_records, make_request
from tests.surveys import FERRIES, write_set

if TYPE_CHECKING:
    from pathlib import Path

    from membound import RetrievalResult
    from membound.request import RelevanceMode

TEXTS = {
    "ferry": "the ferry to the island leaves at nine",
    "harbour": "the harbour is closed while the ferry turns around and unloads its many cars",
    "nets": "nets are mended on a pier",
    "tea": "green tea steeps for two minutes",
}
RECORDS = [whole({"id": id, "content": text}) for id, text in TEXTS.items()]
QUERY = "when does the ferry to the island leave?"


def recall(ranking: RankingPolicy | None, mode: RelevanceMode = "foundation-v2") -> RetrievalResult:
    policy = MemoryPolicy(ranking=ranking)
    records = map(MemoryRecord.from_dict, RECORDS)
    return retrieve_records(records, QUERY, now=moment(NOW), policy=policy, relevance_mode=mode)


def floors(floor: float) -> RankingFloors:
    return RankingFloors(**dict.fromkeys(RankingFloors.__struct_fields__, floor))


OPEN = RankingPolicy(floors=floors(0), relative_floor=0, following_floor=0)


class TestUse:
    def test_the_defaults_are_the_mode_s_own(self) -> None:
        assert recall(RankingPolicy()) == recall(None)
        told = recall(None).trace
        assert told.weighing is not None
        assert msgspec.to_builtins(told.weights) == msgspec.to_builtins(RankingWeights())
        assert told.weighing.floor == RankingFloors().other == 0.395
        assert told.weighing.relative_floor == RankingPolicy().relative_floor == 0.65
        assert told.weighing.following_floor == RankingPolicy().following_floor == 0.75

    def test_the_trace_tells_what_was_used(self) -> None:
        weights = RankingWeights(lexical=0.7, freshness=0.14)
        ranking = RankingPolicy(weights=weights, floors=floors(0.2), relative_floor=0.5)
        trace = recall(ranking).trace
        assert msgspec.to_builtins(trace.weights) == msgspec.to_builtins(weights)
        assert trace.weighing is not None
        assert (trace.weighing.floor, trace.weighing.relative_floor) == (0.2, 0.5)
        assert trace.weighing.following_floor == RankingPolicy().following_floor
        for one in trace.rankings:
            values = msgspec.structs.astuple(one.features)
            weighed = zip(values, msgspec.structs.astuple(weights), strict=False)
            total = 0.0
            for value, weight in weighed:
                total += value * weight
            assert one.features.final_score == total

    def test_floors_decide_what_is_relevant(self) -> None:
        (best, *others) = recall(OPEN).trace.rankings
        lexical = best.features.lexical
        assert [one.memory_id for one in others] == ["harbour"]

        def admitted(floor: float, **levels: Any) -> list[str]:  # noqa: ANN401 — levels
            rankings = recall(RankingPolicy(floors=floors(floor), **levels)).trace.rankings
            return [one.memory_id for one in rankings]

        below = others[0].features.lexical
        assert admitted(lexical + 1e-9, relative_floor=0, following_floor=0) == []
        assert admitted(lexical, relative_floor=0, following_floor=0) == ["ferry", "harbour"]
        assert admitted(lexical, relative_floor=1, following_floor=0) == ["ferry"]
        assert admitted(lexical, relative_floor=0, following_floor=1) == ["ferry"]
        share = below / lexical
        assert admitted(0, relative_floor=share - 1e-6) == ["ferry", "harbour"]
        assert admitted(0, relative_floor=share + 1e-6) == ["ferry"]
        following = {"relative_floor": 0.0, "following_floor": 0.9}
        assert admitted(below / 0.9 - 1e-6, **following) == ["ferry", "harbour"]
        assert admitted(below / 0.9 + 1e-6, **following) == ["ferry"]

    def test_without_any_floor_a_word_is_needed_still(self) -> None:
        trace = recall(OPEN).trace
        assert all(one.features.lexical > 0 for one in trace.rankings)
        assert trace.filtered.irrelevant == 2

    @pytest.mark.parametrize(
        ("query", "name"),
        [
            ("배 언제 떠나?", "hangul"),
            ("フェリー", "kana"),
            ("渡轮", "han"),
            ("phà rời bến lúc mấy giờ ở đảo", "vietnamese"),
            ("ferry", "other"),
        ],
    )
    def test_each_writing_has_its_own(self, query: str, name: str) -> None:
        policy = MemoryPolicy(ranking=RankingPolicy(floors=RankingFloors(**{name: 0.123})))
        options: Any = {"now": moment(NOW), "policy": policy, "relevance_mode": "foundation-v2"}
        weighing = retrieve_records([], query, **options).trace.weighing
        assert weighing is not None
        assert weighing.floor == 0.123
        assert floor_of(query) == name

    @pytest.mark.parametrize("mode", ["foundation-v1", "historical-v1"])
    def test_other_modes_keep_theirs(self, mode: RelevanceMode) -> None:
        weights = RankingWeights(lexical=0.2, importance=0.63)
        changed = msgspec.structs.replace(OPEN, weights=weights)
        assert recall(changed, mode) == recall(None, mode)
        assert recall(changed, mode).trace.weights.lexical == 0.55


def random_ranking(chance: random.Random) -> RankingPolicy:
    levels = [0.0, 0.05, 0.2, 0.395, 0.5, 0.65, 0.9, 1.0]
    rest = [chance.choice([0.0, 0.05, 0.1, 0.18]) for _ in range(5)]
    names = RankingWeights.__struct_fields__
    return RankingPolicy(
        weights=RankingWeights(**dict(zip(names, [1 - sum(rest), *rest], strict=True))),
        floors=RankingFloors(
            **{name: chance.choice(levels) for name in RankingFloors.__struct_fields__}
        ),
        relative_floor=chance.choice(levels),
        following_floor=chance.choice(levels),
    )


@pytest.mark.parametrize("number", range(12))
def test_every_path_uses_them_alike(number: int, tmp_path: Path) -> None:
    chance = random.Random(f"ranking-{number}")
    records = make_records(chance, chance.choice([3, 20, 60, 120]))
    parsed = records_of(records)
    with (
        store_of(tmp_path, records, index=True, tokenizer="v2") as indexed,
        store_of(tmp_path, records, index=False, tokenizer="v2") as files,
        warm_store_of(tmp_path) as warm,
    ):
        for _ in range(20):
            request = make_request(chance, records)
            options = options_of(request)
            policy = options.get("policy", MemoryPolicy())
            options["policy"] = msgspec.structs.replace(policy, ranking=random_ranking(chance))
            options["relevance_mode"] = "foundation-v2"
            pure = retrieve_records(parsed, request["query"], **options)
            for store in (indexed, files, warm):
                found = store.retrieve(request["query"], **options)
                assert without_channels(answer_of(found)) == without_channels(answer_of(pure))
                assert found.trace.weighing == pure.trace.weighing


class TestValues:
    @pytest.mark.parametrize(
        ("kind", "given", "field"),
        [
            (RankingWeights, {"lexical": 0.9}, "ranking.weights"),
            (RankingWeights, {"lexical": 0.8 + 2e-9}, "ranking.weights"),
            (RankingWeights, {"lexical": 0, "freshness": 0.84}, "ranking.weights.lexical"),
            (RankingWeights, {"freshness": -0.1}, "ranking.weights.freshness"),
            (RankingFloors, {"han": 1.1}, "ranking.floors.han"),
            (RankingFloors, {"han": float("nan")}, "ranking.floors.han"),
            (RankingPolicy, {"relative_floor": 2}, "ranking.relative_floor"),
            (RankingPolicy, {"following_floor": "1"}, "ranking.following_floor"),
            (RankingPolicy, {"weights": {}}, "ranking.weights"),
            (RankingPolicy, {"floors": None}, "ranking.floors"),
            (MemoryPolicy, {"ranking": {}}, "ranking"),
        ],
    )
    def test_a_refusal_names_the_field(self, kind: Any, given: dict[str, Any], field: str) -> None:  # noqa: ANN401 — any class
        with pytest.raises(InvalidInputError) as refused:
            kind(**given)
        assert refused.value.field == field

    def test_bounds_and_rounding_are_accepted(self) -> None:
        RankingWeights(lexical=0.8 + 5e-10)
        only = dict.fromkeys(RankingWeights.__struct_fields__, 0.0) | {"lexical": 1}
        policy = MemoryPolicy(
            ranking=RankingPolicy(weights=RankingWeights(**only), floors=floors(1))
        )
        assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 — our own bytes
        assert MemoryPolicy.from_json(policy.to_json()) == policy

    def test_a_policy_comes_back_from_its_json(self) -> None:
        policy = MemoryPolicy(scopes=("project", "user"), max_injected_records=3, ranking=OPEN)
        assert MemoryPolicy.from_json(policy.to_json()) == policy
        assert MemoryPolicy.from_json(MemoryPolicy().to_json().decode()) == MemoryPolicy()
        one = MemoryPolicy.from_json('{"ranking": {"floors": {"han": 0.4}}}')
        assert one == MemoryPolicy(ranking=RankingPolicy(floors=RankingFloors(han=0.4)))

    @pytest.mark.parametrize(
        ("text", "field"),
        [
            ("", "policy"),
            ("[]", "policy"),
            ('{"enabled": true, "enabled": true}', "policy"),
            ('{"limit": 8}', "policy"),
            ('{"ranking": {"floor": 0.4}}', "policy"),
            ('{"ranking": {"floors": {"' + "x" * 9_000 + '": 0.4}}}', "policy"),
            ('{"maxInjectedRecords": "8"}', "policy"),
            ('{"maxInjectedRecords": 0}', "max_injected_records"),
            ('{"ranking": {"weights": {"lexical": 0.9}}}', "ranking.weights"),
            ('{"ranking": {"floors": {"han": 1e999}}}', "policy"),
            ("[" * 100_000, "policy"),
        ],
        ids=lambda value: value[:30],
    )
    def test_other_json_is_refused(self, text: str, field: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            MemoryPolicy.from_json(text)
        assert refused.value.field == field
        assert len(str(refused.value)) < 200


class TestCommand:
    @pytest.fixture
    def membound(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
        monkeypatch.chdir(tmp_path)
        command = Command(tmp_path / "store")
        command.ok("init", "--tokenizer", "v2")
        for text in TEXTS.values():
            command.remember(text, "--scope", "user")
        return command

    def test_recall_by_a_policy_s_file(self, membound: Command, tmp_path: Path) -> None:
        policy = MemoryPolicy(max_injected_records=1, ranking=OPEN)
        (tmp_path / "policy.json").write_bytes(policy.to_json())
        trace = membound.json("recall", QUERY, "--policy", "policy.json")["trace"]
        assert trace["weighing"]["floor"] == 0
        assert len(trace["rankings"]) == 2
        assert len(trace["selectedIds"]) == 1

    @pytest.mark.parametrize("text", ["{}]", '{"max": 1}', None])
    def test_refusals(self, membound: Command, tmp_path: Path, text: str | None) -> None:
        if text is not None:
            (tmp_path / "policy.json").write_text(text)
        result = membound("recall", QUERY, "--policy", "policy.json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "policy.json" in result.stderr

    def test_evaluate_tells_it(self, membound: Command, tmp_path: Path) -> None:
        write_set(tmp_path / "ferries", *FERRIES)
        policy = MemoryPolicy(ranking=RankingPolicy(floors=floors(0.9)))
        (tmp_path / "policy.json").write_bytes(policy.to_json())
        words = ("evaluate", "--data", "ferries", "--path", "records", "--resamples", "40")
        plain = membound.json(*words)
        told = membound.json(*words, "--policy", "policy.json")
        settings = told["variants"]["foundation-v2"]["settings"]
        assert settings["floors"] == msgspec.to_builtins(floors(0.9))
        assert settings["relativeFloor"] == 0.65
        assert settings["rankingWeights"]["lexical"] == 0.8
        assert settings["tokenizerVersion"] == "v2"
        assert json.loads(policy.to_json()) == told["settings"]["policy"]
        recalls = [
            some["variants"]["foundation-v2"]["scores"]["all"]["sets"]["recall"]
            for some in (plain, told)
        ]
        assert recalls == [1, 0]
        # The curve is of all floors, whatever the policy's own.
        curves = [some["variants"]["foundation-v2"]["curves"] for some in (plain, told)]
        assert curves[0] == curves[1]
        assert curves[0]["all"]["sets"][-1]["recall"] == 1
        assert "floors" not in told["variants"]["foundation-v1"]["settings"]
