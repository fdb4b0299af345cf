"""What is logged: to standard error, and to the client whose call it is about."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, get_args

from anyio import from_thread
from mcp.server.connection import allowed_log_levels
from mcp_types import LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams

from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from mcp.server.context import ServerRequestContext

    _T = TypeVar("_T")

__all__ = ["ClientLog", "log_to_stderr"]

_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_ORDER: Final[tuple[LoggingLevel, ...]] = get_args(LoggingLevel)
_CALL: Final[ContextVar[Callable[[logging.LogRecord], None] | None]] = ContextVar(
    "call", default=None
)


def log_to_stderr(level: str) -> None:
    """Sends what is logged in this process to standard error, from a level on.

    Raises:
        InvalidInputError: there is no such level.
    """
    if level.upper() not in _LEVELS:
        raise InvalidInputError("log_level", f"one of {', '.join(_LEVELS)}", excerpt(level))
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(level.upper())
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    logging.captureWarnings(capture=True)


class ClientLog:
    """Tells a client what is logged while its calls run, from the level on that it chose."""

    def __init__(self) -> None:
        self.choose("warning")
        _forward()

    def choose(self, level: LoggingLevel) -> None:
        """Takes a client's choice; clients of one process have one choice among them."""
        self._chosen = _ORDER[_ORDER.index(level) :]
        heard = [getattr(logging, name) for name in _LEVELS if name.lower() in self._chosen]
        logging.getLogger("membound").setLevel(min([*heard, logging.getLogger().level]))

    def telling(self, context: ServerRequestContext[Any, Any], work: Callable[[], _T]) -> _T:
        """Does a call's work in this thread, which is a worker's, and tells what it logs."""
        _CALL.set(partial(self._tell, context))
        return work()

    def _tell(self, context: ServerRequestContext[Any, Any], record: logging.LogRecord) -> None:
        level: LoggingLevel = record.levelname.lower()  # type: ignore[assignment]  # ours are these
        allowed = allowed_log_levels(context.protocol_version, context.meta)
        if level not in allowed or level not in self._chosen:
            return
        params = LoggingMessageNotificationParams(
            level=level, logger=record.name, data=printable(record.getMessage())
        )
        message = LoggingMessageNotification(params=params)
        with suppress(RuntimeError):  # the connection is gone; standard error has it all the same
            from_thread.run(context.session.send_notification, message, context.request_id)


class _Forwarding(logging.Handler):
    """Hands what is logged to whom the running call belongs."""

    def emit(self, record: logging.LogRecord) -> None:
        tell = _CALL.get()
        if tell is not None and record.levelname in _LEVELS:
            tell(record)


@cache
def _forward() -> None:
    """Listens to the package's logger, once in a process."""
    logging.getLogger("membound").addHandler(_Forwarding())
