"""How counted instructions are held against their budgets; `make instructions` counts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from benches.instructions import BUDGETS, Counts, read, report

BUDGET = Counts(
    machine="x86_64",
    vectors="V3",
    libc="glibc 2.36",
    rustc="1.95.0",
    valgrind="3.19.0",
    parts={"recall": 1_000, "write": 20_000},
)


def counted(**parts: int) -> Counts:
    return replace(BUDGET, parts=parts)


@pytest.mark.parametrize("recall", [900, 1_000, 1_100])
def test_a_count_within_ten_percent_of_its_budget_passes_without_a_word(recall: int) -> None:
    told, passes = report(counted(recall=recall, write=20_000), BUDGET)
    assert passes
    assert told.splitlines()[1].split() == [
        "recall",
        f"{recall:,}",
        "1,000",
        f"{recall / 1000:.2f}",
    ]
    assert len(told.splitlines()) == 3


def test_a_count_beyond_it_fails_and_says_where_to_look_and_how_to_raise_the_budget() -> None:
    told, passes = report(counted(recall=1_000, write=22_001), BUDGET)
    assert not passes
    assert told.splitlines()[2].split() == ["write", "22,001", "20,000", "1.10", "over"]
    assert "callgrind_annotate --inclusive=yes target/instructions/profile.2" in told
    assert "make instructions UPDATE=1" in told
    assert "CONTRIBUTING.md" in told


def test_a_count_that_fell_passes_and_asks_for_a_lower_budget() -> None:
    told, passes = report(counted(recall=899, write=20_000), BUDGET)
    assert passes
    assert told.splitlines()[1].endswith("fallen")
    assert "lower the budgets" in told


def test_a_part_that_has_no_budget_or_is_no_longer_counted_fails() -> None:
    for parts, verdict in (
        ({"recall": 1_000}, "not counted"),
        ({"recall": 1_000, "write": 20_000, "purge": 5}, "no budget"),
    ):
        told, passes = report(counted(**parts), BUDGET)
        assert not passes
        assert told.splitlines()[-2].endswith(verdict)


def test_counts_of_other_code_are_not_compared() -> None:
    slow = counted(recall=9_000)
    for other in (replace(slow, vectors="Scalar"), replace(slow, machine="aarch64")):
        told, passes = report(other, BUDGET)
        assert passes
        assert told.startswith("Not compared")


def test_other_tools_are_told_and_counts_compared() -> None:
    told, passes = report(replace(counted(recall=9_000, write=1), valgrind="3.25.0"), BUDGET)
    assert not passes
    assert "valgrind 3.25.0" in told


def test_what_is_printed_and_what_is_profiled_belong_together_by_their_order() -> None:
    profiles = ["events: Ir\nsummary: 4000\n\ntotals: 4000\n", "summary: 7\n"]
    assert read("V3\nrecall: 4\nwrite: 1\n", profiles) == ("V3", {"recall": 1_000, "write": 7})
    with pytest.raises(ValueError, match="shorter"):
        read("V3\nrecall: 4\nwrite: 1\n", profiles[:1])


def test_the_committed_budgets_can_be_read() -> None:
    committed = Counts(**json.loads(BUDGETS.read_text(encoding="utf-8")))
    assert committed.parts
    assert report(committed, committed)[1]
