"""The server over HTTP: only with the token, only for this machine, for no page of the web."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from membound.errors import InvalidInputError
from membound.mcp.server import serve_http
from tests.command import Command
from tests.mcp_server import Place, inner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "a-token-of-the-tests"  # noqa: S105 — of the tests
PING = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    place = Place(tmp_path_factory.mktemp("http"))
    number = free_port()
    said = f"import membound.mcp.server as s\ns.serve_http({{}}, '127.0.0.1', {number}, {TOKEN!r})"
    with subprocess.Popen(
        [sys.executable, "-c", said],
        env=place.environment,
        cwd=place.project,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_for(number)
            yield number
        finally:
            process.terminate()
            output, _ = process.communicate(timeout=10)
            assert output == b""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server does not listen")


def answered(
    port: int, path: str = "/mcp", method: str = "POST", **headers: str
) -> tuple[int, dict[str, str]]:
    """The status and the headers of the answer to a request."""
    given: dict[str, str] = {
        "Host": f"127.0.0.1:{port}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {TOKEN}",
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            if value:
                connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(PING)))
        connection.endheaders(PING.encode())
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}
    finally:
        connection.close()


def test_a_request_with_the_token_is_served(port: int) -> None:
    status, headers = answered(port)
    assert status == 200
    assert not {name for name in headers if name.startswith("access-control")}


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer wrong", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x"]
)
@pytest.mark.parametrize("path", ["/mcp", "/", "/mcp/../x"])
def test_without_the_token_nothing_is_told(port: int, authorization: str, path: str) -> None:
    status, headers = answered(port, path, Authorization=authorization)
    assert status == 401
    assert headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1.evil.example"],
)
def test_a_page_of_the_web_is_refused_d1(port: int, origin: str) -> None:
    status, headers = answered(port, Origin=origin)
    assert status == 403
    assert "access-control-allow-origin" not in headers


def test_a_preflight_opens_nothing_d1(port: int) -> None:
    status, headers = answered(
        port, method="OPTIONS", Origin="https://evil.example", Authorization=""
    )
    assert status >= 400
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1"])
def test_another_name_for_this_machine_is_refused(port: int, host: str) -> None:
    status, _ = answered(port, Host=host)
    assert status == 421


def test_a_form_of_a_page_is_no_request(port: int) -> None:
    status, _ = answered(port, Content_Type="text/plain")
    assert status >= 400


def test_the_official_client_remembers_and_recalls(port: int) -> None:
    async def use() -> tuple[Any, Any]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
            streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            written = await session.call_tool("remember", {"key": "over-http", "content": "frost"})
            read = await session.call_tool("recall", {"key": "over-http"})
            return inner(written), inner(read)

    written, read = anyio.run(use)
    assert written["success"]
    assert read["content"] == "frost"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", ""])  # noqa: S104 — to be refused
def test_only_this_machine_is_served(host: str) -> None:
    with pytest.raises(InvalidInputError, match="host: expected an address of this machine"):
        serve_http({}, host, 8_000, TOKEN)


@pytest.mark.parametrize("token", ["", "short", "with\nline feed of sixteen", "ключ" * 8])
def test_a_token_that_protects_nothing_is_refused(token: str) -> None:
    with pytest.raises(InvalidInputError, match="token: expected at least 16") as caught:
        serve_http({}, "127.0.0.1", 8_000, token)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_of_another_program_is_told_and_nothing_is_said_to_be_served(host: str) -> None:
    ready: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        with pytest.raises(InvalidInputError) as refused:
            serve_http({}, host, number, TOKEN, ready=ready.append)
    assert str(refused.value) == (
        f"port: expected a free one, got {number}, where another program listens"
    )
    assert ready == []


@pytest.mark.parametrize(
    ("address", "token"), [("192.168.0.1:8765", TOKEN), ("127.0.0.1:8765", "short")]
)
def test_the_command_says_that_it_serves_only_where_it_does(
    tmp_path: Path, address: str, token: str
) -> None:
    refused = Command(tmp_path / "store")("mcp", "--http", address, "--token", token)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "serving" not in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_command_says_where_it_serves_once_one_can_connect(tmp_path: Path, host: str) -> None:
    place = Place(tmp_path)
    number = free_port()
    said = [sys.executable, "-m", "membound.cli", "mcp", "--http", f"{host}:{number}"]
    with subprocess.Popen(
        said,
        env={**place.environment, "MEMBOUND_MCP_TOKEN": TOKEN},
        cwd=place.project,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line == f"serving on http://{host}:{number}/mcp; Ctrl-C ends it\n"
            assert answered(number, Host=f"{host}:{number}")[0] == 200
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=10) == 0
