"""The resources: memories, themes and the essence, each at an address of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from membound.errors import MemboundError, ThemeNotFoundError
from membound.excerpt import excerpt
from membound.text import printable
from membound.workspace.cutting import cut
from membound.workspace.essence import ADDRESS
from membound.workspace.fence import fenced, rendered, shown
from membound.workspace.paths import title_of
from membound.workspace.results.notes import MOST_ITEMS
from membound.workspace.tools.cursor import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from membound.workspace.results.notes import Listed
    from membound.workspace.results.themes import Traced
    from membound.workspace.workspace import Workspace

__all__ = ["TEMPLATES", "listed", "read"]

_LONGEST: Final = 100_000
_LABEL: Final = 200
_MARKDOWN: Final = "text/markdown"
_ESSENCE: Final = "essence://essence"
_URI: Final = r"(memory|theme|essence)://(.+)"

TEMPLATES: Final = (
    types.ResourceTemplate(
        name="memory",
        title="Memory",
        uri_template="memory://{+folder}/{key}",
        description="One memory, by folder and key.",
        mime_type=_MARKDOWN,
    ),
    types.ResourceTemplate(
        name="theme",
        title="Theme",
        uri_template="theme://{theme}",
        description="The turns and memories of one theme.",
        mime_type=_MARKDOWN,
    ),
)


def listed(workspace: Callable[[], Workspace], cursor: str | None) -> types.ListResourcesResult:
    """Lists a page of the resources: the essence, the themes, and all under ``memory/``.

    Raises:
        MCPError: the workspace cannot list them, or the cursor is none of ours.
    """
    try:
        opened = workspace()
        page = opened.list(folder="memory", limit=MOST_ITEMS, cursor=cursor)
        first = [] if cursor else [*_beside(opened)]
    except MemboundError as fault:
        raise MCPError(types.INVALID_PARAMS, str(fault)) from None
    resources = [*first, *map(_memory_resource, page.items)]
    return types.ListResourcesResult(resources=resources, next_cursor=page.next_cursor)


def read(workspace: Callable[[], Workspace], uri: str) -> types.ReadResourceResult:
    """Reads a resource, fenced as untrusted data.

    Raises:
        MCPError: nothing lies at the address, or it is none of ours.
    """
    found = re.fullmatch(_URI, uri, re.DOTALL)
    if found is None:
        said = f"memory://, theme:// or essence:// is expected, not {excerpt(uri)}"
        raise MCPError(types.INVALID_PARAMS, said)
    try:
        names = [unquote(part, errors="strict") for part in found[2].split("/")]
        text = _READERS[found[1]](workspace(), names)
    except (MemboundError, UnicodeDecodeError) as fault:
        raise MCPError(types.INVALID_PARAMS, f"{excerpt(uri)}: {fault}") from None
    if text is None:
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {excerpt(uri)}")
    contents = types.TextResourceContents(
        uri=uri, mime_type=_MARKDOWN, text=_bounded(text, found[1])
    )
    return types.ReadResourceResult(contents=[contents])


def _beside(workspace: Workspace) -> Iterator[types.Resource]:
    """Gives what comes before the memories: the essence and the themes."""
    if workspace.recall(ADDRESS.key, folder=ADDRESS.folder) is not None:
        yield _resource(_ESSENCE, "Workspace essence", "What the memories come down to")
    for theme in workspace.list_themes():
        yield _resource(_uri("theme", theme), theme, "Turns and memories of a theme")


def _memory_resource(item: Listed) -> types.Resource:
    described = f"Memory in {item.folder}"
    if item.tags:
        described += f" (tags: {', '.join(item.tags)})"
    return _resource(_uri("memory", *item.folder.split("/"), item.key), item.title, described)


def _resource(uri: str, name: str, description: str) -> types.Resource:
    return types.Resource(
        uri=uri, name=_label(name), description=_label(description), mime_type=_MARKDOWN
    )


def _uri(scheme: str, *names: str) -> str:
    return f"{scheme}://{'/'.join(quote(name, safe='') for name in names)}"


def _label(text: str) -> str:
    """Gives a text as one line that forges nothing, hides nothing and is not long."""
    return shown(printable(cut(text, _LABEL)))


def _memory(workspace: Workspace, names: list[str]) -> str | None:
    note = workspace.recall(names[-1], folder="/".join(names[:-1]))
    return None if note is None else note.content


def _essence(workspace: Workspace, names: list[str]) -> str | None:
    return _memory(workspace, ["essence", *names])


def _theme(workspace: Workspace, names: list[str]) -> str | None:
    try:
        traced = workspace.trace_theme("/".join(names))
    except ThemeNotFoundError:
        return None
    return "\n".join(_theme_lines(traced))


def _theme_lines(traced: Traced) -> Iterator[str]:
    yield f"# Theme: {_label(traced.display_name)}\n"
    yield f"- Created: {_moment(traced.created_at)}"
    yield f"- Updated: {_moment(traced.updated_at)}"
    yield "\n## Memories\n"
    for memory in traced.memories:
        path = _label(f"{memory.folder}/{memory.key}")
        title = _label(memory.title or title_of(memory.key))
        gone = ", deleted" if memory.deleted is True else ""
        yield f"- {path} ({title}, {_moment(memory.timestamp)}{gone})"
    if not traced.memories:
        yield "_No memory yet._"
    yield "\n## Turns\n"
    for turn in traced.turns:
        session = _label(turn.session_id)
        yield f"- session {session}, turn {turn.turn_id} ({_moment(turn.timestamp)})"
    if not traced.turns:
        yield "_No turn yet._"


def _moment(timestamp: str | None) -> str:
    return "at an unknown time" if timestamp is None else _label(timestamp)


def _bounded(text: str, scheme: str) -> str:
    """Fences Markdown, cut where it is too long for a client; `recall` reads on in a note."""
    part = cut(text, _LONGEST)
    if len(part) == len(text):
        return fenced(shown(text))
    rest: dict[str, object] = {"truncated": True}
    if scheme != "theme":
        rest["next_cursor"] = Place.within(text, len(part)).text
    return fenced(f"{shown(part)}\n{rendered(rest)}")


_READERS: Final = {"memory": _memory, "theme": _theme, "essence": _essence}
