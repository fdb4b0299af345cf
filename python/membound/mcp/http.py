"""The server over streamable HTTP: this machine alone, with a token, for no page of the web."""

from __future__ import annotations

import errno
import hmac
import ipaddress
import socket
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import Response

from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.log import logger
from membound.mcp.app import application
from membound.mcp.host import Host

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Listener"]

_PATH: Final = "/mcp"
_SHORTEST: Final = 16
_LARGEST: Final = 64 * 1024 * 1024
_PORTS: Final = range(1, 65_536)
_LACKING: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""What the system says of an address of a kind that it has not, as where IPv6 is off."""


class Listener:
    """Where the server listens, and the token that it asks for.

    Raises:
        InvalidInputError: the host is not this machine alone, the port none, the token too short.
    """

    def __init__(self, host: str, port: int, token: str) -> None:
        _require_loopback(host)
        if port not in _PORTS:
            raise InvalidInputError("port", "a port from 1 to 65535", excerpt(port))
        if len(token) < _SHORTEST or not token.isascii() or not token.isprintable():
            expected = f"at least {_SHORTEST} printable ASCII characters"
            raise InvalidInputError("token", expected, f"{len(token)} characters")
        self._host = host
        self._port = port
        self._token = token

    def serve(
        self, settings: Mapping[str, Any], ready: Callable[[str], None] | None = None
    ) -> None:
        """Serves a workspace until it is interrupted.

        Args:
            settings: what `Workspace.open` is called with.
            ready: is told the address once it is listened at.

        Raises:
            InvalidInputError: another program listens there, or the system lets us not.
        """
        with ExitStack() as held:
            sockets = [held.enter_context(one) for one in self._sockets()]
            host = held.enter_context(Host(settings))
            app = application(host).streamable_http_app(
                streamable_http_path=_PATH,
                max_request_body_size=_LARGEST,
                transport_security=self._security(),
            )
            config = uvicorn.Config(
                _Guard(app, self._token),
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
            )
            address = f"http://{_in_address(self._host)}:{self._port}{_PATH}"
            logger().info("listening at %s", address)
            if ready is not None:
                ready(address)
            with suppress(KeyboardInterrupt):  # which has ended the server by now
                uvicorn.Server(config).run(sockets)

    def _sockets(self) -> list[socket.socket]:
        """Listens at every address that the host stands for, and that this system has."""
        with ExitStack() as opened:
            made: list[socket.socket] = []
            faults: list[OSError] = []
            for family, address in _addresses(self._host, self._port):
                try:
                    one = socket.create_server(address, family=family)
                except OSError as fault:
                    if fault.errno not in _LACKING:
                        raise _refused(self._port, fault) from fault
                    faults.append(fault)
                else:
                    made.append(opened.enter_context(one))
            if not made:
                raise _refused(self._port, faults[-1])
            opened.pop_all()
            return made

    def _security(self) -> TransportSecuritySettings:
        names = [f"{name}:{self._port}" for name in ("127.0.0.1", "localhost", "[::1]")]
        return TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        )


class _Guard:
    """Lets requests pass that bear the token; all others learn nothing, whatever they ask for."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] == "http" and not self._bears_token(scope):
            refusal = Response(status_code=401, headers={"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _bears_token(self, scope: Scope) -> bool:
        given = Headers(scope=scope).get("authorization", "")
        return hmac.compare_digest(given.encode(), self._expected)


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """Gives what a host stands for: one address, or those of the name ``localhost``."""
    hosts = ("127.0.0.1", "::1") if host == "localhost" else (host,)
    return [(socket.AF_INET6 if ":" in one else socket.AF_INET, (one, port)) for one in hosts]


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _refused(port: int, fault: OSError) -> InvalidInputError:
    """Says why nothing can listen at a port."""
    if fault.errno == errno.EADDRINUSE:
        return InvalidInputError("port", "a free one", f"{port}, where another program listens")
    reason = fault.strerror or type(fault).__name__
    return InvalidInputError("port", "one that we may listen at", f"{port}: {reason}")


def _require_loopback(host: str) -> None:
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        expected = "an address of this machine alone, such as 127.0.0.1"
        raise InvalidInputError("host", expected, excerpt(host))
