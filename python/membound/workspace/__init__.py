"""Workspace memory: a garden of Markdown, its index, essence, themes and sessions.

`Workspace` is loaded when it is first asked for: a server answers before it needs one.
"""

from typing import TYPE_CHECKING

from membound.errors import MissingExtraError

if TYPE_CHECKING:
    from membound.workspace.workspace import Workspace as Workspace

__all__ = ["Workspace"]


def __getattr__(name: str) -> object:
    if name != "Workspace":
        message = f"module 'membound.workspace' has no attribute {name!r}"
        raise AttributeError(message)
    try:
        from membound.workspace.workspace import Workspace  # noqa: PLC0415
    except ModuleNotFoundError as fault:
        if fault.name is None or fault.name.partition(".")[0] == "membound":
            raise
        raise MissingExtraError("workspace", fault.name) from fault
    globals()[name] = Workspace
    return Workspace
