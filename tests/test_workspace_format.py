"""The page on the format: what it shows is what is written, to the byte."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from membound.workspace import Workspace
from membound.workspace.config import read as read_config
from membound.workspace.identity import read_links, workspace_hash

PAGE = Path(__file__).resolve().parent.parent / "docs" / "workspace-format.md"
BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def shown(start: str) -> str:
    """The block of the page that starts so."""
    blocks = [match[2] for match in BLOCKS.finditer(PAGE.read_text(encoding="utf-8"))]
    (found,) = [block for block in blocks if block.startswith(start)]
    return found


@pytest.fixture(name="folder")
def workspace_of_the_page(tmp_path: Path) -> Path:
    times = iter([1, 1, 9])
    minute = 1

    def clock() -> datetime:
        nonlocal minute
        minute = next(times, minute)
        return datetime(2026, 3, 1, 9, minute, tzinfo=UTC)

    place = {"folder": "memory/decisions"}
    with Workspace.open(tmp_path, root=tmp_path / "stores", clock=clock) as workspace:
        workspace.remember(
            "use-sqlite-queue",
            "Jobs go.\n",
            tags=["decision", "queue"],
            themes=["Queue Design"],
            **place,
        )
        text = "Jobs go through SQLite, not a broker: there is one machine.\n"
        workspace.remember("use-sqlite-queue", text, **place)
        return workspace.path


def test_the_note_is_what_is_written(folder: Path) -> None:
    written = (folder / "memory/decisions/use-sqlite-queue.md").read_text(encoding="utf-8")
    assert written == shown("---\n")


def test_the_cache_is_what_is_written(folder: Path) -> None:
    written = (folder / "index.json").read_text(encoding="utf-8")
    assert written == shown('{\n  "version": "3-kv"').rstrip("\n")


def test_the_theme_is_what_is_written_but_for_its_turn(folder: Path) -> None:
    told = json.loads(shown('{\n  "theme"'))
    written = json.loads((folder / "themes/Queue_Design.json").read_text(encoding="utf-8"))
    assert list(told["turns"][0]) == ["sessionId", "turnId", "timestamp"]
    assert told | {"turns": []} == written


def test_the_settings_and_links_are_read(folder: Path) -> None:
    config = read_config(shown('{"version": 1').encode())
    assert config.notices == ()
    assert (config.detailed_rounds, config.recent_changes) == (3, 5)
    links = read_links(shown('{"b3c9').encode())
    assert links == {workspace_hash("/home/ada/projects/orchard-bot"): "workspace-4fd01c2be9a7"}
    assert folder.name == f"workspace-{workspace_hash(str(folder.parent.parent))}"


def test_what_lies_in_our_folder_is_told(folder: Path) -> None:
    page = PAGE.read_text(encoding="utf-8").partition("\n## .membound\n")[2]
    told = set(re.findall(r"`([^`/ ]+)/?`", page.partition("\n## ")[0]))
    found = {path.name for path in (folder / ".membound").iterdir()}
    assert found <= told
