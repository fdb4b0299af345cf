"""One call of each tool of a workspace, over a small store in which time stands still."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from membound.workspace import Workspace
from membound.workspace.identity import workspace_hash
from membound.workspace.tools.registry import TOOLS, Reply, call
from tests import wires

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CALLS", "FAILING", "replies"]

Arguments = dict[str, Any]

PROJECT: Final = "/home/ada/projects/orchard-bot"
STORES: Final = "/home/ada/.local/share/membound/workspaces"
SESSION: Final = "session_2b7c"
START: Final = datetime(2026, 2, 20, 9, tzinfo=UTC)
"""When the first note of the store is written; the session begins an hour before."""

NOTES: Final = (
    (
        "memory/decisions",
        "use-sqlite-queue",
        "Jobs go through SQLite in WAL mode: one machine, one file, and it survives a crash.\n",
        ("decision", "queue"),
    ),
    (
        "memory/rules",
        "no-spray-in-bloom",
        "Never start a spray job while the trees are in bloom.\n",
        ("rule", "safety"),
    ),
    ("memory", "支付流程", "支付先锁单，再扣库存。\n", ("knowledge",)),
    ("notes", "todo-scratch", "Ask Ben about the pump.\n", ("scratch",)),
)
"""What the store holds before the first call: folder, key, text and tags."""

ESSENCE: Final = "# Orchard bot\n\n- Jobs go through SQLite. (memory/decisions/use-sqlite-queue)\n"
TURN: Final = {"sessionId": SESSION, "turnId": 1}
IN_DECISIONS: Final = {"key": "use-sqlite-queue", "folder": "memory/decisions"}

CALLS: Final[dict[str, Arguments]] = {
    "remember": {
        "key": "retry-with-jitter",
        "folder": "memory/decisions",
        "content": "A failed job is tried again after 1, 2 and 4 minutes, with jitter.\n",
        "tags": ["decision", "queue"],
        "themes": ["queue design"],
    },
    "recall": IN_DECISIONS,
    "recall_recent": {"n": 2},
    "search": {"query": "which queue do jobs use", "folder": "memory"},
    "list": {"folder": "memory/decisions"},
    "list_tags": {},
    "delete": {"key": "todo-scratch", "folder": "notes"},
    "move": {"key": "支付流程", "toFolder": "memory/knowledge"},
    "organize_memories": {"content": ESSENCE, "sources": ["memory/decisions/use-sqlite-queue"]},
    "get_current_workspace": {},
    "sync_workspace_index": {"folderComments": {"memory/decisions": "Why we chose things"}},
    "bootstrap_workspace": {"detailed_rounds": 1, "summary_rounds": 1, "force": True},
    "load_workspace_context": {"detailed_rounds": 1, "summary_rounds": 0},
    "load_more_context": {"before_turn_id": 2, "limit": 1},
    "search_context": {"query": "broker", "date_from": "2026-02-20"},
    "load_turn_context": {"references": [TURN, {"sessionId": SESSION, "turnId": 9}]},
    "tag_theme": {"theme": "queue design", **TURN},
    "trace_theme": {"theme": "queue design"},
    "list_themes": {},
    "refine_session_turns": {"sessionId": SESSION, "turnIds": [1]},
    "delete_theme": {"theme": "queue design"},
    "retrieve": {"query": "may I spray while the trees bloom?", "limit": 1},
    "explain": {"query": "may I spray while the trees bloom?", "limit": 1},
}
"""The arguments of the call of each tool; they are called in the order of `TOOLS`."""

FAILING: Final[tuple[str, Arguments]] = ("list", {"folder": "memory", "newest": True})
"""A tool, and a call of it that is refused."""


def replies() -> Iterator[tuple[str, Arguments, Reply]]:
    """Calls every tool once, and gives its name, the call's arguments and the reply.

    The refused call comes last, by the name `failing`.
    """
    with tempfile.TemporaryDirectory() as made:
        root = Path(made).resolve()
        with _opened(root) as workspace:
            for name, tool in TOOLS.items():
                reply = call(tool, CALLS[name], lambda: workspace)
                yield name, CALLS[name], _placed(reply, root)
            name, arguments = FAILING
            yield "failing", arguments, call(TOOLS[name], arguments, lambda: workspace)


@contextmanager
def _opened(root: Path) -> Iterator[Workspace]:
    """Opens a workspace with its notes, each written a minute after the one before."""
    _write_session(root / "sessions")
    now = START
    with Workspace.open(
        PROJECT,
        root=root / "store",
        sessions_root=root / "sessions",
        environment={},
        clock=lambda: now,
    ) as workspace:
        for folder, key, text, tags in NOTES:
            workspace.remember(key, text, folder=folder, tags=tags)
            now += timedelta(minutes=1)
        yield workspace


def _write_session(root: Path) -> None:
    """Writes the session of a host: three turns, a minute apart."""
    told = (
        ("Where do jobs wait?", "In the table `jobs` of SQLite."),
        ("Should we move jobs to a broker?", "Decided: no broker, as there is one machine."),
        ("Add the retry, please.", "Done, in src/queue.py."),
    )
    begun = int((START - timedelta(hours=1)).timestamp() * 1_000)
    records: list[wires.Record] = []
    for number, (user, agent) in enumerate(told):
        records += [
            wires.prompt(user, time=begun + number * 60_000),
            wires.called(f"c{number}", turnId=str(number), args={"path": "src/queue.py"}),
            wires.given(f"c{number}", "42 lines"),
            wires.said(agent, turnId=str(number)),
        ]
    wire = root / f"wd_orchard-bot_{workspace_hash(PROJECT)}" / SESSION / "agents/main/wire.jsonl"
    wire.parent.mkdir(parents=True)
    wire.write_bytes(wires.wire(records))
    os.utime(wire, (START.timestamp(), START.timestamp()))


def _placed(reply: Reply, root: Path) -> Reply:
    """Puts the store where a user's would lie."""
    fields = json.dumps(reply.fields, ensure_ascii=False).replace(str(root / "store"), STORES)
    return Reply(fields=json.loads(fields), failed=reply.failed)
