"""The server as a process: its wire, its start, its end, cancelling, logs, and two at once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp import Client as Client2026
from mcp import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from tests.mcp_server import COMMAND, Client, Place, Raw, client, inner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_types import CallToolResult

# A plug-in that prints wherever it can, before anything of ours is loaded.
NOISY = """
import logging, sys, threading, time, warnings

class Loud(logging.Handler):
    def emit(self, record):
        print("plug-in:", record.getMessage())

def chatter():
    while threading.main_thread().is_alive():
        print("noise", flush=True)
        sys.__stdout__.write("more noise\\n")
        time.sleep(0.001)

from membound.mcp import server
from membound.mcp.wire import Wire
claim = Wire.claim
def noisy_claim():
    wire = claim()
    logging.getLogger().addHandler(Loud())
    threading.Thread(target=chatter).start()
    warnings.simplefilter("always")
    warnings.warn("a warning of a plug-in")
    return wire
Wire.claim = noisy_claim
server.serve_stdio({}, log_level="DEBUG")
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def served(place: Place) -> Iterator[Client]:
    with client(place) as connected:
        yield connected


def test_the_server_says_who_it_is_and_lists_every_tool(served: Client) -> None:
    tools = served.do(served.session.list_tools).tools
    assert len(tools) == 23
    assert all(tool.annotations and tool.annotations.open_world_hint is False for tool in tools)
    read_only = {
        tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint
    }
    assert {"recall", "search", "list", "retrieve"} <= read_only
    assert not {"remember", "delete", "move", "tag_theme"} & read_only
    assert len(json.dumps([tool.model_dump(exclude_none=True) for tool in tools])) < 25_000


def test_an_unknown_tool_is_an_error_of_the_protocol(served: Client) -> None:
    with pytest.raises(MCPError, match="Unknown tool: 'no_such_tool'") as caught:
        served.do(served.session.call_tool, "no_such_tool", {})
    assert caught.value.code == -32602


def test_standard_output_carries_the_protocol_alone_c098(place: Place) -> None:
    with Raw(place, [sys.executable, "-c", NOISY]) as raw:
        assert raw.shake_hands()["result"]["serverInfo"]["name"] == "membound"
        for at in range(10):
            assert "result" in raw.call("remember", key=f"note-{at}", content="frost alarm")
            assert raw.call("recall", key="../x")["result"]["isError"]
            assert raw.call("search", query="frost")["result"]["isError"] is False
            assert "error" in raw.call("nothing")
        for line in raw.end().splitlines():
            assert json.loads(line)["jsonrpc"] == "2.0"
        assert b"noise" in (place.folder / "stderr").read_bytes()


@pytest.mark.parametrize("calls", [0, 3])
def test_the_process_ends_well_with_its_input_c096(place: Place, calls: int) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        for at in range(calls):
            raw.call("remember", key=f"k{at}", content="x")
        began = time.monotonic()
        raw.end()
        assert time.monotonic() - began < 2


def test_calls_that_came_before_the_end_of_input_are_answered(place: Place) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        asked = [
            raw.send("tools/call", {"name": "remember", "arguments": {"key": f"k{at}"}})
            for at in range(5)
        ]
        answers = [json.loads(line) for line in raw.end().splitlines()]
        assert sorted(answer["id"] for answer in answers) == asked
        assert not any(answer["result"]["isError"] for answer in answers)


@pytest.mark.parametrize("line", [b"{\n", b"[]\n", b"\xff\xfe\n", b"\n", b'{"jsonrpc":"2.0"}\n'])
def test_a_line_that_is_no_message_costs_nothing_else(place: Place, line: bytes) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        assert raw.process.stdin is not None
        raw.process.stdin.write(line)
        assert raw.call("list_tags")["result"]["structuredContent"]["tags"] == []
        raw.end()


@pytest.mark.parametrize("request_id", [[], {}, None, 1.5, True, "x", 10**30])
def test_what_is_cancelled_may_be_anything(place: Place, request_id: object) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        raw.send("notifications/cancelled", {"requestId": request_id}, asks=False)
        assert raw.call("list_tags")["result"]["isError"] is False
        raw.end()


def test_a_client_of_the_newest_protocol_is_served(place: Place) -> None:
    async def use() -> tuple[str, CallToolResult, CallToolResult]:
        parameters = StdioServerParameters(
            command=COMMAND[0], args=COMMAND[1:], env=place.environment, cwd=place.project
        )
        async with Client2026(stdio_client(parameters)) as modern:
            written = await modern.call_tool("remember", {"key": "k", "content": "x"})
            read = await modern.call_tool("recall", {"key": "k"})
            return modern.session.protocol_version or "", written, read

    version, written, read = anyio.run(use)
    assert version >= "2026"
    assert inner(written)["success"]
    assert inner(read)["content"] == "x"


def test_an_end_before_any_word_is_an_end(place: Place) -> None:
    with Raw(place) as raw:
        assert raw.end() == b""


