"""The server over stdio: lines in, lines out, and an end that waits for what is still running."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio import to_thread
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from membound.excerpt import excerpt
from membound.log import logger
from membound.mcp.app import application
from membound.mcp.host import Host
from membound.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp_types import JSONRPCMessage, RequestId

    from membound.mcp.wire import Wire

__all__ = ["serve"]

_GRACE: Final = 1.0
"""Seconds that running calls have to answer after the end of the input."""
_END: Final = 1.6
"""Seconds after the end of the input when the process ends whatever still runs."""
_CANCELLED: Final = "notifications/cancelled"


def serve(wire: Wire, settings: Mapping[str, Any]) -> None:
    """Serves one client until the end of its input.

    An interrupt ends the process at once: files are whole at any moment, and the thread that waits
    for the next line cannot be told that none is wanted.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with Host(settings) as host:
        anyio.run(_Connection(wire).serve, host)


class _Connection:
    """One client on a wire, and which of its requests wait for their answer."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._open: set[RequestId | None] = set()
        self._settled = anyio.Event()

    async def serve(self, host: Host) -> None:
        """Serves until the end of the input."""
        server = application(host)
        to_server, requests = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        answers, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, to_server, answers.clone())
            tasks.start_soon(self._write, from_server)
            await server.run(requests, answers, server.create_initialization_options())

    async def _read(
        self,
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        answers: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        async with to_server, answers:
            while line := await to_thread.run_sync(self._wire.read, abandon_on_cancel=True):
                if line.isspace():
                    continue
                message = self._message(line)
                if isinstance(message, Exception) and (refusal := _refusal(line, message)):
                    await answers.send(SessionMessage(refusal))
                else:
                    await to_server.send(message)
            _end_later()
            with anyio.move_on_after(_GRACE):
                while self._open:
                    self._settled = anyio.Event()
                    await self._settled.wait()

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for item in from_server:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                line = text.encode() + b"\n"
                try:
                    # In a thread: a client that writes before it reads must not wait for itself.
                    await to_thread.run_sync(self._wire.write, line, abandon_on_cancel=True)
                except OSError as fault:
                    logger().debug("the client reads no more: %s", fault)
                self._settle(item.message)

    def _message(self, line: bytes) -> SessionMessage | Exception:
        """Reads a line; one that is no message is given as what is wrong with it."""
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as fault:
            logger().warning("a line of %d bytes is no JSON-RPC message", len(line))
            return fault
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification):
            self._settle(message)
        return SessionMessage(message)

    def _settle(self, message: JSONRPCMessage) -> None:
        """Takes note of a request that is answered, or that the client waits for no more."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._open.discard(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            request = (message.params or {}).get("requestId")
            if isinstance(request, str | int):
                self._open.discard(request)
        self._settled.set()


def _refusal(line: bytes, fault: Exception) -> JSONRPCError | None:
    """Gives the answer to a request that is none of the protocol; None where it names no id."""
    try:
        told = json.loads(line.decode("utf-8", "replace"), parse_int=_short)
    except (ValueError, RecursionError):
        return None
    id = told.get("id") if isinstance(told, dict) and "method" in told else None
    if not (type(id) is int or (isinstance(id, str) and id == well_formed(id))):
        return None
    first = str(fault).partition("\n")[0]
    message = f"the request cannot be read: {excerpt(first)}; is its text UTF-8, and whole?"
    error = ErrorData(code=INVALID_REQUEST, message=message)
    return JSONRPCError(jsonrpc="2.0", id=id, error=error)


def _short(digits: str) -> int:
    """Reads a whole number; one that is too long for any id is as good as another."""
    return int(digits[:20])


def _end_later() -> None:
    """Ends the process in a while, even with a thread at work: files are whole at any moment."""
    timer = threading.Timer(_END, os._exit, (0,))
    timer.daemon = True
    timer.start()
