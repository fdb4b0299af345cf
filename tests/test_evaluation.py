from __future__ import annotations

import json
import math
from collections import Counter
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import membound
from membound import _core
from membound.errors import IndexUnavailableError, InvalidInputError, InvalidRecordError
from membound.evaluation import (
    EvaluationCase,
    EvaluationReport,
    evaluate,
    load_cases,
    load_records,
    score_evaluation,
    unconditional_injection,
)
from membound.index_file import IndexFile
from tests.conformance import lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance import Row

FIXTURES = Path(__file__).parent.parent / "fixtures" / "evaluation"
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
LANGUAGES = {"en", "zh", "ja", "ko", "mixed"}
CATEGORIES = {
    "direct",
    "stale-vs-confident",
    "replacement",
    "inactive",
    "cross-workspace",
    "identity",
    "preference",
    "injection",
    "abstention",
    "synonym",
    "mixed",
}
ABSTENTION_FLOOR = 0.9

IDS = st.lists(st.sampled_from("abcdefghijklmnop"), max_size=12)
DISTINCT_IDS = st.lists(st.sampled_from("abcdefghijklmnop"), max_size=12, unique=True)


@pytest.fixture(scope="module")
def records() -> tuple[membound.MemoryRecord, ...]:
    return load_records(FIXTURES / "records.jsonl")


@pytest.fixture(scope="module")
def cases() -> tuple[EvaluationCase, ...]:
    return load_cases(FIXTURES / "cases.jsonl")


@pytest.fixture(scope="module")
def report(
    records: tuple[membound.MemoryRecord, ...], cases: tuple[EvaluationCase, ...]
) -> EvaluationReport:
    return evaluate(records, cases, now=NOW)


def case(**fields: Any) -> EvaluationCase:  # noqa: ANN401 — any field's value
    return EvaluationCase(**{"id": "c", "query": "q", "expected_ids": (), **fields})


