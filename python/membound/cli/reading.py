"""Files that `import` reads: JSON lines, Markdown and text become records and drafts."""

from __future__ import annotations

import codecs
import hashlib
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    # A paragraph's id is computed from what it says and where, so that a second import of the
    # same text changes nothing.
    paragraph: bool = False


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
                yield Item(where, self._entry(line.removeprefix(codecs.BOM_UTF8)))
            except MemboundError as error:
                yield Problem(where, str(error))

    def _entry(self, line: bytes) -> MemoryRecord | MemoryDraft:
        """Read one line: a canonical record names its creation, a draft cannot."""
        fields = json_object(line)
        if "createdAt" in fields:
            return MemoryRecord.from_dict(fields)
        return draft_of(fields, scope=self.scope, workspace=self.workspace)

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
            identity = _paragraph_id(home, locator, paragraph)
            if identity in seen:
                continue
            seen.add(identity)
            source = {"kind": "file", "trust": "imported", "locator": locator}
            draft = MemoryDraft(
                paragraph, id=identity, sources=[source], provenance={"kind": "file"}, **home
            )
            try:
                yield Item(where, checked(draft), paragraph=True)
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


def _paragraph_id(home: dict[str, Any], locator: str, paragraph: str) -> str:
    """Compute an id from place, file and text, so that a second import changes nothing."""
    said = json.dumps([home, locator, paragraph], sort_keys=True)
    return "text_" + hashlib.sha256(said.encode()).hexdigest()[:32]
