"""Sessions of a host: all of them read, and one that grew by a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests import wires

from membound.workspace.sessions.reader import read_more

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

SESSIONS = 50
TURNS = 200


def test_fifty_sessions_of_200_turns(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    data = wires.wire(wires.a_session(TURNS))
    assert len(data) * SESSIONS > 45_000_000
    paths = [tmp_path / f"{number}.jsonl" for number in range(SESSIONS)]
    for path in paths:
        path.write_bytes(data)

    def read() -> int:
        return sum(len(read_more(path, path.stem).turns) for path in paths)

    assert benchmark(read) == SESSIONS * TURNS


def test_a_session_that_grew_by_a_turn(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    path.write_bytes(wires.wire(wires.a_session(TURNS)))
    mark = read_more(path, "a").mark
    with path.open("ab") as file:
        file.write(wires.wire([wires.prompt("one more")]))
    more = benchmark(lambda: read_more(path, "a", mark))
    assert [turn.turn_id for turn in more.turns] == [TURNS - 1, TURNS]
