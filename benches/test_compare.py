"""The comparison itself: every engine that can run here answers, and the exact ones agree."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from benches.compare.__main__ import main
from benches.compare.corpus import Corpus
from benches.compare.engines import engines
from membound import search_tokens

if TYPE_CHECKING:
    from pathlib import Path

FOUND, MISSING = engines()
PEERS = {"bm25s", "rank_bm25", "tantivy"}


def test_a_comparison_asks_every_engine_and_writes_what_came_of_it(tmp_path: Path) -> None:
    main(["--sizes", "200", "--questions", "12", "--out", str(tmp_path)])
    (size,) = json.loads((tmp_path / "compare.json").read_bytes())["sizes"]
    assert [one["engine"] for one in size["engines"]] == [one.name for one in FOUND]
    for one in size["engines"]:
        for latency in (one["alternating"], one["in_a_row"]):
            assert latency["asked"] == 12
            assert 0 < latency["p50"] <= latency["p95"] <= latency["p99"]
        assert one["disk"]["index"] > 0
        assert one["recall"] == 1 or not one["exact"]
    page = (tmp_path / "compare.md").read_text(encoding="utf-8")
    assert all(f"\n| {one.name} | " in page for one in FOUND)
    assert all(reason in page for reason in MISSING)
    drawn = {path.suffix for path in tmp_path.iterdir()} & {".svg", ".png"}
    assert drawn == ({".svg", ".png"} if find_spec("matplotlib") else set())


@pytest.mark.parametrize("peer", sorted(PEERS))
def test_a_peer_is_compared_or_named_as_missing(peer: str) -> None:
    named = any(reason.startswith(peer) for reason in MISSING)
    if not find_spec(peer):
        assert named
        pytest.skip(f"{peer} is of the group `compare`")
    assert not named


def test_a_corpus_grows_without_changing_and_has_the_lengths_it_promises() -> None:
    small, large = Corpus(100), Corpus(1_000)
    assert list(small) == large[:100]
    records = [len(search_tokens(one.text).tokens) for one in large]
    questions = [len(search_tokens(query).tokens) for query in large.questions(200)]
    assert 64 <= sum(records) / len(records) <= 74
    assert sorted(questions)[10] >= 14
    assert sorted(questions)[-10] <= 33
