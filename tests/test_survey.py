"""The survey as a whole: the same bytes on every run, paths held to each other, a safe page."""

from __future__ import annotations

import json
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, get_args

import pytest

from membound import MemoryPolicy, RankingFloors, RankingPolicy
from membound.errors import IndexUnavailableError, InvalidInputError, MissingExtraError
from membound.evaluation.survey import as_page, as_table, load_sets, read_earlier, survey
from membound.evaluation.survey.answers import Answer
from membound.evaluation.survey.collected import Collected
from membound.evaluation.survey.groups import groups_of
from membound.evaluation.survey.posed import pose
from membound.evaluation.survey.rankers import RANKERS, ranker_of
from membound.request import RelevanceMode
from tests.command import Command
from tests.surveys import FERRIES, HOSTILE, TEAS, question, record, write_set

if TYPE_CHECKING:
    from pathlib import Path

    from membound.evaluation.survey import DataSet, SurveyReport
    from membound.evaluation.survey.report import Variant
    from membound.evaluation.survey.sets import Conversation


@pytest.fixture(name="folder", scope="module")
def sets_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    write_set(folder / "ferries", *FERRIES)
    write_set(folder / "teas", *TEAS)
    return folder


@pytest.fixture(name="sets", scope="module")
def loaded(folder: Path) -> tuple[DataSet, ...]:
    return load_sets([folder])


@pytest.fixture(name="report", scope="module")
def measured(sets: tuple[DataSet, ...]) -> SurveyReport:
    return survey(sets, rankers=RANKERS, against="foundation-v1", resamples=100)


def without_times(report: SurveyReport) -> str:
    shape = json.loads(report.to_json())
    for variant in shape["variants"].values():
        del variant["latencyMs"]
    return json.dumps(shape)


