"""Files that `import` reads: JSON lines, Markdown and text become records and drafts."""

from __future__ import annotations

import codecs
import hashlib
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from membound.cli.drafts import checked, draft_of
from membound.cli.markdown import paragraphs, record_of_page
from membound.cli.place import place
from membound.draft import MemoryDraft
from membound.errors import InvalidInputError, MemboundError
from membound.records import MemoryRecord
from membound.strict_json import json_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Item", "Problem", "Reader"]

_LINES = frozenset({".jsonl", ".ndjson"})
_TEXTS = frozenset({".md", ".markdown", ".txt"})


@dataclass(frozen=True, slots=True)
class Item:
    """Something to store, and where it was read."""

    where: str
    entry: MemoryRecord | MemoryDraft
    # Whether its id is computed from what it says and where, so that a second import of the same
    # text changes nothing, and one that was forgotten stays so.
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be stored, where, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads files; an entry that names no place of its own is put at `scope` and `workspace`.

    Whoever imports a folder means its texts: a page in it makes no standing rule unless
    `directives` says that the pages' author may.
    """

    scope: str
    workspace: str | None
    directives: bool = False

    def read(self, path: Path) -> Iterator[Item | Problem]:
        """Yield what a path holds, in the order in which it holds it."""
        suffix = path.suffix.lower()
        if str(path) == "-":
            yield from self._lines("standard input", sys.stdin.buffer)
        elif path.is_dir():
            for found in _files_under(path):
                if isinstance(found, Problem):
                    yield found
                else:
                    yield from self._text(found, found.relative_to(path).as_posix())
        elif suffix in _TEXTS:
            yield from self._text(path, path.name)
        elif suffix in _LINES:
            with path.open("rb") as lines:
                yield from self._lines(str(path), lines)
        else:
            expected = f"a folder, or a file named {', '.join(sorted(_LINES | _TEXTS))}"
            raise InvalidInputError("PATH", expected, str(path))

    def _lines(self, name: str, lines: Iterable[bytes]) -> Iterator[Item | Problem]:
        """Yield one entry per line; only LF ends a line, as U+2028 may stand inside a text."""
        for number, line in enumerate(lines, 1):
            where = f"{name}:{number}"
            if not line.strip():
                continue
            try:
                yield self._entry(where, line.removeprefix(codecs.BOM_UTF8))
            except MemboundError as error:
                yield Problem(where, str(error))

    def _entry(self, where: str, line: bytes) -> Item:
        """Read one line: a canonical record names its creation, a draft cannot."""
        fields = json_object(line)
        if "createdAt" in fields:
            return Item(where, MemoryRecord.from_dict(fields))
        draft = draft_of(fields, scope=self.scope, workspace=self.workspace)
        if draft.id is not None:
            return Item(where, draft)
        home = [str(draft.scope), draft.workspace, draft.project]
        identity = _derived_id("line", [home, fields])
        return Item(where, msgspec.structs.replace(draft, id=identity), derived=True)

    def _text(self, file: Path, locator: str) -> Iterator[Item | Problem]:
        """Yield the record that a page is, or else the paragraphs of the text."""
        try:
            text = file.read_bytes().decode("utf-8")
            record = record_of_page(text)
        except UnicodeDecodeError as error:
            yield Problem(locator, f"expected UTF-8 text, got other bytes at {error.start}")
        except (OSError, MemboundError) as error:
            yield Problem(locator, str(error))
        else:
            if record is None:
                yield from self._paragraphs(text, file, locator)
            elif record.authority == "directive" and not self.directives:
                yield Problem(locator, "it would be a standing rule: trust it with --directives")
            else:
                yield Item(locator, record)

    def _paragraphs(self, text: str, file: Path, locator: str) -> Iterator[Item | Problem]:
        """Yield a text's paragraphs, each once, with the file as their source."""
        home = place(self.scope, self.workspace, None)
        seen: set[str] = set()
        for line, paragraph in paragraphs(text, markdown=file.suffix.lower() != ".txt"):
            where = f"{locator}:{line}"
            identity = _derived_id("text", [home, locator, paragraph])
            if identity in seen:
                continue
            seen.add(identity)
            source = {"kind": "file", "trust": "imported", "locator": locator}
            draft = MemoryDraft(
                paragraph, id=identity, sources=[source], provenance={"kind": "file"}, **home
            )
            try:
                yield Item(where, checked(draft), derived=True)
            except MemboundError as error:
                yield Problem(where, str(error))


def _files_under(folder: Path) -> Iterator[Path | Problem]:
    """Yield the texts under a folder in a fixed order, without hidden or linked ones."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield Problem(str(folder), str(error))
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from _files_under(entry)
        elif entry.suffix.lower() in _TEXTS and entry.is_file():
            yield entry


def _derived_id(kind: str, said: list[Any]) -> str:
    """Compute an id from all that an entry says and where, for it to be known the next time."""
    text = json.dumps(said, sort_keys=True, default=str)
    return f"{kind}_{hashlib.sha256(text.encode()).hexdigest()[:32]}"
