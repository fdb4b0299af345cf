"""The tools by name, and calling one: whatever comes of it is a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import InvalidInputError, MemboundError
from membound.log import logger
from membound.workspace.fence import NOTICE, fenced, rendered
from membound.workspace.tools import context, essence, memory, places, recollection, themes
from membound.workspace.tools.arguments import read
from membound.workspace.tools.fitting import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from membound.workspace.tools.fitting import Fields
    from membound.workspace.tools.tool import Tool
    from membound.workspace.workspace import Workspace

__all__ = ["TOOLS", "Reply", "call"]

_LONGEST_ECHO: Final = 200

_ALL: Final = (
    *memory.TOOLS,
    *essence.TOOLS,
    *places.TOOLS,
    *context.TOOLS,
    *themes.TOOLS,
    *recollection.TOOLS,
)
TOOLS: Final[Mapping[str, Tool]] = {tool.name: tool for tool in _ALL}
"""Every tool, in the order in which clients list them."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a call.

    Attributes:
        fields: the result for programs.
        failed: whether the call did not do what was asked.
    """

    fields: dict[str, object]
    failed: bool = False

    @property
    def text(self) -> str:
        """The same fields for a model: JSON, fenced as untrusted data."""
        return fenced(rendered(self.fields))


def call(
    tool: Tool,
    arguments: Mapping[str, object] | None,
    workspace: Callable[[], Workspace],
    tell: Callable[[int, int], None] | None = None,
) -> Reply:
    """Calls a tool. Nothing is raised: a failure is a reply too.

    Args:
        tool: one of `TOOLS`.
        arguments: as the client sent them.
        workspace: gives the open workspace; asked only once the arguments are known to be sound.
        tell: told how many steps of how many are done, by a tool that counts them.
    """
    asked = None
    try:
        asked = read(tool.arguments, arguments)
        opened = workspace()
        fields = tool.run(opened, asked, tell) if tool.counts else tool.run(opened, asked)
    except MemboundError as fault:
        given = (arguments or {}) if asked is None else fields_of(asked)
        return Reply(fields=_failure(tool, fault, given), failed=True)
    except Exception:  # noqa: BLE001 — the border: a fault of ours must not end the client's session
        logger().exception("the tool %s failed", tool.name)
        said = "membound itself failed; its log says more. Nothing is known to be lost."
        return Reply(fields={"success": False, **tool.missed, "error": said}, failed=True)
    if tool.recalls:
        fields = {"notice": NOTICE, **fields}
    return Reply(fields=fields, failed=fields.get("success") is False)


def _failure(tool: Tool, fault: MemboundError, given: Mapping[str, object]) -> Fields:
    echoed = {name: given[name] for name in tool.echoed if _is_short(given.get(name))}
    told = {"error": str(fault), "kind": type(fault).__name__}
    fields = fields_of({"success": False, **tool.missed, **echoed, **told})
    if isinstance(fault, InvalidInputError):
        fields |= {"field": fault.field, "expected": fault.expected, "got": fault.got}
    return fields


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_ECHO
