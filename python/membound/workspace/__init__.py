"""Workspace memory: a garden of Markdown, its index, essence, themes and sessions.

`Workspace` is loaded when it is first asked for: a server answers before it needs one.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from membound.workspace.workspace import Workspace as Workspace

__all__ = ["Workspace"]


def __getattr__(name: str) -> object:
    if name != "Workspace":
        message = f"module 'membound.workspace' has no attribute {name!r}"
        raise AttributeError(message)
    from membound.workspace.workspace import Workspace  # noqa: PLC0415

    globals()[name] = Workspace
    return Workspace