class TestScorer:
    @pytest.mark.parametrize("row", lines("evaluation"))
    def test_conformance(self, row: Row) -> None:
        contents = {record["id"]: record for record in row["records"]}
        results = [[contents[chosen] for chosen in result] for result in row["results"]]
        score = score_evaluation(row["cases"], results).to_dict()
        for name, value in row["metrics"].items():
            if name != "latencyMs":
                expected = None if value == "NaN" else value
                assert score[name] == expected, name

    def test_ndcg_by_hand(self) -> None:
        # Gains at ranks 1 and 4, three expected: (1 + 1/log2 5) / (1 + 1/log2 3 + 1/2)
        score = score_evaluation([case(expected_ids=("a", "b", "z"))], [["a", "x", "y", "b"]])
        assert score.ndcg_at_10 == 0.671
        assert score.recall_at_k == 0.667
        assert score.precision_at_k == 0.5
        assert score.mean_reciprocal_rank == 1

    def test_ndcg_looks_at_the_first_ten(self) -> None:
        score = score_evaluation([case(expected_ids=("z",))], [[*"abcdefghij", "z"]])
        assert score.ndcg_at_10 == 0
        assert score.recall_at_k == 1

    def test_half_a_thousandth_rounds_up(self) -> None:
        asked = [case(expected_ids=("a",))] * 16
        assert score_evaluation(asked, [["a"], *[[]] * 15]).recall_at_k == 0.063

    def test_no_case_has_no_mean(self) -> None:
        score = score_evaluation([], [])
        assert math.isnan(score.recall_at_k)
        assert math.isnan(score.ndcg_at_10)
        assert score.abstention_accuracy is None
        assert score.to_dict()["recallAtK"] is None
        assert score.to_dict()["ndcgAt10"] is None
        assert score.query_count == 0

    def test_abstention_counts_only_the_silent_cases(self) -> None:
        asked = [case(), case(), case(expected_ids=("a",))]
        score = score_evaluation(asked, [[], ["x"], []])
        assert score.abstention_accuracy == 0.5
        assert score.recall_at_k == 0.667

    def test_a_known_miss_counts_while_it_is_missed(self) -> None:
        asked = [case(expected_ids=("a",), expected_miss=True)] * 2
        assert score_evaluation(asked, [["a"], ["b"]]).known_misses == 1

    def test_every_form_of_result(self, records: tuple[membound.MemoryRecord, ...]) -> None:
        record = records[0]
        asked = [case(expected_ids=(record.id,))]
        found = membound.retrieve_records([record], record.content, now=NOW)
        with_content = (found, [record], ({"id": record.id, "content": record.content},))
        scores = {score_evaluation(asked, [form]) for form in with_content}
        assert len(scores) == 1
        assert scores.pop().selected_characters == len(record.content)
        assert score_evaluation(asked, [[record.id]]).selected_characters == 0

    @pytest.mark.parametrize(
        ("asked", "results", "field"),
        [
            ([case()], [], "results"),
            ([case()], ["text"], "results.0"),
            ([case()], [None], "results.0"),
            ([case()], [["a", 1]], "results.0.1"),
            ([case()], [[{"id": "a"}]], "results.0.0"),
            ([{"id": "c", "query": "q"}], [[]], "cases.0"),
        ],
    )
    def test_refusals(self, asked: list[Any], results: list[Any], field: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            score_evaluation(asked, results)
        assert refused.value.field == field

    @given(st.lists(st.tuples(DISTINCT_IDS, IDS, DISTINCT_IDS), min_size=1, max_size=8), st.data())
    def test_bounds_and_order(
        self, rows: list[tuple[list[str], list[str], list[str]]], data: st.DataObject
    ) -> None:
        def score(some: list[tuple[list[str], list[str], list[str]]]) -> dict[str, Any]:
            asked = [case(expected_ids=tuple(e), forbidden_ids=tuple(f)) for e, f, _ in some]
            return score_evaluation(asked, [selected for _, _, selected in some]).to_dict()

        found = score(rows)
        for name in ("recallAtK", "precisionAtK", "meanReciprocalRank", "ndcgAt10"):
            assert 0 <= found[name] <= 1
        shuffled = score(data.draw(st.permutations(rows)))
        assert shuffled == pytest.approx(found, abs=0.0011)  # a sum in another order may tip over

    @given(st.lists(DISTINCT_IDS, min_size=1, max_size=8))
    def test_a_perfect_result_scores_one(self, wanted: list[list[str]]) -> None:
        score = score_evaluation([case(expected_ids=tuple(ids)) for ids in wanted], wanted)
        assert score.recall_at_k == score.precision_at_k == 1
        assert score.mean_reciprocal_rank == score.ndcg_at_10 == 1
        assert score.abstention_accuracy in (1, None)
        assert score.scope_leaks == 0


def deep(field: str) -> bytes:
    """A case with more nesting in a field than any parser follows."""
    nested = b"[" * 200_000 + b"]" * 200_000
    return b'{"id": "b", "query": "q", "%b": %b, "expectedIds": []}' % (field.encode(), nested)


class TestFiles:
    def test_a_case_reads_back(self, cases: tuple[EvaluationCase, ...]) -> None:
        for some in cases:
            assert EvaluationCase.from_dict(json.loads(json.dumps(some.to_dict()))) == some

    @pytest.mark.parametrize(
        ("second", "field"),
        [
            (b'{"id": "b"}', "case"),
            (b"{", "case"),
            (b'{"id": "b", "query": "\xff", "expectedIds": []}', "case"),
            (b'{"id": "b", "query": "q", "expectedIds": [], "limit": -1}', "case"),
            (b'{"id": "a", "query": "q", "expectedIds": []}', "id"),
            pytest.param(deep("x"), "case", id="deep in a field that is not ours"),
            pytest.param(deep("expectedIds"), "case", id="deep in a field of ours"),
        ],
    )
    def test_a_bad_case_is_named_by_line(self, tmp_path: Path, second: bytes, field: str) -> None:
        path = tmp_path / "cases.jsonl"
        path.write_bytes(b'{"id": "a", "query": "q", "expectedIds": []}\n\n' + second + b"\n")
        with pytest.raises(InvalidInputError) as refused:
            load_cases(path)
        assert refused.value.field == f"{path}:3 {field}"

    def test_a_bad_record_is_named_by_line(self, tmp_path: Path) -> None:
        path = tmp_path / "records.jsonl"
        good = (FIXTURES / "records.jsonl").read_bytes().split(b"\n")[0]
        path.write_bytes(good + b"\n" + good.replace(b'"user"', b'"planet"', 1))
        with pytest.raises(InvalidRecordError) as refused:
            load_records(path)
        assert refused.value.field == f"{path}:2 scope"

    def test_no_value_is_shown_at_length(self, tmp_path: Path) -> None:
        path = tmp_path / "cases.jsonl"
        line = json.dumps({"id": "secret" * 1_000, "query": "q", "expectedIds": []})
        path.write_text(f"{line}\n{line}\n")
        named = type("Secret" * 1_000, (), {})
        bad: list[dict[str, Any]] = [{"id": named()}, {"limit": "secret" * 1_000}]
        reads: list[Callable[[], object]] = [
            partial(load_cases, path),
            *(partial(EvaluationCase.from_dict, {**case().to_dict(), **fields}) for fields in bad),
        ]
        for read in reads:
            with pytest.raises(InvalidInputError) as refused:
                read()
            assert len(refused.value.got) < 120

    def test_a_missing_file_is_a_typed_error(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match=r"sets/none\.jsonl"):
            load_cases(tmp_path / "sets" / "none.jsonl")

    def test_a_deep_record_is_named_by_line(self, tmp_path: Path) -> None:
        path = tmp_path / "records.jsonl"
        path.write_bytes(b"\n" + deep("x"))
        with pytest.raises(InvalidRecordError, match="too deep") as refused:
            load_records(path)
        assert refused.value.field == f"{path}:2 record"


class TestFixtures:
    def test_size_and_spread(
        self, records: tuple[membound.MemoryRecord, ...], cases: tuple[EvaluationCase, ...]
    ) -> None:
        assert len(records) >= 150
        assert len(cases) >= 140
        languages = Counter(some.language for some in cases)
        categories = Counter(some.category for some in cases)
        assert languages.keys() == LANGUAGES
        assert categories.keys() == CATEGORIES
        assert min(languages.values()) >= 20
        assert min(categories.values()) >= 8

    def test_every_id_names_a_record(
        self, records: tuple[membound.MemoryRecord, ...], cases: tuple[EvaluationCase, ...]
    ) -> None:
        known = {record.id for record in records}
        for some in cases:
            assert {*some.expected_ids, *some.forbidden_ids} <= known, some.id
            assert not {*some.expected_ids} & {*some.forbidden_ids}, some.id

    def test_no_question_twice(self, cases: tuple[EvaluationCase, ...]) -> None:
        assert len({(some.query, some.workspace) for some in cases}) == len(cases)

    def test_what_each_category_promises(
        self, records: tuple[membound.MemoryRecord, ...], cases: tuple[EvaluationCase, ...]
    ) -> None:
        replaced = {record.supersedes for record in records if record.supersedes}
        for some in cases:
            if some.category == "replacement":
                assert replaced & {*some.forbidden_ids}, some.id
            if some.category in ("inactive", "cross-workspace"):
                assert some.forbidden_ids, some.id
            if some.category == "abstention":
                assert not some.expected_ids, some.id
            if some.category == "synonym":
                assert some.expected_miss, some.id
            if some.expected_miss:
                assert some.expected_ids, some.id
                assert some.note, some.id


class TestEvaluate:
    def test_the_paths_agree(self, report: EvaluationReport) -> None:
        assert report.differing_case_ids == ()
        assert report.paths_agree
        assert report.indexed.modes == ("sqlite-fts5",)
        assert report.filesystem.modes == ("filesystem-fallback",)
        assert report.indexed.score == report.filesystem.score

    def test_files_are_not_compared_with_themselves(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(_file: IndexFile) -> _core.Index:
            reason = "no space"
            raise IndexUnavailableError(reason)

        monkeypatch.setattr(IndexFile, "open", fail)
        with pytest.raises(IndexUnavailableError, match="cannot be made here"):
            evaluate([], [], now=NOW)

    def test_nothing_forbidden_is_selected(self, report: EvaluationReport) -> None:
        assert report.indexed.score.scope_leaks == 0
        assert report.filesystem.score.scope_leaks == 0
        assert report.baseline.score.scope_leaks == 0

    def test_every_block_is_one_fence(self, report: EvaluationReport) -> None:
        assert report.broken_fence_case_ids == ()

    def test_recall_is_silent_where_nothing_fits(self, report: EvaluationReport) -> None:
        score = report.indexed.score
        assert score.abstention_accuracy is not None
        assert score.abstention_accuracy >= ABSTENTION_FLOOR
        assert report.baseline.score.abstention_accuracy == 0

    def test_synonyms_are_the_known_misses(
        self, report: EvaluationReport, cases: tuple[EvaluationCase, ...]
    ) -> None:
        known = {some.id for some in cases if some.expected_miss}
        missed = {miss.case_id for miss in report.misses if miss.expected_miss}
        assert missed == known
        assert report.indexed.score.known_misses == len(known)
        assert report.indexed.by_category["synonym"].recall_at_k == 0

    def test_the_fresh_record_comes_first(self, report: EvaluationReport) -> None:
        assert report.indexed.by_category["stale-vs-confident"].mean_reciprocal_rank == 1

    def test_recall_beats_the_baseline(self, report: EvaluationReport) -> None:
        recall, baseline = report.indexed.score, report.baseline.score
        assert recall.recall_at_k > baseline.recall_at_k
        assert recall.precision_at_k > baseline.precision_at_k
        assert recall.selected_characters < baseline.selected_characters

    def test_the_report_is_strict_json(self, report: EvaluationReport) -> None:
        read = json.loads(report.to_json())
        assert read["pathsAgree"] is True
        assert read["caseCount"] == read["indexed"]["score"]["queryCount"]
        assert read["rankingWeights"]["lexical"] == 0.55
        assert read["relevanceMode"] == "foundation-v1"
        assert set(read["indexed"]["byLanguage"]) == LANGUAGES
        assert set(read["indexed"]["latencyMs"]) == {"p50", "p95", "p99"}

    def test_the_table_shows_paths_groups_and_misses(self, report: EvaluationReport) -> None:
        table = report.as_table()
        for word in ("indexed", "filesystem", "baseline", *CATEGORIES, *LANGUAGES):
            assert f"\n{word} " in table
        for miss in report.misses:
            assert miss.case_id in table

    def test_progress_reaches_its_end(self, records: tuple[membound.MemoryRecord, ...]) -> None:
        seen: list[tuple[int, int]] = []
        evaluate(
            records[:3], [case()], now=NOW, progress=lambda done, total: seen.append((done, total))
        )
        assert seen == [(1, 3), (2, 3), (3, 3)]

    def test_without_cases(self) -> None:
        empty = evaluate([], [], now=NOW)
        assert empty.paths_agree
        assert empty.tokenizer_version is None
        assert json.loads(empty.to_json())["indexed"]["latencyMs"] is None
        assert "misses: 0" in empty.as_table()

    def test_a_disabled_policy_selects_nothing(
        self, records: tuple[membound.MemoryRecord, ...], cases: tuple[EvaluationCase, ...]
    ) -> None:
        off = membound.MemoryPolicy(enabled=False)
        found = evaluate(records[:5], cases[:5], now=NOW, policy=off)
        for path in (found.indexed, found.filesystem, found.baseline):
            assert path.score.selected_characters == 0


class TestBaseline:
    def test_the_newest_eligible_records(self, records: tuple[membound.MemoryRecord, ...]) -> None:
        taken = unconditional_injection(records, now=NOW, workspace="/srv/noa/onsen", limit=5)
        assert [record.updated_at for record in taken] == sorted(
            (record.updated_at for record in taken), reverse=True
        )
        assert len(taken) == 5
        assert all(record.workspace in (None, "/srv/noa/onsen") for record in taken)

    def test_the_character_budget_holds(self, records: tuple[membound.MemoryRecord, ...]) -> None:
        taken = unconditional_injection(records, now=NOW, character_budget=700)
        assert 0 < len(membound.reference_block(taken, now=NOW)) <= 700
