"""What the documentation says is so: its code runs, its numbers come out, its links resolve."""

from __future__ import annotations

import ast
import json
import math
import re
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from membound import (
    MemoryRecord,
    MemoryStore,
    RetrievalResult,
    retrieve_records,
    search_tokens,
)
from membound.cli.app import commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from membound.request import RelevanceMode

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "membound"
PAGES = sorted(
    page.relative_to(ROOT).as_posix() for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| (.+) \|$", re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    _, _, rest = text_of(page).partition(f"\n## {heading}\n")
    assert rest, heading
    return rest.partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of every table row, headings and rules among them."""
    return [row.split(" | ") for row in ROW.findall(text)]


def fenced(text: str, language: str) -> Iterator[tuple[int, str]]:
    """Each block of a language, after the number of lines before it."""
    for match in FENCE.finditer(text):
        if match[1] == language:
            yield text[: match.start(2)].count("\n"), match[2]


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md", "docs/workspace.md"])
def test_python_blocks_run_in_order(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    namespace: dict[str, object] = {"__name__": "__main__"}
    for line, source in fenced(text_of(page), "python"):
        code = compile("\n" * line + source, str(ROOT / page), "exec", dont_inherit=True)
        exec(code, namespace)  # noqa: S102 — running the page is the test


def test_the_guide_has_code_to_run() -> None:
    assert len(list(fenced(text_of("docs/guide.md"), "python"))) > 15


@pytest.fixture(name="example")
def worked_example() -> str:
    return section("docs/ranking.md", "Worked example")


def recall(example: str, relevance_mode: RelevanceMode) -> RetrievalResult:
    (_, source) = next(fenced(example, "json"))
    asked = json.loads(source)
    return retrieve_records(
        map(MemoryRecord.from_dict, asked["records"]),
        asked["query"],
        now=datetime.fromisoformat(asked["now"]),
        workspace=asked["workspace"],
        relevance_mode=relevance_mode,
    )


def test_the_worked_example_has_the_features_and_scores_of_the_code(example: str) -> None:
    told = {
        cells[0].strip("`"): [float(cell) for cell in cells[2:]]
        for cells in rows(example)
        if cells[0].startswith("`")
    }
    # The older mode ranks the record too that the default one does not admit.
    rankings = recall(example, "historical-v1").trace.rankings
    computed = {
        ranking.memory_id: [
            ranking.features.lexical,
            ranking.features.scope_affinity,
            ranking.features.type_affinity,
            ranking.features.freshness,
            ranking.features.importance,
            ranking.features.confidence,
            ranking.features.final_score,
        ]
        for ranking in rankings
    }
    assert list(told) == list(computed)
    assert told == {id: pytest.approx(numbers, abs=1e-12) for id, numbers in computed.items()}


def test_the_worked_example_drops_and_selects_as_the_code_does(example: str) -> None:
    found = recall(example, "foundation-v1")
    trace = found.trace
    told = " ".join(example.split())
    dropped = {name: getattr(trace.filtered, name) for name in trace.filtered.__struct_fields__}
    selected = ", ".join(f"`{id}`" for id in trace.selected_ids)
    assert f"The query gives {trace.query_token_count} tokens" in told
    assert f"Selected, in order: {selected}; {trace.candidate_count} candidates; dropped: " in told
    assert ", ".join(f"{stage} {count}" for stage, count in dropped.items()) in told
    assert f"The block has {len(found.context)} characters" in told


@pytest.fixture(name="weighed")
def weighed_example() -> str:
    return section("docs/ranking.md", "foundation-v2").partition("\n### An example")[2]


def numbers(cells: list[str]) -> list[float]:
    """The number of each cell that has one."""
    return [float(cell) for cell in cells if cell != "–"]


def added(told: str) -> float:
    """What a cell says that some products come to, where that is so."""
    sum_, _, total = told.rpartition(" = ")
    products = [math.prod(map(float, product.split("·"))) for product in sum_.split(" + ")]
    assert float(total) == pytest.approx(sum(products), abs=3e-4)
    return float(total)


def four_decimals(values: Iterable[float]) -> object:
    return pytest.approx(list(values), abs=5.0001e-5, rel=0)


def test_the_example_of_weighed_words_has_the_weights_of_the_code(weighed: str) -> None:
    told = {
        cells[0].strip("`"): numbers(cells[1:])
        for cells in rows(weighed)
        if cells[0].startswith("`w")
    }
    weighing = recall(weighed, "foundation-v2").trace.weighing
    assert weighing is not None
    query = json.loads(next(fenced(weighed, "json"))[1])["query"]
    assert tuple(told) == search_tokens(query, tokenizer="v2").tokens
    for (strength, *rest), holders in zip(told.values(), weighing.holders, strict=True):
        rarity = math.log1p((weighing.records + 100 - holders + 0.5) / (holders + 0.5))
        assert rest == four_decimals([holders, rarity, strength * rarity])
    text = " ".join(weighed.split())
    assert f"So N = {weighing.records}, all lengths together are {weighing.units}, " in text
    assert f"mean L = {weighing.units / weighing.records:.4f}" in text
    assert f"reaches the floor of {weighing.floor}. " in text


def test_the_example_of_weighed_words_has_the_scores_of_the_code(weighed: str) -> None:
    told = {
        cells[0].strip("`"): cells[1:]
        for cells in rows(weighed)
        if cells[0].startswith("`") and not cells[0].startswith("`w")
    }
    found = recall(weighed, "foundation-v2")
    weights = [numbers(cells[1:])[-1] for cells in rows(weighed) if cells[0].startswith("`w")]
    rarest = math.log1p((3 + 100 - 1 + 0.5) / 1.5)
    ranked = {one.memory_id: one.features for one in found.trace.rankings}
    selected = ", ".join(f"`{id}`" for id in found.trace.selected_ids)
    assert f"Selected, in order: {selected}." in " ".join(weighed.split())
    for id, (sum_, *others) in told.items():
        total, (cover, stretch, lexical, *final) = added(sum_), numbers(others)
        assert cover == pytest.approx(total / (sum(weights) + 2 * rarest), abs=1e-4)
        assert lexical == pytest.approx(math.sqrt(cover / stretch), abs=2e-4)
        assert bool(final) is (id in ranked)
        if id in ranked:
            features = ranked[id]
            assert [lexical, *final] == four_decimals([features.lexical, features.final_score])
    assert found.trace.filtered.irrelevant == len(told) - len(ranked) == 1


def test_the_full_record_is_canonical() -> None:
    (_, source) = next(fenced(text_of("docs/storage.md"), "json"))
    record = MemoryRecord.from_json(source)
    assert record.to_json().decode() == source
    missing = [
        name for name in MemoryRecord.__struct_fields__ if getattr(record, name) in (None, (), {})
    ]
    assert missing == []


VERBS = sorted(
    name
    for name in dir(MemoryStore)
    if not name.startswith("_") and callable(getattr(MemoryStore, name))
)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_of_the_store_is_documented(verb: str) -> None:
    assert any(re.search(rf"[`.]{verb}\b", text_of(page)) for page in PAGES)


def test_every_command_is_in_the_guide() -> None:
    told = {cells[0].strip("`") for cells in rows(section("docs/guide.md", "Command line"))}
    assert told - {"command", "---|---"} == set(commands.list_commands(click.Context(commands)))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    plain = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in HEADING.findall(plain)
    }


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_resolves(page: str) -> None:
    for link in LINK.findall(FENCE.sub("", text_of(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_word_of_the_glossary_names_a_file_that_exists() -> None:
    words = [cells for cells in rows(text_of("docs/glossary.md")) if cells[0] != "word"]
    assert len({cells[0] for cells in words}) == len(words) > 30
    for word, _, home in words:
        link = LINK.fullmatch(home)
        assert link is not None, word
        assert (ROOT / "docs" / link[1]).is_file(), word


def imported(module: Path) -> Iterator[str]:
    """The modules of the package that one imports, those for annotations alone left out."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    annotations = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in annotations:
            continue
        if node.module == "membound":
            yield from (alias.name for alias in node.names)
        elif node.module and node.module.startswith("membound."):
            yield node.module.split(".")[1]


def test_python_modules_import_only_from_lower_layers() -> None:
    table = rows(section("ARCHITECTURE.md", "Layers of Python modules"))[1:]
    layers = [re.findall(r"`(\w+)`", cells[-1]) for cells in table]
    layer = {name: height for height, names in enumerate(layers) for name in names}
    for module in PACKAGE.rglob("*.py"):
        name = module.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if name == "__init__":
            continue
        for other in imported(module):
            assert other == name or layer[other] < layer[name], f"{name} imports {other}"
