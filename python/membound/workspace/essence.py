"""The essence: one digest of all memories, written by whoever organizes them; its two stages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.times import timestamp
from membound.workspace.cutting import cut
from membound.workspace.entry import path_order
from membound.workspace.paths import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from membound.workspace.entry import Entry

__all__ = [
    "ADDRESS",
    "RECOMMENDED_BYTES",
    "RULES",
    "Essence",
    "Page",
    "Pending",
    "Prepared",
    "Stored",
    "checked_sources",
    "content_size",
    "existing",
    "front_matter",
    "pending",
    "size_hint",
]

ADDRESS: Final = Address("essence", "essence")
RECOMMENDED_BYTES: Final = 15 * 1024
"""Of the text without its front matter. It is told beyond, and never refused."""

RULES: Final = """\
输入：现有 essence/essence.md 与 memory/ 下全部记忆；notes/ 不参与。
输出：只有一个文件 essence/essence.md，整体覆盖；旧版本保留为修订。
整理：按主题归类，重要的在前，重复的合并，过时或已被取代的去掉。
表达：精炼、无歧义、不改变原意；不要求便于人读。
取舍：尽量不丢信息；舍弃什么由你决定。
出处：在正文中用 `> 来源：memory/<folder>/key` 标注关键结论的来源，不写进 front matter。
结构：没有模板。大小：建议不超过 15 KB，超过会提示，但不会拒绝。
源文件：本工具从不改动 memory/；如需清理，之后另行调用 delete、move 或 remember。
若返回 next_cursor，还有记忆没有列出：带上它再次调用，读完再写。

Input: the essence as it is, and all of memory/; notes/ takes no part.
Output: one file, essence/essence.md, replaced as a whole; the former one is kept as a revision.
Group by subject, put first what matters most, merge what is said twice, drop what no longer holds.
Be terse and unambiguous, and keep the meaning; it need not be pleasant to read.
Lose as little as you can; what is left out is your decision.
Name sources in the text, as `> 来源：memory/<folder>/key`, and not in the front matter.
There is no template. More than 15 KB is told, and not refused.
Nothing in memory/ is touched; to tidy it, call delete, move or remember afterwards.
Where next_cursor is given, more memories are pending: call again with it, and read all of them.\
"""  # noqa: RUF001 — Chinese has its own punctuation
MESSAGE: Final = "Write the organized essence, and call organize_memories with it as content."

_CURSOR: Final = re.compile(r"([0-9]{1,15})@(.+)", re.DOTALL)
_OVERHEAD: Final = 100
"""Characters that the JSON of a pending memory takes beside its texts."""


class _Reply(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What goes to a client; fields without a value are left out."""


class Essence(_Reply, frozen=True, kw_only=True):
    """The essence as it is.

    Attributes:
        size: of its file in bytes.
        omitted: how many characters at its end are left out.
    """

    found: bool
    key: str | UnsetType = UNSET
    folder: str | UnsetType = UNSET
    size: int | UnsetType = UNSET
    content: str | UnsetType = UNSET
    omitted: int | UnsetType = UNSET


class Pending(_Reply, frozen=True, kw_only=True):
    """A memory that the essence is to take in.

    Attributes:
        size: of its file in bytes.
        content: its text, or the part of it that there was room for.
        offset: how many characters before the part came with earlier cursors.
        omitted: how many characters behind it come with the next one.
        unreadable: its file cannot be read, so that there is no text.
    """

    key: str
    folder: str
    title: str
    tags: tuple[str, ...]
    size: int
    content: str
    offset: int | UnsetType = UNSET
    omitted: int | UnsetType = UNSET
    unreadable: bool | UnsetType = UNSET


class Page(msgspec.Struct, frozen=True):
    """Some of the pending memories, in the order of their paths.

    Attributes:
        left: how many come with the next cursors, one that is cut included.
        next_cursor: None where these were the last.
    """

    memories: tuple[Pending, ...]
    left: int = 0
    next_cursor: str | None = None


class Prepared(_Reply, frozen=True, kw_only=True):
    """What an essence is made from.

    Attributes:
        left: how many memories come with the next cursors, one that is cut included.
        next_cursor: asks for those.
    """

    stage: Literal["prepare"] = "prepare"
    existing_essence: Essence
    pending_memories: tuple[Pending, ...]
    left: int = 0
    next_cursor: str | UnsetType = msgspec.field(default=UNSET, name="next_cursor")
    rules: str = RULES
    output_path: str = ADDRESS.path
    max_recommended_bytes: int = RECOMMENDED_BYTES
    message: str = MESSAGE


