"""Where workspaces and sessions lie, and what a person may set beside them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.text import system_path

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PATH", "Config", "Places", "places", "read"]

PATH: Final = "mcp-config.json"
"""Under the root of all stores, for all workspaces; peers write it too."""

_ROOTS: Final = ("MEMBOUND_WORKSPACE_ROOT", "MEMORY_STORE_ROOT")
_SESSIONS: Final = ("MEMBOUND_SESSIONS_ROOT", "MEMORY_SESSIONS_ROOT")
_HOST: Final = "KIMI_CODE_HOME"
_WINDOW: Final = "contextWindow"


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where things lie; all paths are absolute.

    Attributes:
        store_root: holds a folder for each workspace.
        sessions_root: holds the sessions of a host.
        home: of the user.
    """

    store_root: Path
    sessions_root: Path
    home: Path


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What ``mcp-config.json`` sets.

    Attributes:
        detailed_rounds: how many of the last turns are told in full.
        summary_rounds: how many before them in short.
        more_rounds: how many are told where more are asked for.
        recent_changes: how many notes are marked ``[new]``.
        notices: what of the file is not used, in words.
    """

    detailed_rounds: int = 3
    summary_rounds: int = 2
    more_rounds: int = 5
    recent_changes: int = 5
    notices: tuple[str, ...] = ()


def places(
    environment: Mapping[str, str],
    home: Path,
    *,
    root: object = None,
    sessions_root: object = None,
) -> Places:
    """Tells where workspaces and sessions lie: as is said, else as the environment says.

    Args:
        environment: a variable that is empty counts as none. Of two, the one of ours wins.
        home: of the user; a path may start with ``~/``.
        root: of all stores.
        sessions_root: of the host's sessions.

    Raises:
        InvalidInputError: one is no path of this system; it names the argument or the variable.
    """
    store = _named(root, "root", home) or _first(environment, _ROOTS, home)
    sessions = _named(sessions_root, "sessions_root", home)
    sessions = sessions or _first(environment, _SESSIONS, home)
    if sessions is None:
        host = _first(environment, (_HOST,), home) or home / ".kimi-code"
        sessions = host / "sessions"
    return Places(store_root=store or _usual_root(), sessions_root=sessions, home=home)


def read(data: bytes | None) -> Config:
    """Reads ``mcp-config.json``; what is not as it should be has its default, and is told."""
    if data is None:
        return Config()
    try:
        tree = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        tree = None
    if not isinstance(tree, dict):
        return Config(notices=(f"{PATH} is not used: it is no JSON object",))
    notices: list[str] = []
    window = tree.get(_WINDOW, {})
    if not isinstance(window, dict):
        notices.append(_notice(_WINDOW, "an object", window))
        window = {}
    usual = Config()
    return Config(
        detailed_rounds=_count(window, "detailedRounds", usual.detailed_rounds, notices),
        summary_rounds=_count(window, "defaultSummaryRounds", usual.summary_rounds, notices),
        more_rounds=_count(window, "loadMoreChunkSize", usual.more_rounds, notices),
        recent_changes=_count(tree, "recentChangeLimit", usual.recent_changes, notices),
        notices=tuple(notices),
    )


def _count(tree: Mapping[str, object], name: str, usual: int, notices: list[str]) -> int:
    """Reads a number as peers do: cut to a whole one, and none below zero."""
    value = tree.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        notices.append(_notice(name, "a number", value))
        return usual
    return max(math.floor(value), 0)


def _notice(name: str, expected: str, value: object) -> str:
    return f"{PATH}: {name} has its default: expected {expected}, got {excerpt(value)}"


def _first(environment: Mapping[str, str], names: tuple[str, ...], home: Path) -> Path | None:
    return next(
        (_named(environment[name], name, home) for name in names if environment.get(name)), None
    )


def _named(value: object, field: str, home: Path) -> Path | None:
    """Reads a path and makes it absolute; None where none is named."""
    if value is None:
        return None
    text = system_path(value, field)
    if not text:
        raise InvalidInputError(field, "a path that is not empty", excerpt(text))
    if text == "~" or text.startswith("~/"):
        return home / text[2:]
    return Path(text).absolute()


def _usual_root() -> Path:
    """Gives the folder that this system has for a user's data; it too is of the environment."""
    import platformdirs  # noqa: PLC0415 — not needed where a root is named

    return platformdirs.user_data_path("membound", appauthor=False) / "workspaces"
