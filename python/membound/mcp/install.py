"""The server's entry in a client's file: put in, brought up to date or taken out, and no more."""

from __future__ import annotations

from contextlib import contextmanager
from difflib import unified_diff
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from membound.errors import InvalidInputError, MissingExtraError
from membound.mcp import backup, json_text
from membound.mcp.clients import Client, config_file, entry, section, server_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from membound.mcp.clients import Here, Server

__all__ = ["Change", "carried_out", "difference", "installed", "removed"]

_BOM = "\ufeff"

Kind = Literal["added", "replaced", "removed", "none"]
"""What becomes of the entry; ``none``: the file needs no change."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of a client's file, before anything is written.

    Attributes:
        path: the file.
        kind: what becomes of the entry.
        before: what the file holds; None where there is none.
        after: what it is to hold.
    """

    path: Path
    kind: Kind
    before: bytes | None
    after: bytes


class _Language(Protocol):
    """What a client's file is written in."""

    def entry_of(self, text: str, section: str, name: str) -> object: ...

    def with_entry(
        self, text: str, section: str, name: str, entry: Mapping[str, object]
    ) -> str: ...

    def without_entry(self, text: str, section: str, name: str) -> str: ...


def installed(client: Client, here: Here, server: Server, name: str = "membound") -> Change:
    """Gives the change that brings the server to a client. Nothing is written yet.

    An entry of that name that starts a program keeps what else somebody said in it.

    Raises:
        InvalidInputError: the file is not what the client reads, or the name is none.
        CanonicalFileError: the file cannot be read.
    """
    servers, own = section(client), server_name(name)
    path = config_file(client, here)
    before = backup.read(path)
    with _of(path):
        language, mark, text = _opened(path, before or b"")
        former = language.entry_of(text, servers, own)
        made = entry(client, server)
        if isinstance(former, dict) and "command" in former:
            made = former | made
        if former == made:
            return Change(path=path, kind="none", before=before, after=before or b"")
        after = mark + language.with_entry(text, servers, own, made)
    kind: Kind = "added" if former is None else "replaced"
    return Change(path=path, kind=kind, before=before, after=after.encode())


def removed(client: Client, here: Here, name: str = "membound") -> Change:
    """Gives the change that takes the server from a client. Nothing is written yet.

    Raises:
        InvalidInputError: the file is not what the client reads, or the name is none.
        CanonicalFileError: the file cannot be read.
    """
    servers, own = section(client), server_name(name)
    path = config_file(client, here)
    before = backup.read(path)
    with _of(path):
        language, mark, text = _opened(path, before or b"")
        if language.entry_of(text, servers, own) is None:
            return Change(path=path, kind="none", before=before, after=before or b"")
        after = mark + language.without_entry(text, servers, own)
    return Change(path=path, kind="removed", before=before, after=after.encode())


def carried_out(change: Change) -> Path | None:
    """Writes a change; gives where the former file is kept, if there was one.

    Raises:
        CanonicalFileError: the file is the former one still.
    """
    if change.kind == "none":
        return None
    return backup.replace(change.path, change.before, change.after)


def difference(change: Change) -> str:
    """Gives a change as a unified diff; nothing where there is none."""
    before, after = (
        StringIO(data.decode(), newline="\n").readlines()
        for data in (change.before or b"", change.after)
    )
    names = str(change.path) if change.before is not None else "/dev/null", str(change.path)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(before, after, *names)
    )


def _opened(path: Path, data: bytes) -> tuple[_Language, str, str]:
    """Gives what a file is written in, its byte order mark and its text."""
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        raise InvalidInputError("text", "UTF-8", f"another byte at {fault.start:,}") from fault
    mark = _BOM if text.startswith(_BOM) else ""
    return _language(path), mark, text.removeprefix(_BOM)


def _language(path: Path) -> _Language:
    if path.suffix != ".toml":
        return json_text
    try:
        from membound.mcp import toml_text  # noqa: PLC0415 — one client of five needs it
    except ImportError as fault:
        raise MissingExtraError("mcp", fault.name or "tomlkit") from fault
    return toml_text


@contextmanager
def _of(path: Path) -> Iterator[None]:
    """Says of what is wrong with a file which one it is."""
    try:
        yield
    except InvalidInputError as fault:
        where = f"{path} is left as it is: {fault.field}"
        raise InvalidInputError(where, fault.expected, fault.got) from fault
