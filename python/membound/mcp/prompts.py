"""The prompts: three things that people ask of a workspace's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError

from membound.excerpt import excerpt
from membound.workspace.cutting import cut
from membound.workspace.fence import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROMPTS", "messages"]

_LONGEST: Final = 300

PROMPTS: Final = (
    types.Prompt(
        name="memory-decision-check",
        title="Check decisions",
        description="Before you change a file: what was decided about it.",
        arguments=[
            types.PromptArgument(
                name="filePath", description="The file that is to be changed.", required=False
            )
        ],
    ),
    types.Prompt(
        name="memory-theme-trace",
        title="Trace a theme",
        description="How a theme went on, over sessions and memories.",
        arguments=[
            types.PromptArgument(
                name="theme", description="The theme, as list_themes names it.", required=False
            )
        ],
    ),
    types.Prompt(
        name="memory-session-summary",
        title="Sum up this session",
        description="What this session decided and left open, and which themes it belongs to.",
        arguments=[],
    ),
)

_TEXTS: Final = {
    "memory-decision-check": (
        "filePath",
        "<file-path>",
        (
            "I am going to change {it}. First look for what we decided about it: search the "
            "memories, then the past sessions, for the file, the feature and what it does."
        ),
        (
            "I will search memory and past sessions for {it}, name the path of each decision and "
            "rule that I find, and stop to ask if the change contradicts one."
        ),
    ),
    "memory-theme-trace": (
        "theme",
        "<theme>",
        "How did the theme {it} go on, over our sessions and memories?",
        (
            "I will trace the theme {it}, read the turns and memories that it names in order of "
            "their time, and tell how it went on, with the source of each step."
        ),
    ),
    "memory-session-summary": (
        "",
        "",
        "Sum up this session: what was decided, what is open, and which themes it belongs to.",
        (
            "I will read the turns of this session, list decisions and open questions, and propose "
            "memories to keep and themes to tag. I write nothing before you agree."
        ),
    ),
}


def messages(name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Gives the messages of a prompt: what the user asks, and how the assistant sets out.

    Raises:
        MCPError: there is no such prompt, or it takes no such argument.
    """
    if name not in _TEXTS:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {excerpt(name)}")
    argument, missing, asked, answer = _TEXTS[name]
    for given in arguments:
        if given != argument:
            said = f"{name} takes {argument or 'no argument'}, not {excerpt(given)}"
            raise MCPError(types.INVALID_PARAMS, said)
    value = arguments.get(argument, "")
    it = shown(cut(" ".join(value.split()), _LONGEST)) or missing
    return types.GetPromptResult(
        messages=[
            types.PromptMessage(role="user", content=types.TextContent(text=asked.format(it=it))),
            types.PromptMessage(
                role="assistant", content=types.TextContent(text=answer.format(it=it))
            ),
        ]
    )