class TestReport:
    def test_every_mode_and_path_in_one_run(self, report: SurveyReport) -> None:
        modes = get_args(RelevanceMode)
        assert list(report.variants) == [*modes, *RANKERS]
        for mode in modes:
            assert list(report.variants[mode].latency) == ["records", "file", "memory"]
            assert report.variants[mode].from_memory == len(report.asked)
        assert report.paths_agree

    def test_by_hand(self, report: SurveyReport) -> None:
        found = {
            asked.key: report.variants["foundation-v1"].outcomes[number]
            for number, asked in enumerate(report.asked)
        }
        assert found["ferries", "when"].selected == ("1",)
        assert found["ferries", "never"].gold == 0
        assert found["ferries", "never"].selected == ("1",)
        assert found["ferries", "nothing"].selected == ()
        assert set(found["teas", "both"].selected) == {"a", "b"}
        values = json.loads(report.to_json())["variants"]["foundation-v1"]["scores"]
        ferries = values["set"]["ferries"]
        assert ferries["unanswerableInjected"] == 0.5
        assert ferries["recall"] == 1
        assert values["category"]["ferries: adversarial"]["recall"] is None
        # The other set of the same language holds nothing of ferries.
        assert ferries["falseInjectionOtherSet"] == 0

    def test_the_same_bytes_on_every_run(
        self, sets: tuple[DataSet, ...], report: SurveyReport
    ) -> None:
        again = survey(sets, rankers=RANKERS, against="foundation-v1", resamples=100)
        assert without_times(again) == without_times(report)

    def test_what_the_answers_depend_on_is_told(self, report: SurveyReport) -> None:
        shape = json.loads(report.to_json())
        assert shape["settings"]["seed"] == 0
        assert shape["settings"]["characterBudget"] == 6_000
        assert {"membound", "python"} <= shape["versions"].keys()
        mode = shape["variants"]["foundation-v1"]["settings"]
        assert mode["tokenizerVersion"] == "v1"
        assert mode["rankingWeights"]["lexical"] == 0.55
        assert {"sqlite", "tokenize"} <= shape["variants"]["fts5"]["settings"].keys()
        assert {"bm25s", "k1", "b"} <= shape["variants"]["bm25s"]["settings"].keys()
        assert all(len(facts["sha256"]) == 64 for facts in shape["sets"].values())

    def test_a_path_that_differs_is_told(self, sets: tuple[DataSet, ...]) -> None:
        def answering(*ids: str) -> Any:  # noqa: ANN401 — an answerer
            def answer(conversation: Conversation, _: str) -> Answer:
                chosen = tuple(r.id for r in conversation.records if r.id.endswith(ids))
                return Answer(
                    ranked=chosen,
                    listed=chosen,
                    scores=(1.0,) * len(chosen),
                    selected=chosen,
                    characters=0,
                    seconds=0.0,
                )

            return answer

        posed = pose(sets, seed=0, unanswerable=frozenset())
        collected = Collected(posed, frozenset(), 0, None)
        for path, last in (("records", "0"), ("file", "0"), ("memory", "1")):
            collected.ask("mode", path, answering(last))
        variant = collected.variants(groups_of([some.asked() for some in posed]))["mode"]
        # The conversation in Chinese has one record only, of which nothing ends in 1.
        assert len(variant.differing) == len(posed)
        assert variant.differing[0] == "ferries: when"

    def test_progress_reaches_its_end(self, sets: tuple[DataSet, ...]) -> None:
        seen: list[tuple[int, int]] = []
        survey(
            sets,
            modes=["foundation-v1"],
            paths=["records"],
            progress=lambda done, total: seen.append((done, total)),
        )
        assert seen == [(n, 14) for n in range(1, 15)]

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"modes": ["foundation-v0"]}, "modes"),
            ({"paths": ["disk"]}, "paths"),
            ({"rankers": ["grep"]}, "rankers"),
            ({"against": "bm25s"}, "against"),
            ({"groups": {"G": ["none"]}}, "groups"),
            ({"seed": -1}, "seed"),
            ({"resamples": 1}, "resamples"),
            ({"progress": 1}, "progress"),
        ],
    )
    def test_refusals(self, sets: tuple[DataSet, ...], options: dict[str, Any], field: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            survey(sets, **options)
        assert refused.value.field == field

    def test_without_questions(self) -> None:
        with pytest.raises(InvalidInputError) as refused:
            survey([])
        assert refused.value.field == "sets"


class TestCurves:
    def test_a_point_is_what_its_floor_selects(self, sets: tuple[DataSet, ...]) -> None:
        """Both levels of admission move with the floor; the policy's own floor says nothing."""

        def measured(floor: float, following_floor: float) -> Variant:
            floors = RankingFloors(**dict.fromkeys(RankingFloors.__struct_fields__, floor))
            ranking = RankingPolicy(
                floors=floors, relative_floor=0.3, following_floor=following_floor
            )
            policy = MemoryPolicy(ranking=ranking)
            modes: list[RelevanceMode] = ["foundation-v2"]
            found = survey(sets, modes=modes, paths=["records"], rankers=[], policy=policy)
            return found.variants["foundation-v2"]

        for following_floor in (0.0, 0.75, 1.0):
            (points, *_) = measured(1.0, following_floor).curves
            assert len(points) > 2
            for point in points:
                floor = 1.0 if point.floor is None else point.floor - 1e-6
                (means, *_) = measured(floor, following_floor).means
                assert means["recall"] == point.recall
                assert means["falseInjection"] == point.false_injection


class TestEarlier:
    def test_nothing_has_changed_since_itself(
        self, sets: tuple[DataSet, ...], report: SurveyReport, tmp_path: Path
    ) -> None:
        (tmp_path / "then.json").write_text(report.to_json(), encoding="utf-8")
        earlier = read_earlier(tmp_path / "then.json")
        now = survey(sets, paths=["records"], earlier=earlier, resamples=100)
        assert [some.against for some in now.comparisons] == [
            f"{name}, earlier" for name in now.variants
        ]
        for comparison in now.comparisons:
            assert comparison.questions == len(report.asked)
            for found in comparison.differences:
                for told in found.values():
                    assert told is None or (told.difference, told.low, told.high) == (0, 0, 0)

    def test_only_the_same_questions_are_compared(
        self, sets: tuple[DataSet, ...], report: SurveyReport, tmp_path: Path
    ) -> None:
        shape = json.loads(report.to_json())
        shape["questions"][0]["gold_ids"] = ["2"]
        (tmp_path / "then.json").write_text(json.dumps(shape), encoding="utf-8")
        earlier = read_earlier(tmp_path / "then.json")
        now = survey(sets, paths=["records"], earlier=earlier, resamples=100)
        assert {some.questions for some in now.comparisons} == {len(report.asked) - 1}
        with pytest.raises(InvalidInputError) as refused:
            survey(sets, paths=["records"], earlier={}, resamples=100)
        assert refused.value.field == "earlier"

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "{}", '{"questions": [{"set": 1}]}', '{"questions": ' + "[" * 100_000, "\xff"],
        ids=["empty", "list", "object", "question", "deep", "latin"],
    )
    def test_another_file_is_refused(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "then.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(InvalidInputError) as refused:
            read_earlier(tmp_path / "then.json")
        assert refused.value.field == "against"
        with pytest.raises(InvalidInputError):
            read_earlier(tmp_path / "none.json")


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(name="page", scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Everything that a data set can say is hostile."""
    folder = tmp_path_factory.mktemp("hostile") / "<b>&\"'"
    records = [
        record(HOSTILE, f"{HOSTILE}{n}", f"the ferry {HOSTILE}", tags=[HOSTILE], speaker=HOSTILE)
        for n in range(2)
    ]
    fields = {"category": HOSTILE, "lang": HOSTILE}
    asked = [question(f"{HOSTILE}q", f"{HOSTILE}0", f"ferry {HOSTILE}", HOSTILE, **fields)]
    write_set(folder, records, asked)
    sets = load_sets([folder])
    report = survey(sets, groups={HOSTILE: [folder.name]}, against="fts5", resamples=40)
    return as_page(report)


def test_no_name_breaks_a_line_of_the_table(tmp_path: Path) -> None:
    asked = question("q", "c", "ferry", "1", category="a\nb\u202e", lang="x\ny")
    write_set(tmp_path / "s", [record("1", "c", "ferry")], [asked])
    table = as_table(survey(load_sets([tmp_path / "s"]), paths=["records"]))
    assert "category s: a\\u000ab\\u202e" in table
    assert "\nb" not in table
    assert "\ny" not in table


class TestPage:
    def test_nothing_of_a_record_is_markup(self, page: str) -> None:
        read = Tags(page)
        assert read.tags == {
            "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "h4", "p", "span",
            "div", "table", "tr", "th", "td", "figure", "figcaption", "svg", "path", "text",
            "circle", "details", "summary", "bdi", "br", "ol", "li", "b", "pre",
        }  # fmt: skip
        assert not {name for name in read.attributes if name.startswith("on")}
        assert not read.attributes & {"src", "href", "action", "srcdoc", "data"}
        assert "<img src=x onerror=alert(1)>" in "".join(read.text)

    def test_nothing_hidden_stays_hidden(self, page: str) -> None:
        assert "\u202e" not in page
        assert "\u200b" not in page
        assert "\\u202e\\u200b" in page

    def test_nothing_is_fetched(self, page: str) -> None:
        assert "default-src 'none'" in page
        assert "http://" not in page
        assert "https://" not in page
        assert "url(" not in page
        assert "@import" not in page

    def test_it_says_why(self, report: SurveyReport) -> None:
        page = "".join(Tags(as_page(report)).text)
        for name in report.variants:
            assert f"{name}, expected ones ranked at" in page
        assert "the ferry leaves at nine" in page
        assert "query tokens" in page
        assert page.count("Asked in") == len(report.asked) == len(report.whys)

    def test_few_questions_are_explained_where_few_are_wanted(
        self, sets: tuple[DataSet, ...]
    ) -> None:
        few = survey(sets, paths=["records"], explained=1)
        assert [set for set, _ in few.whys] == ["ferries", "teas"]


class TestRankers:
    @pytest.mark.parametrize("name", RANKERS)
    def test_what_a_query_says_is_no_syntax(self, sets: tuple[DataSet, ...], name: Any) -> None:  # noqa: ANN401 — a ranker's name
        conversation = sets[0].conversations["north"]
        rank = ranker_of(name).over(conversation.records, conversation.language)
        assert rank("ferry leaves")[0][0] == 0
        assert rank("pier")[0][0] == 1
        for query in ("", " ", '" OR NEAR(', "ferry\0*", "text : -^", HOSTILE, "船"):
            assert all(row < 2 for row, _ in rank(query))
        assert rank("zzz") == []

    @pytest.mark.parametrize("name", ["fts5-trigram", "bm25s", "bm25s-stemmed"])
    def test_a_run_of_cjk_is_not_one_word(self, sets: tuple[DataSet, ...], name: Any) -> None:  # noqa: ANN401 — a ranker's name
        conversation = sets[1].conversations["餐厅"]
        assert [
            row for row, _ in ranker_of(name).over(conversation.records, "zh")("龙井茶好吗")
        ] == [0]

    def test_stems_and_stop_words_are_those_of_the_language(
        self, sets: tuple[DataSet, ...]
    ) -> None:
        records = sets[0].conversations["north"].records
        ranker = ranker_of("bm25s-stemmed")
        found = {language: ranker.over(records, language) for language in ("en", "und")}
        assert [row for row, _ in found["en"]("ferries leaving")] == [0]
        assert found["und"]("ferries leaving") == []
        assert found["en"]("the") == []
        assert found["und"]("the") != []

    def test_what_is_missing_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "Stemmer", None)
        with pytest.raises(MissingExtraError, match=r"PyStemmer"):
            ranker_of("bm25s-stemmed")
        monkeypatch.setitem(sys.modules, "bm25s", None)
        with pytest.raises(MissingExtraError, match=r"membound\[evaluation\]"):
            ranker_of("bm25s")
        monkeypatch.setitem(sys.modules, "sqlite3", None)
        with pytest.raises(IndexUnavailableError, match="sqlite3"):
            ranker_of("fts5")


class TestCommand:
    @pytest.fixture
    def membound(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
        monkeypatch.chdir(tmp_path)
        return Command(tmp_path / "store")

    def test_it_writes_every_form(self, membound: Command, folder: Path, tmp_path: Path) -> None:
        words = (
            "evaluate",
            "--data",
            str(folder),
            "--group",
            "G=teas,ferries",
            "--resamples",
            "40",
        )
        shown = membound.ok(*words, "--html", "page.html", "--output", "report.json")
        assert "paths agree: yes" in shown
        assert "group G" in shown
        assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
        again = membound.json(*words, "--path", "file", "--against", "report.json")
        assert len(again["comparisons"]) == len(again["variants"])
        one = membound.json(*words, "--mode", "historical-v1", "--against", "fts5")
        assert [some["variant"] for some in one["comparisons"]] == ["historical-v1"]

    @pytest.mark.parametrize(
        "words",
        [
            ("--group", "G"),
            ("--against", "none.json"),
            ("--records", "records.jsonl"),
            ("--without", "text"),
        ],
    )
    def test_refusals(
        self, membound: Command, folder: Path, tmp_path: Path, words: tuple[str, ...]
    ) -> None:
        (tmp_path / "records.jsonl").write_text("")
        result = membound("evaluate", "--data", str(folder), *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert words[0] in result.stderr or words[1] in result.stderr

    def test_options_of_data_sets_need_them(self, membound: Command) -> None:
        result = membound("evaluate", "--html", "page.html")
        assert result.exit_code == 2
        assert "--html can only be used with --data" in result.stderr
