"""The boot context: what stands before the first message, in one text and one budget."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import msgspec

from membound.faults import reason_of
from membound.log import logger
from membound.workspace.cutting import cut
from membound.workspace.fence import fenced, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

__all__ = ["BootContext", "Instructions", "Part", "assembled", "instructions"]

INSTRUCTION_FILES: Final = ("AGENTS.md", "CLAUDE.md")
"""The host's own instructions, and their companion."""
FILE_BYTES: Final = 256 * 1024
"""Most of such a file that is read at all."""
_BETWEEN: Final = "\n\n"


class Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One part of a boot context.

    Attributes:
        name: what it is.
        source: the file it was read from, if it was one.
        characters: how long it is in the text.
        left_out: how many characters of it were left out, as the budget did not reach; bytes
            beyond what is read of a file count as one each.
    """

    name: str
    source: str | None
    characters: int
    left_out: int


class BootContext(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a host puts before the first message.

    Attributes:
        text: the host's instructions as they are; then what is memory, fenced as untrusted.
        parts: what it is made of, in order, and what was cut of each.
    """

    text: str
    parts: tuple[Part, ...]


class Instructions(msgspec.Struct, frozen=True, kw_only=True):
    """A text, and what it is.

    Attributes:
        name: what it is.
        source: the file it was read from, if it was one.
        text: the text.
        beyond: how many bytes of the file come after it, which were not read.
    """

    name: str
    source: str | None
    text: str
    beyond: int = 0


def instructions(folders: Iterable[tuple[str, Path]]) -> Iterator[Instructions]:
    """Reads the host's instructions from stated places; a text that was read already is left out.

    Args:
        folders: where, each with whose they are, such as ``user`` and ``project``.
    """
    known: set[str] = set()
    for owner, folder in folders:
        for name in INSTRUCTION_FILES:
            found = _text_of(folder / name)
            if found is not None and found[0] not in known:
                text, beyond = found
                known.add(text)
                source = str(folder / name)
                yield Instructions(
                    name=f"{name} of the {owner}", source=source, text=text, beyond=beyond
                )


def assembled(
    told: Sequence[Instructions], memory: Sequence[Instructions], budget: int
) -> BootContext:
    """Puts a boot context together; each text gets at most half of what is left, the last one all.

    Args:
        told: the host's instructions.
        memory: what was read from memory.
        budget: most characters of the text.
    """
    empty = len(fenced(""))
    opened, parts = _cut_to(told, budget if not memory else budget // 2, as_is)
    text = "\n\n".join(opened)
    closed, more = _cut_to(memory, budget - len(text) - empty - len(_BETWEEN), shown)
    texts = [text] if text else []
    if closed:
        texts.append(fenced(_BETWEEN.join(closed)))
    return BootContext(text=_BETWEEN.join(texts), parts=(*parts, *more))


def as_is(text: str) -> str:
    """Gives a text that its owner wrote for the model."""
    return text


def _cut_to(
    given: Sequence[Instructions], room: int, form: Callable[[str], str]
) -> tuple[list[str], list[Part]]:
    """Cuts texts so that all of them, each under its name, take at most so many characters."""
    texts: list[str] = []
    parts: list[Part] = []
    for at, one in enumerate(given):
        share = room if at == len(given) - 1 else room // 2
        head = f"## {one.name}" + (f" ({form(one.source)})" if one.source else "") + "\n"
        whole = form(one.text.strip())
        body = cut(whole, max(share - len(head) - len(_BETWEEN), 0))
        kept = len(body) if body else 0
        if body:
            texts.append(head + body)
            room -= len(head) + len(body) + len(_BETWEEN)
        left = len(whole) - kept + one.beyond
        parts.append(Part(name=one.name, source=one.source, characters=kept, left_out=left))
    return texts, parts


def _text_of(file: Path) -> tuple[str, int] | None:
    """Reads the start of a file, and counts the bytes after it; None where none can be read."""
    try:
        with file.open("rb") as stream:
            data = stream.read(FILE_BYTES)
            beyond = os.fstat(stream.fileno()).st_size - len(data)
    except OSError as fault:
        if not isinstance(fault, FileNotFoundError | NotADirectoryError):
            logger().warning("%s is left out of the boot context: %s", file, reason_of(fault))
        return None
    # No character is cut in two: the rest of the last one is beyond.
    text = data.decode("utf-8", "ignore" if beyond else "replace")
    return text, max(beyond, 0)