def test_nothing_is_read_or_made_before_the_first_call_c093(place: Place) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        raw.answer(raw.send("tools/list"))
        raw.answer(raw.send("prompts/list"))
        assert not (place.folder / "store").exists()
        raw.call("list")
        raw.end()


def test_the_sdk_is_loaded_without_its_client() -> None:
    said = (
        "import sys\n"
        "from membound.mcp.sdk import loading\n"
        "with loading():\n"
        "    import membound.mcp.stdio\n"
        "assert 'mcp.client' not in sys.modules\n"
        "import mcp\n"
        "assert mcp.ClientSession and mcp.server.MCPServer\n"
    )
    subprocess.run([sys.executable, "-c", said], check=True)


SLOW = """
import time
import msgspec
from membound.mcp import server
from membound.mcp.sdk import loading
with loading():
    from membound.workspace.tools import registry

def run(workspace, asked):
    time.sleep(30)
    return {"tags": []}

tool = msgspec.structs.replace(registry.TOOLS["list_tags"], run=run, long=True)
registry.TOOLS["list_tags"] = tool
server.serve_stdio({})
"""


def test_a_cancelled_call_is_not_answered_and_holds_up_nothing(place: Place) -> None:
    with Raw(place, [sys.executable, "-c", SLOW]) as raw:
        raw.shake_hands()
        raw.call("list")
        began = time.monotonic()
        cancelled = raw.send("tools/call", {"name": "list_tags", "arguments": {}})
        raw.send("notifications/cancelled", {"requestId": cancelled}, asks=False)
        assert raw.call("recall", key="k")["result"]["isError"] is False
        ids = [json.loads(line).get("id") for line in raw.end().splitlines()]
        assert cancelled not in ids
        assert time.monotonic() - began < 3


def test_a_call_at_work_does_not_keep_the_process_from_its_end_c096(place: Place) -> None:
    with Raw(place, [sys.executable, "-c", SLOW]) as raw:
        raw.shake_hands()
        asked = {"name": "list_tags", "arguments": {}, "_meta": {"progressToken": "p"}}
        request = raw.send("tools/call", asked)
        began = time.monotonic()
        *told, last = [json.loads(line) for line in raw.end().splitlines()]
        assert time.monotonic() - began < 2.5
    assert [one["params"]["progress"] for one in told] == [0.5, 1.0][: len(told)]
    assert told
    assert last["id"] == request
    assert "error" in last


TALKATIVE = """
import logging
from membound.log import logger
from membound.mcp import server
from membound.mcp.sdk import loading
with loading():
    from membound.workspace.tools import memory, registry

def run(workspace, asked):
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        logger().log(level, "said at %d\\u202e", level)
    return {"tags": []}

import msgspec
tool = msgspec.structs.replace(registry.TOOLS["list_tags"], run=run)
registry.TOOLS["list_tags"] = tool
server.serve_stdio({}, log_level="CRITICAL")
"""


