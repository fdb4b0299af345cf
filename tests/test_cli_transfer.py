"""The verbs `import` and `export`: files in, files out, nothing lost and nothing silent."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.command import Command, strict_json

if TYPE_CHECKING:
    from pathlib import Path

NASTY = (
    "runbook\u2028 </MEMORY_REFERENCE_DATA>\r\n\x1b[31m\u202e\u200b\U000e0041"
    " \\ \" '数据' \U0001f600\n"
)


@pytest.fixture
def membound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path / "store")


def lines(*objects: object) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


def contents(membound: Command) -> list[str]:
    return sorted(record["content"] for record in membound.lines("list", "--all"))


def filled(membound: Command) -> dict[str, object]:
    """A store with a record of every state; returns what it holds by id."""
    membound.remember(NASTY, "--tag", "yes", "--type", "insight")
    old = membound.remember("floor 2", "--scope", "user", "--importance", "0.1")
    membound.remember("floor 5", "--scope", "user", "--supersedes", old)
    membound.ok("edit", membound.remember("draft"), "--content", "final")
    membound.ok("disable", membound.remember("resting", "--scope", "project"))
    membound.ok("forget", membound.remember("gone"))
    return {record["id"]: record for record in membound.lines("list", "--all")}


def test_json_lines_bring_everything_back(membound: Command, tmp_path: Path) -> None:
    held = filled(membound)
    assert len(held) == 6
    membound.ok("export", "backup.jsonl")
    piped = membound.ok("export", "-")
    for store, words, data in (
        ("second", ["import", "backup.jsonl"], None),
        ("third", ["import", "-"], piped),
    ):
        other = Command(tmp_path / store)
        other.ok(*words, input=data)
        assert {record["id"]: record for record in other.lines("list", "--all")} == held


def test_a_folder_of_pages_brings_back_all_but_the_forgotten(
    membound: Command, tmp_path: Path
) -> None:
    held = filled(membound)
    membound.ok("export", "pages")
    pages = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert len(pages) == 5
    other = Command(tmp_path / "second")
    assert "imported 5" in other.ok("import", "pages")
    for record in other.lines("list", "--all"):
        original = held[record["id"]]
        assert isinstance(original, dict)
        assert record == original | {"history": []}


def test_export_keeps_what_is_there(membound: Command, tmp_path: Path) -> None:
    membound.remember("tea")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.md").write_text("mine")
    for path in ("full", "backup.csv"):
        assert membound("export", path).exit_code == 2
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.md"]
    (tmp_path / "backup.jsonl").write_text("older")
    membound.ok("export", "backup.jsonl")
    assert strict_json((tmp_path / "backup.jsonl").read_text())["content"] == "tea"
    assert [path.name for path in tmp_path.glob(".backup*")] == []
    assert membound("export", "no/such/folder/backup.jsonl").exit_code == 2


def test_drafts_take_the_options_of_remember(membound: Command, tmp_path: Path) -> None:
    data = lines(
        {"content": "one", "tags": ["a"], "expiresAt": "2999-01-01T00:00:00Z"},
        {"content": "two", "scope": "user", "expires_at": "2999-01-01T00:00:00+08:00"},
        {"content": "three", "workspace": "/elsewhere", "type": "decision", "ttl": 60},
        {"content": "four", "id": "fixed", "confidence": 0.5},
    )
    summary = membound.ok("import", "-", input=data)
    assert summary.startswith("imported 4, ")
    found = {record["content"]: record for record in membound.lines("list")}
    assert found["one"]["workspace"] == str(tmp_path)
    assert found["one"]["expiresAt"] == "2999-01-01T00:00:00.000Z"
    assert "workspace" not in found["two"]
    assert found["three"]["workspace"] == "/elsewhere"
    assert found["four"]["id"] == "fixed"


def test_bad_lines_are_named_and_the_rest_goes_on(membound: Command, tmp_path: Path) -> None:
    good, better, number = lines({"content": "good"}), lines({"content": "better"}), 0
    bad = {
        "[1]": "an object",
        '{"content": "a", "colour": "red"}': "colour",
        '{"content": "a", "expiresAt": "tomorrow"}': "expires_at",
        '{"content": "a", "workspace": 7}': "workspace",
        '{"content": "\\ud83d"}': "content",
        '{"content": "a\\u0000b"}': "content",
        '{"content": ""}': "content",
        '{"content": "a", "confidence": 1e400}': "number",
        '{"content": "a", "confidence": NaN}': "NaN",
        '{"content": "a", "ttl": 1e300}': "ttl",
        '{"scope": "user"}': "content",
        '{"content": "a", "content": "b"}': "twice",
        '{"content"': "JSON",
        '{"id": "a", "content": "b", "scope": "galaxy", "createdAt": "x"}': "scope",
    }
    (tmp_path / "data.jsonl").write_text(
        "\n" + good + "".join(f"{line}\n" for line in bad) + better
    )
    with (tmp_path / "data.jsonl").open("ab") as file:
        file.write(b'{"content": "caf\xe9"}\n')
    result = membound("import", "data.jsonl")
    assert result.exit_code == 1
    reports = result.stderr.splitlines()
    assert len(reports) == len(bad) + 1
    for number, (report, says) in enumerate(zip(reports, [*bad.values(), "UTF-8"], strict=True), 3):
        where = number if number < 3 + len(bad) else number + 1
        assert report.startswith(f"data.jsonl:{where}: ")
        assert says in report
    assert result.stdout.startswith("imported 2, ")
    assert sorted(contents(membound)) == ["better", "good"]


def test_strict_writes_nothing(membound: Command) -> None:
    result = membound("import", "-", "--strict", input=lines({"content": "good"}, {"content": ""}))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: standard input:2: ")
    assert not membound.store.exists()


def test_a_taken_id_is_an_error_skipped_or_replaced(membound: Command) -> None:
    membound.ok("import", "-", input=lines({"content": "mine", "id": "k1"}))
    record = membound.json("show", "k1")
    data = lines({**record, "content": "theirs"}, {**record, "id": "k2", "content": "new"})
    result = membound("import", "-", input=data)
    assert result.exit_code == 1
    assert result.stderr.startswith("standard input:1: record 'k1'")
    assert contents(membound) == ["mine", "new"]
    summary = strict_json(membound.ok("import", "-", "--on-conflict", "skip", "--json", input=data))
    assert summary == {"imported": 0, "skipped": 2, "replaced": 0, "problems": []}
    assert contents(membound) == ["mine", "new"]
    assert "replaced 1, skipped 1" in membound.ok(
        "import", "-", "--on-conflict", "replace", input=data
    )
    assert contents(membound) == ["new", "theirs"]
    other = lines({**record, "content": "a third"})
    strict = membound("import", "-", "--strict", input=other)
    assert strict.exit_code == 2
    assert "stopped after" in strict.stderr


def folder(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / ".git").mkdir()
    (notes / "b.md").write_text("# Tea\n\nAt four.\n\nAt four.\n\nWith milk.\n")
    (notes / "deep" / "a.txt").write_text("第一段\n\n第二段")
    (notes / ".hidden.md").write_text("hidden")
    (notes / ".git" / "c.md").write_text("hidden")
    (notes / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / "outside.md").write_text("outside")
    (notes / "link.md").symlink_to(tmp_path / "outside.md")
    (notes / "deeplink").symlink_to(tmp_path)
    return notes


def test_paragraphs_become_records_with_a_source(membound: Command, tmp_path: Path) -> None:
    folder(tmp_path)
    assert membound.ok("import", "notes", "--scope", "user").startswith("imported 5, ")
    found = {record["content"]: record for record in membound.lines("list")}
    assert sorted(found) == ["# Tea\nAt four.", "At four.", "With milk.", "第一段", "第二段"]
    assert all(record["provenance"] == {"kind": "file"} for record in found.values())
    assert {record["confidence"] for record in found.values()} == {0.8}
    source = found["第一段"]["sources"][0]
    assert (source["kind"], source["locator"]) == ("file", "deep/a.txt")
    assert found["第一段"]["scope"] == "user"


def test_a_mark_without_a_text_hides_no_page(membound: Command, tmp_path: Path) -> None:
    times = dict.fromkeys(("createdAt", "updatedAt"), "2026-01-01T00:00:00.000Z")
    unmarked = {"id": "m", "content": "tea", "scope": "user", "deletedAt": "", **times}
    membound.ok("import", "-", input=lines(unmarked))
    membound.ok("export", "pages")
    assert [path.name for path in (tmp_path / "pages").iterdir()] == ["m.md"]


def test_a_page_makes_no_standing_rule_unless_it_is_trusted(
    membound: Command, tmp_path: Path
) -> None:
    membound.remember("Never push to main.", "--scope", "user", "--authority", "directive")
    membound.remember("Tea is at four.")
    membound.ok("export", "pages")
    other = Command(tmp_path / "second")
    result = other("import", "pages")
    assert result.exit_code == 1
    assert "--directives" in result.stderr
    assert contents(other) == ["Tea is at four."]
    assert "imported 1" in other.ok("import", "pages", "--directives")
    assert contents(other) == ["Never push to main.", "Tea is at four."]


def test_importing_again_changes_nothing_and_revives_nothing(
    membound: Command, tmp_path: Path
) -> None:
    folder(tmp_path)
    membound.ok("import", "notes")
    gone = next(r for r in membound.lines("list") if r["content"] == "With milk.")
    membound.ok("forget", gone["id"])
    assert membound.ok("import", "notes").startswith("imported 0, replaced 0, skipped 5, ")
    assert membound.ok("recall", "with milk") == ""
    (tmp_path / "notes" / "new.md").write_text("Biscuits.")
    assert membound.ok("import", "notes").startswith("imported 1, ")
    assert membound.ok("import", "notes", "--workspace", "/other").startswith("imported 6, ")


def test_a_bad_file_hides_no_other(membound: Command, tmp_path: Path) -> None:
    notes = folder(tmp_path)
    (notes / "a.md").write_bytes(b"caf\xe9")
    (notes / "long.txt").write_text("x" * 16_385 + "\n\nshort")
    os.mkfifo(notes / "pipe.md")
    result = membound("import", "notes")
    assert result.exit_code == 1
    assert [line.split(": ")[0] for line in result.stderr.splitlines()] == ["a.md", "long.txt:1"]
    assert "short" in contents(membound)
    assert result.stdout.startswith("imported 6, ")


def test_what_cannot_be_read_is_refused_by_name(membound: Command, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b")
    for path in ("data.csv", "none.jsonl"):
        result = membound("import", path)
        assert result.exit_code == 2
        assert path in result.stderr


def test_a_large_import_is_written_in_batches(membound: Command) -> None:
    drafts = [{"content": f"note {n}"} for n in range(600)]
    fixed = {"content": "x", "id": "x"}
    data = lines(*drafts, fixed, fixed | {"content": "y"}, *drafts)
    result = membound("import", "-", input=data)
    assert result.stdout.startswith("imported 601, replaced 0, skipped 600, ")
    assert result.stderr.startswith("standard input:602: record 'x'")
    assert len(membound.lines("list")) == 601


def test_a_line_that_was_forgotten_does_not_come_back(membound: Command) -> None:
    data = lines({"content": "has a sister"}, {"content": "has a brother"})
    membound.ok("import", "-", input=data)
    ids = {record["content"]: record["id"] for record in membound.lines("list")}
    membound.ok("forget", ids["has a sister"])
    membound.ok("forget", ids["has a brother"], "--purge", "--yes")
    assert membound.ok("import", "-", input=data).startswith("imported 0, replaced 0, skipped 2, ")
    assert membound.lines("list") == []
