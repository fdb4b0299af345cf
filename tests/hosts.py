"""Sessions as a host keeps them, for tests of an open workspace."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from membound.workspace import Workspace
from membound.workspace.identity import workspace_hash
from tests import wires

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["DAY", "MINUTE", "ONE", "TWO", "Host", "found", "turn"]

MINUTE = 60_000
DAY = 24 * 60 * MINUTE
NOW = datetime(2026, 3, 4, 8, tzinfo=UTC)
ONE, TWO = "session_one", "session_two"


class Host:
    """A host's sessions of one project: wire files that it only ever appends to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.project.mkdir()
        self.root = folder / "host" / "sessions"
        self.clock = 0

    def session(self, name: str) -> Path:
        bucket = self.root / f"wd_project_{workspace_hash(str(self.project))}"
        return bucket / name / "agents" / "main" / "wire.jsonl"

    def says(self, name: str, records: Iterable[wires.Record | str]) -> None:
        self.append(name, wires.wire(records))

    def append(self, name: str, data: bytes) -> None:
        """Write on, later than all that was written before."""
        path = self.session(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(data)
        self.clock += 1
        os.utime(path, (1_772_000_000 + self.clock, 1_772_000_000 + self.clock))

    def opened(self) -> Workspace:
        return Workspace.open(
            self.project,
            root=self.folder / "stores",
            sessions_root=self.root,
            environment={},
            clock=lambda: NOW,
        )


def turn(number: int, asked: str, answer: str = "", *, at: int | None = None) -> list[wires.Record]:
    """What a host writes of one turn."""
    time = wires.START + (number * MINUTE if at is None else at)
    step = f"s{number}"
    return [
        wires.prompt(asked, time=time),
        wires.step(step, turnId=str(number)),
        wires.said(answer, stepUuid=step),
    ]


def found(workspace: Workspace, query: str, **options: Any) -> set[tuple[str, int]]:  # noqa: ANN401 — as search_context
    matches = workspace.search_context(query, limit=64, **options).matches
    assert len({(one.session_id, one.turn_id) for one in matches}) == len(matches)
    return {(one.session_id, one.turn_id) for one in matches}
