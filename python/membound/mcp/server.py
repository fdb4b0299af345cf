"""Serving a workspace: over stdio to the client that started us, or over HTTP on this machine.

The SDK is loaded by the functions: what it takes to load is no price of importing this module, and
over stdio the wire is ours before the first of its modules runs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from membound.mcp.sdk import loading
from membound.mcp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["require_extra", "serve_http", "serve_stdio"]


def require_extra() -> None:
    """Loads what serving over stdio takes, and serves nothing.

    Raises:
        MissingExtraError: the extra ``mcp`` is not installed: a client could not start the server.
    """
    with loading():
        import_module("membound.mcp.stdio")


def serve_stdio(settings: Mapping[str, Any], *, log_level: str = "WARNING") -> None:
    """Serves one client over standard input and output, until its end of the input.

    Standard output carries the protocol and nothing else: from now on, whatever else writes there
    writes to standard error. The process is at its end with the input: it is ended for good soon
    after this returns, and not later than a running call would allow.

    Args:
        settings: what `Workspace.open` is called with.
        log_level: the least level of what is logged to standard error.

    Raises:
        InvalidInputError: the level is none.
        MissingExtraError: the extra ``mcp`` is not installed.
    """
    wire = Wire.claim()
    with loading():
        from membound.mcp.logs import log_to_stderr  # noqa: PLC0415
        from membound.mcp.stdio import serve  # noqa: PLC0415

    log_to_stderr(log_level)
    serve(wire, settings)


def serve_http(
    settings: Mapping[str, Any],
    host: str,
    port: int,
    token: str,
    *,
    log_level: str = "WARNING",
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serves clients on this machine over streamable HTTP at ``/mcp``, until it is interrupted.

    Args:
        settings: what `Workspace.open` is called with.
        host: a loopback address; for other machines, put a proxy of your own before it.
        port: where to listen.
        token: what every request has to bear in its ``Authorization`` header.
        log_level: the least level of what is logged to standard error.
        ready: is told the server's address once it is listened at.

    Raises:
        InvalidInputError: the host is not this machine alone, the port not free, the token too
            short, or the level none.
        MissingExtraError: the extra ``mcp`` is not installed.
    """
    with loading():
        from membound.mcp.http import Listener  # noqa: PLC0415
        from membound.mcp.logs import log_to_stderr  # noqa: PLC0415

    listener = Listener(host, port, token)
    log_to_stderr(log_level)
    listener.serve(settings, ready)