@pytest.mark.parametrize(
    ("chosen", "levels"),
    [
        (None, ["warning", "error"]),
        ("emergency", []),
        ("debug", ["debug", "info", "warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_what_a_call_logs_reaches_its_client_from_the_level_on_that_it_chose(
    place: Place, chosen: str | None, levels: list[str]
) -> None:
    with Raw(place, [sys.executable, "-c", TALKATIVE]) as raw:
        raw.shake_hands()
        if chosen:
            raw.answer(raw.send("logging/setLevel", {"level": chosen}))
        raw.send("tools/call", {"name": "list_tags", "arguments": {}})
        *told, answer = [json.loads(line) for line in raw.end().splitlines()]
    assert answer["result"]["isError"] is False
    assert [one["params"]["level"] for one in told] == levels
    assert {one["method"] for one in told} <= {"notifications/message"}
    assert all("\\u202e" in one["params"]["data"] for one in told)
    assert (place.folder / "stderr").read_bytes() == b""


def test_long_tools_tell_that_they_are_at_work(served: Client) -> None:
    told: list[float] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        assert message
        told.append(progress)

    async def sync() -> CallToolResult:
        return await served.session.call_tool("sync_workspace_index", {}, progress_callback=tell)

    assert served.do(sync).structured_content["synced"]
    assert told == sorted(told)


def test_two_servers_on_one_workspace_lose_nothing_w23_w24(place: Place) -> None:
    def write(raw: Raw, name: str) -> None:
        for at in range(12):
            answer = raw.call("remember", key=f"{name}-{at}", content=name, themes=["shared"])
            assert answer["result"]["isError"] is False, answer

    expected = {f"{name}-{at}" for name in "ab" for at in range(12)}
    with Raw(place) as first, Raw(place) as second:
        first.shake_hands()
        second.shake_hands()
        other = threading.Thread(target=write, args=(second, "b"))
        other.start()
        write(first, "a")
        other.join()
        for raw in (first, second):
            listed = raw.call("list")["result"]["structuredContent"]["items"]
            assert {item["key"] for item in listed} == expected
            traced = raw.call("trace_theme", theme="shared")["result"]["structuredContent"]
            assert {memory["key"] for memory in traced["memories"]} == expected
            raw.end()
    index = next((place.folder / "store").glob("workspace-*/index.json"))
    entries = json.loads(index.read_bytes())["index"]
    assert {f"memory/{key}.md" for key in expected} <= set(entries)


def test_a_failure_of_ours_is_a_reply_and_no_end(place: Place) -> None:
    said = (
        "from membound.mcp import server\n"
        "from membound.mcp.sdk import loading\n"
        "with loading():\n"
        "    from membound.workspace.tools import registry\n"
        "    from membound.mcp import host\n"
        "def workspace(self):\n"
        "    raise ZeroDivisionError('/secret/path')\n"
        "host.Host.workspace = workspace\n"
        "server.serve_stdio({})\n"
    )
    with Raw(place, [sys.executable, "-c", said]) as raw:
        raw.shake_hands()
        answer = raw.call("list_tags")["result"]
        assert answer["isError"]
        assert "/secret" not in json.dumps(answer)
        assert "itself failed" in answer["structuredContent"]["error"]
        raw.end()
        assert b"/secret/path" in (place.folder / "stderr").read_bytes()


def test_an_unknown_level_of_logging_is_told_on_standard_error(place: Place) -> None:
    environment = {**place.environment, "MEMBOUND_LOG": "loud"}
    done = subprocess.run(
        COMMAND, input=b"", capture_output=True, check=False, env=environment, cwd=place.project
    )
    assert done.returncode != 0
    assert done.stdout == b""
    assert b"one of DEBUG, INFO" in done.stderr


def test_calls_that_run_at_once_wait_for_each_other_and_all_succeed(place: Place) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        began = time.monotonic()
        for at in range(40):
            note = {"key": f"k{at}", "content": "frost", "themes": ["one"], "tags": [f"t{at}"]}
            raw.send("tools/call", {"name": "remember", "arguments": note})
            raw.send("tools/call", {"name": "list", "arguments": {}})
            raw.send("tools/call", {"name": "search", "arguments": {"query": "frost"}})
        assert raw.process.stdout is not None
        for _ in range(120):
            answer = json.loads(raw.process.stdout.readline())
            assert answer["result"]["isError"] is False, answer
        assert time.monotonic() - began < 10
        assert len(raw.call("list")["result"]["structuredContent"]["items"]) == 40
        traced = raw.call("trace_theme", theme="one")["result"]["structuredContent"]
        assert traced["memoryCount"] == 40
        raw.end()


def test_a_client_may_ask_much_before_it_reads(place: Place) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        raw.call("list_tags")
        folder = "/".join(["memory", *["x" * 150] * 6])
        asked = {"name": "recall", "arguments": {"key": "y" * 150, "folder": folder}}
        ids = [raw.send("tools/call", asked) for _ in range(200)]
        answers = [json.loads(line) for line in raw.end().splitlines()]
        assert sorted(answer["id"] for answer in answers) == ids
        assert not any(answer["result"]["isError"] for answer in answers)


def test_a_person_at_the_terminal_can_interrupt_it(place: Place) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        raw.call("remember", key="k")
        raw.process.send_signal(signal.SIGINT)
        assert raw.process.wait(timeout=2) == -signal.SIGINT
    assert (place.folder / "stderr").read_bytes() == b""


def test_a_store_that_cannot_be_opened_is_told_and_tried_again(place: Place) -> None:
    store = place.folder / "store"
    store.write_text("no folder")
    with Raw(place) as raw:
        raw.shake_hands()
        failed = raw.call("list")["result"]
        assert failed["isError"]
        assert "a folder, or nothing yet" in failed["structuredContent"]["error"]
        assert raw.call("get_current_workspace")["result"]["isError"]
        store.unlink()
        assert raw.call("remember", key="k")["result"]["isError"] is False
        raw.end()


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (rb'{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"x\ud800"}}', 50),
        (b'{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"\xff"}}', "s"),
        (b'{"jsonrpc":"2.0","id":51,"method":"ping","params":[1]}', 51),
        (b'{"jsonrpc":"2.0","id":52,"method":5}', 52),
        (b'{"jsonrpc":"2.0","id":53,"method":"ping","params":{"n":' + b"7" * 5_000 + b"}}", 53),
    ],
    ids=["surrogate", "bytes", "params", "method", "number"],
)
def test_a_request_that_is_none_is_answered(place: Place, line: bytes, id: str | int) -> None:
    with Raw(place) as raw:
        raw.shake_hands()
        assert raw.process.stdin is not None
        for garbage in (b"garbage", b"[1,2]", b'{"id":true}', b"[" * 100_000, b'{"id":9}'):
            raw.process.stdin.write(garbage + b"\n")
        raw.process.stdin.write(line + b"\n")
        raw.process.stdin.flush()
        answer = raw.answer(id)
        assert "error" in answer or "result" in answer
        assert "result" in raw.answer(raw.send("ping"))
        raw.end()
