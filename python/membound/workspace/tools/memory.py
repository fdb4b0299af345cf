"""The tools of single memories: writing, reading, finding and moving them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from membound.errors import NoteNotFoundError
from membound.workspace.paths import address
from membound.workspace.tools.arguments import (
    BUDGET,
    Arguments,
    Budget,
    Cursor,
    Folder,
    Key,
    Limit,
    Most,
    PageArguments,
    Tag,
    Theme,
)
from membound.workspace.tools.cursor import Place
from membound.workspace.tools.fitting import Fields, counted, fields_of, fit, paged, resumed
from membound.workspace.tools.tool import Tool

if TYPE_CHECKING:
    from membound.workspace.workspace import Workspace

__all__ = ["TOOLS"]

Text = Annotated[
    str,
    Meta(description="The memory in Markdown, kept byte for byte; none given keeps what is there."),
]
NewTags = Annotated[
    tuple[Tag, ...],
    Meta(description="All tags from now on; an empty list takes them off, none given keeps them."),
]
Themes = Annotated[tuple[Theme, ...], Meta(description="Themes that the memory belongs to.")]
Title = Annotated[str, Meta(description="Title; made of the key where none is given.")]
Expected = Annotated[
    str, Meta(description="updatedAt as last read: refused if the memory has changed since.")
]
Query = Annotated[str, Meta(min_length=1, description="Words to find, in any language.")]
AllTags = Annotated[tuple[Tag, ...], Meta(description="Only memories that have all of them.")]


class RememberArguments(Arguments, frozen=True, kw_only=True):
    """What `remember` takes."""

    key: Key
    content: Text | None = None
    folder: Folder = "memory"
    tags: NewTags | None = None
    themes: Themes = ()
    title: Title | None = None
    if_updated_at: Expected | None = None


class RecallArguments(Arguments, frozen=True, kw_only=True):
    """What `recall` takes."""

    key: Key
    folder: Folder = "memory"
    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


class RecentArguments(Arguments, frozen=True, kw_only=True):
    """What `recall_recent` takes."""

    n: Limit = 10
    folder: Folder | None = None
    tag: Tag | None = None
    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


class SearchArguments(Arguments, frozen=True, kw_only=True):
    """What `search` takes."""

    query: Query
    folder: Folder | None = None
    tags: AllTags = ()
    limit: Most = 10
    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


class ListArguments(Arguments, frozen=True, kw_only=True):
    """What `list` takes."""

    folder: Folder | None = None
    tag: Tag | None = None
    limit: Limit | None = None
    cursor: Cursor | None = None
    max_output_chars: Budget = BUDGET


class DeleteArguments(Arguments, frozen=True, kw_only=True):
    """What `delete` takes."""

    key: Key
    folder: Folder = "memory"


class MoveArguments(
    Arguments, frozen=True, kw_only=True, rename={"to_folder": "toFolder", "new_key": "newKey"}
):
    """What `move` takes."""

    key: Key
    to_folder: Folder
    folder: Folder = "memory"
    new_key: Key | None = None


def _remember(workspace: Workspace, asked: RememberArguments) -> Fields:
    done = workspace.remember(
        asked.key,
        asked.content,
        folder=asked.folder,
        tags=asked.tags,
        themes=asked.themes,
        title=asked.title,
        if_updated_at=asked.if_updated_at,
    )
    return fit({"success": True, **fields_of(done)}, BUDGET)[0]


def _recall(workspace: Workspace, asked: RecallArguments) -> Fields:
    at = address(asked.folder, asked.key)
    note = workspace.recall(asked.key, folder=asked.folder)
    fields: Fields
    if note is None:
        fields = {"found": False, "key": at.key, "folder": at.folder}
        elsewhere = list(workspace.elsewhere(asked.key))
        return fit(fields | ({"elsewhere": elsewhere} if elsewhere else {}), BUDGET)[0]
    fields = {
        "found": True,
        "key": note.address.key,
        "folder": note.address.folder,
        "title": note.title,
        "content": note.content,
        "tags": list(note.tags),
        "createdAt": note.created_at,
        "updatedAt": note.updated_at,
        "size": note.size,
    }
    if note.fault is not None:
        fields["fault"] = note.fault
    return resumed(fields_of(fields), "content", Place.of(asked.cursor), asked.max_output_chars)


def _recall_recent(workspace: Workspace, asked: RecentArguments) -> Fields:
    def page(n: int | None) -> object:
        return workspace.recent(
            n or asked.n, folder=asked.folder, tag=asked.tag, cursor=asked.cursor
        )

    return paged(page, "items", asked.n, asked.max_output_chars)


def _search(workspace: Workspace, asked: SearchArguments) -> Fields:
    def page(limit: int | None) -> object:
        return workspace.search(
            asked.query,
            folder=asked.folder,
            tags=asked.tags,
            limit=limit or asked.limit,
            cursor=asked.cursor,
        )

    return paged(page, "items", asked.limit, asked.max_output_chars)


def _list(workspace: Workspace, asked: ListArguments) -> Fields:
    def page(limit: int | None) -> object:
        if asked.limit is None:
            return workspace.list(
                folder=asked.folder, tag=asked.tag, limit=limit, cursor=asked.cursor
            )
        most = limit or asked.limit
        return workspace.recent(most, folder=asked.folder, tag=asked.tag, cursor=asked.cursor)

    return paged(page, "items", asked.limit, asked.max_output_chars)


def _list_tags(workspace: Workspace, asked: PageArguments) -> Fields:
    fields: Fields = {"tags": list(workspace.list_tags())}
    return counted(fields, "tags", Place.of(asked.cursor), asked.max_output_chars)


def _delete(workspace: Workspace, asked: DeleteArguments) -> Fields:
    at = address(asked.folder, asked.key)
    fields: Fields = {"success": True, "key": at.key, "folder": at.folder}
    if workspace.delete(asked.key, folder=asked.folder):
        return fields
    fault = NoteNotFoundError(at.path)
    return {**fields, "success": False, "error": str(fault), "kind": type(fault).__name__}


def _move(workspace: Workspace, asked: MoveArguments) -> Fields:
    moved = workspace.move(asked.key, asked.to_folder, folder=asked.folder, new_key=asked.new_key)
    return fit({"success": True, **fields_of(moved)}, BUDGET)[0]


TOOLS: Final = (
    Tool(
        name="remember",
        title="Remember",
        description=(
            "Write one memory as a Markdown file, or replace it; the former text is kept as a "
            "revision. Use it for decisions, rules, lasting facts and causes of bugs; search first."
        ),
        arguments=RememberArguments,
        run=_remember,
        read_only=False,
        recalls=False,
    ),
    Tool(
        name="recall",
        title="Recall",
        description="Read one memory whole, by key and folder, as search and list give them.",
        arguments=RecallArguments,
        run=_recall,
        missed={"found": False},
        echoed=("key", "folder"),
    ),
    Tool(
        name="recall_recent",
        title="Recall recent",
        description="Show what changed last, newest first, with the start of each text.",
        arguments=RecentArguments,
        run=_recall_recent,
        missed={"items": []},
    ),
    Tool(
        name="search",
        title="Search memories",
        description=(
            "Find memories by a few content words of their text, title, key or tags, best first; "
            "words in any order. Use it before deciding or writing anything; folder includes what "
            "lies below it."
        ),
        arguments=SearchArguments,
        run=_search,
        missed={"items": []},
        long=True,
    ),
    Tool(
        name="list",
        title="List memories",
        description=(
            "List memories, newest first, without their text, or with its start where limit is "
            "given. folder includes what lies below it."
        ),
        arguments=ListArguments,
        run=_list,
        missed={"items": []},
    ),
    Tool(
        name="list_tags",
        title="List tags",
        description="List every tag in use. Use it to choose tags that exist already.",
        arguments=PageArguments,
        run=_list_tags,
        missed={"tags": []},
    ),
    Tool(
        name="delete",
        title="Delete memory",
        description="Delete one memory. Use it for what is wrong or outdated; a revision is kept.",
        arguments=DeleteArguments,
        run=_delete,
        echoed=("key", "folder"),
        read_only=False,
        destructive=True,
        recalls=False,
    ),
    Tool(
        name="move",
        title="Move memory",
        description="Move one memory to another folder, or give it another key. Themes follow.",
        arguments=MoveArguments,
        run=_move,
        echoed=("key", "folder", "toFolder", "newKey"),
        read_only=False,
        destructive=True,
        idempotent=False,
        recalls=False,
    ),
)
