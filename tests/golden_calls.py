"""Calls of another server's tools, with what it answered, made over ours with its clock."""

from __future__ import annotations

import json
import os
import shutil
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membound.workspace import Workspace
from membound.workspace.identity import workspace_hash
from membound.workspace.tools.registry import TOOLS, call

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ABSENT", "FIXTURES", "agrees", "answers"]

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace"
SESSIONS = "session_a", "session_b"
ABSENT = "(absent)"
UNKNOWN = "no_such_tool"

Answer = tuple[dict[str, Any], dict[str, Any], bool]
"""A call as it was recorded; the fields of our answer; whether it failed."""


def answers(name: str, folder: Path) -> Iterator[Answer]:
    """Make the calls of a record in turn in a fresh workspace, whose paths are told as recorded."""
    project = folder / "proj"
    project.mkdir()
    digest = workspace_hash(str(project))
    sessions = folder / "home" / ".kimi-code" / "sessions"
    if name == "sessions":
        place_sessions(sessions / f"wd_orchard-bot_{digest}")
    calls: list[dict[str, Any]] = json.loads((FIXTURES / "golden" / f"{name}.json").read_text())
    moments = iter([datetime.fromisoformat(calls[0]["now"])])
    now = next(moments)

    with Workspace.open(
        project,
        root=folder / "home" / ".kimi-code-memory",
        sessions_root=sessions,
        environment={},
        clock=lambda: now,
    ) as workspace:
        for recorded in calls:
            if recorded["tool"] == UNKNOWN:
                assert recorded["isError"]
                continue
            now = datetime.fromisoformat(recorded["now"])
            reply = call(TOOLS[recorded["tool"]], spelled_out(recorded["args"]), lambda: workspace)
            told = json.dumps(reply.fields, ensure_ascii=False)
            told = told.replace(str(folder), "<ROOT>").replace(digest, "<WSHASH>")
            yield recorded, json.loads(told), reply.failed


def place_sessions(bucket: Path) -> None:
    """Copy the sessions to where their host keeps them, the last one written last."""
    for at, name in enumerate(SESSIONS):
        number = f"session_3d1f0a52-0000-4000-8000-00000000000{name[-1]}"
        wire = bucket / number / "agents" / "main" / "wire.jsonl"
        wire.parent.mkdir(parents=True)
        shutil.copy(FIXTURES / "sessions" / f"{name}.wire.jsonl", wire)
        os.utime(wire, (1_772_600_000 + at, 1_772_600_000 + at))


def spelled_out(arguments: dict[str, Any]) -> dict[str, Any]:
    """Give the arguments with what is long, and recorded as repeated, in full."""
    return {
        name: value["repeated"][0] * value["repeated"][1]
        if isinstance(value, dict) and "repeated" in value
        else value
        for name, value in arguments.items()
    }


def agrees(got: object, wanted: object) -> bool:
    """Tell whether all that is wanted is there: we may tell more of anything, not less."""
    match wanted:
        case dict():
            return isinstance(got, dict) and all(
                agrees(got.get(name, ABSENT), value) for name, value in wanted.items()
            )
        case list():
            return (
                isinstance(got, list) and len(got) == len(wanted) and all(map(agrees, got, wanted))
            )
        case _:
            return got == wanted
