"""The verbs `init`, `rebuild`, `doctor`, `evaluate` and `bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from membound.doctor import Check
from tests.command import Command, strict_json

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def membound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path / "store")


def test_init_makes_a_store_and_keeps_one(membound: Command) -> None:
    assert membound.ok("init").startswith("created")
    assert membound.ok("list") == ""
    assert membound.json("doctor")["healthy"] is True
    assert membound.ok("export", "-") == ""
    membound.remember("tea")
    assert "already" in membound.ok("init")
    assert len(membound.lines("list")) == 1


def test_a_sound_store_is_healthy(membound: Command) -> None:
    membound.remember("tea")
    shown = membound.ok("doctor").splitlines()
    assert shown[-1] == "healthy"
    assert [line.split("  ")[0] for line in shown[1:12]] == list(get_args(Check))
    report = membound.json("doctor")
    assert report.keys() == {
        "healthy",
        "store",
        "indexSchemaVersion",
        "tokenizerVersion",
        "findings",
    }
    assert report["healthy"] is True
    assert report["findings"][-1] == {
        "check": "index",
        "severity": "ok",
        "what": "it says what the files say, for 1 records",
        "advice": "",
        "names": [],
        "fixable": False,
        "fixed": False,
    }


def test_doctor_names_what_is_wrong_and_mends_what_it_can(membound: Command) -> None:
    kept = membound.remember("the ferry leaves at nine")
    memory = membound.store / "memory"
    broken = memory / "bro\u202eken.json"
    broken.write_text('{"id": "broken"')
    for index in membound.store.glob("memory-index.sqlite3*"):
        index.write_bytes(b"not a database")
    result = membound("doctor")
    assert result.exit_code == 1
    assert "bro\\u202eken.json is left out" in result.stdout
    assert "index: --fix makes it anew from the files" in result.stdout
    assert "\u202e" not in result.stdout
    result = membound("doctor", "--fix", "--json")
    report = strict_json(result.stdout)
    assert (result.exit_code, report["healthy"]) == (1, False)
    left = [one for one in report["findings"] if one["severity"] == "problem" and not one["fixed"]]
    assert [(one["check"], one["names"]) for one in left] == [
        ("quarantine", ["memory/bro\u202eken.json"])
    ]
    assert kept in membound.ok("recall", "ferry leaves")
    broken.unlink()
    assert membound.ok("doctor", "--fix").endswith("healthy\n")
    assert membound.ok("doctor").endswith("healthy\n")
    assert membound.ok("rebuild").startswith("indexed 1 records in ")


def test_a_hand_edit_is_found(membound: Command) -> None:
    kept = membound.remember("the ferry leaves at nine")
    file = membound.store / "memory" / f"{kept}.json"
    file.write_text(file.read_text().replace("nine", "ten"))
    result = membound("doctor", "--json")
    report = strict_json(result.stdout)
    assert (result.exit_code, report["healthy"]) == (1, False)
    assert membound("doctor").exit_code == 1, "looking mends nothing"
    assert membound("doctor", "--fix").exit_code == 0
    assert membound("doctor").exit_code == 0
    assert "ten" in membound.ok("recall", "ferry leaves")


def test_doctor_needs_a_store(membound: Command) -> None:
    result = membound("doctor", "--fix")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no store" in result.stderr
    assert not membound.store.exists()


WHEN = '"createdAt": "2026-06-01T00:00:00Z", "updatedAt": "2026-06-01T00:00:00Z"'
RECORDS = [
    f'{{"id": "a", "content": "the ferry leaves at nine", "scope": "user", {WHEN}}}',
    f'{{"id": "b", "content": "ferry leaves", "scope": "workspace", "workspace": "/b", {WHEN}}}',
]
CASES = [
    '{"id": "c1", "query": "ferry leaves", "expectedIds": ["a"], "forbiddenIds": ["b"]}',
    '{"id": "c2", "query": "comets", "expectedIds": []}',
]


def test_evaluate_scores_and_writes_a_report(membound: Command, tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text("\n".join(RECORDS))
    (tmp_path / "cases.jsonl").write_text("\n".join(CASES))
    words = ("evaluate", "--records", "records.jsonl", "--cases", "cases.jsonl")
    now = ("--now", "2026-07-01T00:00:00Z")
    shown = membound.ok(*words, *now, "--output", "report.json")
    assert "paths agree: yes" in shown
    report = strict_json((tmp_path / "report.json").read_text())
    assert report["indexed"]["score"]["recallAtK"] == 1.0
    assert report["misses"] == []
    assert membound.json(*words, *now)["caseCount"] == 2
    (tmp_path / "policy.json").write_text('{"enabled": false}')
    silent = membound.json(*words, *now, "--policy", "policy.json")
    assert silent["indexed"]["score"]["recallAtK"] == 0.5


def test_evaluate_needs_its_data(membound: Command, tmp_path: Path) -> None:
    assert membound("evaluate").exit_code == 2
    (tmp_path / "records.jsonl").write_text(RECORDS[0] + "\n{}")
    (tmp_path / "cases.jsonl").write_text(CASES[0])
    result = membound("evaluate", "--records", "records.jsonl", "--cases", "cases.jsonl")
    assert result.exit_code == 2
    assert "records.jsonl:2" in result.stderr
    (tmp_path / "records.jsonl").write_text("\n".join(RECORDS))
    (tmp_path / "cases.jsonl").write_text(CASES[0].replace('["b"]', '["z"]'))
    result = membound("evaluate", "--records", "records.jsonl", "--cases", "cases.jsonl")
    assert result.exit_code == 2
    assert "'z'" in result.stderr


def test_evaluate_names_the_line_that_is_nested_too_deep(membound: Command, tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text("\n".join(RECORDS))
    deep = '"x": ' + "[" * 200_000 + "]" * 200_000
    (tmp_path / "cases.jsonl").write_text(f"{CASES[0]}\n{CASES[1][:-1]}, {deep}}}")
    result = membound("evaluate", "--records", "records.jsonl", "--cases", "cases.jsonl")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "cases.jsonl:2" in result.stderr


def test_evaluate_says_no_when_a_promise_is_broken(membound: Command, tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text(RECORDS[0])
    (tmp_path / "cases.jsonl").write_text(
        '{"id": "c", "query": "ferry leaves", "expectedIds": [], "forbiddenIds": ["a"]}'
    )
    result = membound("evaluate", "--records", "records.jsonl", "--cases", "cases.jsonl")
    assert result.exit_code == 1


def test_evaluate_finds_the_repository_s_own_data(
    membound: Command, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    monkeypatch.chdir(pytestconfig.rootpath)
    assert membound.json("evaluate", "--now", "2026-07-01T12:00:00Z")["caseCount"] > 0


def test_bench_times_both_paths(membound: Command) -> None:
    report = membound.json("bench", "--records", "60", "--records", "20", "--queries", "3")
    assert {"membound", "python", "system", "processor", "cores"} <= report["machine"].keys()
    paths = [(run["records"], run["what"], run["path"]) for run in report["runs"]]
    assert paths == [
        (size, what, path)
        for size in (60, 20)
        for what, path in (
            ("remember", "canonical file and index"),
            ("recall", "sqlite-fts5"),
            ("recall", "filesystem-fallback"),
        )
    ]
    for run in report["runs"]:
        assert 0 < run["latencyMs"]["p50"] <= run["latencyMs"]["p95"] <= run["latencyMs"]["p99"]
    assert not membound.store.exists()


def test_bench_shows_a_table(membound: Command) -> None:
    shown = membound.ok("bench", "--records", "20", "--queries", "2")
    assert "p95 ms" in shown
    assert "filesystem-fallback" in shown