class Stored(_Reply, frozen=True, kw_only=True):
    """What was stored.

    Attributes:
        content_size: in bytes of UTF-8.
        revision: the number under which the former essence is kept.
    """

    success: bool = True
    stage: Literal["store"] = "store"
    file_path: str
    content_size: int
    recommended_max: int = RECOMMENDED_BYTES
    size_hint: str
    sources: tuple[str, ...] = ()
    revision: int | UnsetType = UNSET


def content_size(content: str) -> int:
    """Gives the size of a text in bytes of UTF-8."""
    return len(content.encode("utf-8", "surrogatepass"))


def size_hint(content: str) -> str:
    """Says whether an essence has the recommended size."""
    if content_size(content) <= RECOMMENDED_BYTES:
        return "within recommended limit"
    return f"exceeds {RECOMMENDED_BYTES} bytes, consider compressing next time"


def front_matter(now: datetime) -> dict[str, object]:
    """Gives the fields that the essence's file has."""
    return {
        "key": ADDRESS.key,
        "title": "Workspace Essence",
        "tags": ["essence", "workspace-memory"],
        "updatedAt": timestamp(now),
    }


def checked_sources(sources: object) -> tuple[str, ...]:
    """Reads the paths that a caller names as what an essence was made from.

    Raises:
        InvalidInputError: it is no list of texts.
    """
    expected = "a list of texts, such as memory/decisions/x"
    if not isinstance(sources, list | tuple):
        raise InvalidInputError("sources", expected, excerpt(sources))
    for at, source in enumerate(sources):
        if not isinstance(source, str):
            raise InvalidInputError(f"sources.{at}", "text", excerpt(source))
    return tuple(sources)


def existing(content: str | None, size: int, budget: int) -> Essence:
    """Gives the essence as it is, cut to so many characters; None stands for no essence."""
    if content is None:
        return Essence(found=False)
    kept = cut(content, max(budget, 0))
    omitted = len(content) - len(kept)
    return Essence(
        found=True,
        key=ADDRESS.key,
        folder=ADDRESS.folder,
        size=size,
        content=kept,
        omitted=omitted or UNSET,
    )


def pending(
    entries: Iterable[Entry],
    text_of: Callable[[str], str | None],
    *,
    budget: int,
    cursor: str | None = None,
) -> Page:
    """Gives the memories that an essence is made from, as many as a budget has room for.

    One that is too long for any budget comes in parts, so that with all cursors every character
    comes once.

    Args:
        entries: those outside of ``memory/`` are left out.
        text_of: gives the text of a path, None where it cannot be read; asked for little more than
            what is given.
        budget: characters of all that is given; at least one of a text is, whatever the budget.
        cursor: of the former answer.

    Raises:
        InvalidInputError: the cursor is none that was given.
    """
    start, offset = _place(cursor)
    within = (entry for entry in entries if entry.path.startswith("memory/"))
    ordered = sorted(within, key=lambda entry: path_order(entry.path))
    memories = [entry for entry in ordered if path_order(entry.path) >= path_order(start)]
    found: list[Pending] = []
    for at, entry in enumerate(memories):
        begin = offset if entry.path == start else 0
        room = budget - _OVERHEAD - len(entry.path) - len(entry.title) - len("".join(entry.tags))
        text = None if found and room <= 0 else text_of(entry.path)
        if found and (room <= 0 or len(text or "") > room):
            return Page(tuple(found), len(memories) - at, f"0@{entry.path}")
        found.append(_pending(entry, text, begin, max(room, 1)))
        end = begin + len(found[-1].content)
        if end < len(text or ""):
            return Page(tuple(found), len(memories) - at, f"{end}@{entry.path}")
        budget = room - len(found[-1].content)
    return Page(tuple(found))


def _pending(entry: Entry, text: str | None, offset: int, room: int) -> Pending:
    address = Address.of(entry.path)
    content = cut((text or "")[offset:], room)
    omitted = len(text or "") - offset - len(content)
    return Pending(
        key=address.key,
        folder=address.folder,
        title=entry.title,
        tags=entry.tags,
        size=entry.size,
        content=content,
        offset=offset or UNSET,
        omitted=omitted if omitted > 0 else UNSET,
        unreadable=True if text is None else UNSET,
    )


def _place(cursor: str | None) -> tuple[str, int]:
    if cursor is None:
        return "", 0
    if (found := _CURSOR.fullmatch(cursor)) is None:
        raise InvalidInputError("cursor", "the next_cursor of a former answer", excerpt(cursor))
    return found[2], int(found[1])
