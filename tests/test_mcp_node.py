"""The clients of others, which `make clients` gets: TypeScript SDKs, the inspector's command."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_server import COMMAND, Place

FOLDER = Path(__file__).parent / "node"
NODE = shutil.which("node")
PACKAGES = FOLDER / "node_modules" / "@modelcontextprotocol"

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
    pytest.mark.skipif(not PACKAGES.is_dir(), reason="the clients are not: make clients"),
]


def ran(place: Place, *words: str) -> Any:  # noqa: ANN401 — any JSON value
    assert NODE is not None
    done = subprocess.run(
        [NODE, *words],
        capture_output=True,
        check=False,
        timeout=60,
        env=place.environment,
        cwd=place.project,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize("sdk", ["1", "2"])
def test_the_typescript_client_reads_every_answer(tmp_path: Path, sdk: str) -> None:
    calls = [
        ["remember", {"key": "frost", "content": "the alarm fires at -1.5", "tags": ["a"]}],
        ["recall", {"key": "frost"}],
        ["search", {"query": "alarm"}],
        ["list", {}],
        ["recall", {"key": 7}],
        ["delete", {"key": "ghost"}],
    ]
    script = str(FOLDER / "calls.mjs")
    answers = ran(Place(tmp_path), script, sdk, json.dumps(calls), *COMMAND)
    assert answers["server"]["name"] == "membound"
    assert len(answers["tools"]) == 23
    assert len(answers["prompts"]) == 3
    failed = [result.get("isError", False) for result in answers["results"]]
    assert failed == [False, False, False, False, True, True]
    assert answers["results"][1]["structuredContent"]["content"] == "the alarm fires at -1.5"
    assert [one["uri"] for one in answers["resources"]] == ["memory://memory/frost"]


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("tools/list", []),
        ("prompts/list", []),
        ("resources/list", []),
        ("tools/call", ["--tool-name", "remember", "--tool-arg", "key=frost"]),
    ],
)
def test_the_inspector_has_no_complaint(tmp_path: Path, method: str, more: list[str]) -> None:
    inspector = PACKAGES / "inspector-cli" / "build" / "cli.js"
    answer = ran(Place(tmp_path), str(inspector), "--cli", *COMMAND, "--method", method, *more)
    assert answer.get("isError", False) is False
    assert answer
