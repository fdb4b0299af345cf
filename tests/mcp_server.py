"""A server in a process of its own over a store on disk, and the official client to call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from anyio.from_thread import start_blocking_portal
from mcp import ClientSession, StdioServerParameters, stdio_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import TypeVar

    from anyio.from_thread import BlockingPortal
    from mcp_types import CallToolResult, LoggingMessageNotificationParams

    _T = TypeVar("_T")

__all__ = ["Client", "Place", "Raw", "client", "inner"]

COMMAND = [sys.executable, "-m", "membound.mcp"]
_OPENING = "<MEMORY_REFERENCE_DATA "
_CLOSING = "</MEMORY_REFERENCE_DATA>"


@dataclass(frozen=True)
class Place:
    """Where a server runs: a project, a store, sessions and a home, all under one folder."""

    folder: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Path:
        path = self.folder / "project"
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        if "PYTHONPATH" in kept:
            kept["PYTHONPATH"] = os.path.abspath(kept["PYTHONPATH"])  # noqa: PTH100 — of one entry
        mine = {
            "HOME": str(self.folder / "home"),
            "MEMBOUND_WORKSPACE_ROOT": str(self.folder / "store"),
            "MEMBOUND_SESSIONS_ROOT": str(self.folder / "sessions"),
        }
        return kept | mine | self.extra


@dataclass
class Client:
    """The official client, called from a test's own thread."""

    portal: BlockingPortal
    session: ClientSession
    logged: list[LoggingMessageNotificationParams]

    def call(self, tool: str, /, **arguments: object) -> CallToolResult:
        """Call a tool; its text is fenced JSON of its fields, whatever it is."""
        result = self.do(self._called, tool, arguments)
        assert inner(result) == result.structured_content
        return result

    async def _called(self, tool: str, arguments: dict[str, object]) -> CallToolResult:
        return await self.session.call_tool(tool, arguments)

    def ok(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool that must succeed and give its fields."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.structured_content
        fields: dict[str, Any] = result.structured_content
        return fields

    def refused(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool that must fail and give its fields."""
        result = self.call(tool, **arguments)
        assert result.is_error, result.structured_content
        fields: dict[str, Any] = result.structured_content
        assert fields["success"] is False
        return fields

    def do(self, work: Callable[..., Awaitable[_T]], *arguments: object) -> _T:
        """Await what a method of the session gives."""
        return self.portal.call(work, *arguments)


@contextmanager
def client(place: Place) -> Iterator[Client]:
    """Start a server at a place and shake hands with it."""
    logged: list[LoggingMessageNotificationParams] = []
    with start_blocking_portal() as portal:
        opened = portal.wrap_async_context_manager(_session(place, logged))
        with opened as session:
            yield Client(portal, session, logged)


@asynccontextmanager
async def _session(
    place: Place, logged: list[LoggingMessageNotificationParams]
) -> AsyncIterator[ClientSession]:
    async def log(params: LoggingMessageNotificationParams) -> None:
        logged.append(params)

    parameters = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=place.environment, cwd=place.project
    )
    with (place.folder / "stderr").open("a") as errors:
        async with (
            stdio_client(parameters, errors) as (reading, writing),
            ClientSession(reading, writing, logging_callback=log) as session,
        ):
            await session.initialize()
            yield session


def inner(result: CallToolResult) -> dict[str, Any]:
    """Give the JSON between the marks of a result's one text, which occur once each."""
    (content,) = result.content
    assert content.type == "text"
    assert content.text.count(_OPENING) == content.text.count("<") - 1 == 1
    assert content.text.count(_CLOSING) == content.text.count("</") == 1
    first, *sentences, text, last = content.text.split("\n")
    assert first.startswith(_OPENING)
    assert "untrusted" in first
    assert len(sentences) == 2
    assert last == _CLOSING
    fields: dict[str, Any] = json.loads(text)
    return fields


class Raw:
    """A server that is spoken to line by line."""

    def __init__(self, place: Place, command: list[str] | None = None) -> None:
        self.errors = (place.folder / "stderr").open("ab")
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            command or COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=place.environment,
            cwd=place.project,
        )
        self._next = 0

    def send(self, method: str, params: dict[str, Any] | None = None, *, asks: bool = True) -> int:
        """Send a request, or a notification."""
        assert self.process.stdin is not None
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if asks:
            self._next += 1
            message["id"] = self._next
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._next

    def shake_hands(self) -> dict[str, Any]:
        """Initialise, and give the server's answer."""
        asked = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        }
        answer = self.answer(self.send("initialize", asked))
        self.send("notifications/initialized", asks=False)
        return answer

    def answer(self, request: int | str) -> dict[str, Any]:
        """Wait for the answer to a request; what comes before it is passed over."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == request:
                return message
        raise EOFError(request)

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool and give the whole answer."""
        request = self.send("tools/call", {"name": tool, "arguments": arguments})
        return self.answer(request)

    def end(self) -> bytes:
        """Close the server's input; give what it still says. It has to end well, and soon."""
        output, _ = self.process.communicate(timeout=10)
        assert self.process.returncode == 0
        return output

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.communicate()
        self.errors.close()
