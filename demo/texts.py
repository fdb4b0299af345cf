"""Real text for the demo: the standard library's docstrings and this repository's prose."""
# ruff: noqa: INP001 — it lies beside a script, not in a package

from __future__ import annotations

import ast
import re
import sysconfig
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Passage", "docstrings", "evenly", "prose"]

_SKIPPED = frozenset({"site-packages", "test", "tests", "idlelib", "lib2to3", "turtledemo"})
_MINIMUM = 30  # a shorter first paragraph says little on its own

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_BETWEEN = re.compile(r"\n\s*\n|\n(?=[-*] )")  # a blank line, or the next item of a list

_Documented: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, order=True)
class Passage:
    """A piece of text, where it was found, and under which tag."""

    locator: str
    tag: str
    content: str


def docstrings() -> list[Passage]:
    """Return the first paragraph of every docstring of the standard library, sorted.

    The files are parsed, never imported. A text that stands in several places is taken once, and
    of several texts at one place (a property's getter and setter) the first.
    """
    root = Path(sysconfig.get_path("stdlib"))
    passages: dict[str, Passage] = {}
    places: set[str] = set()
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root)
        if _SKIPPED.isdisjoint(relative.parts):
            for passage in _documented(file, ".".join(relative.with_suffix("").parts)):
                if passage.locator not in places:
                    places.add(passage.locator)
                    passages.setdefault(passage.content, passage)
    return sorted(passages.values())


def prose(repository: Path) -> list[Passage]:
    """Return the paragraphs and list items of the repository's Markdown; no tables, no code."""
    passages = []
    for file in sorted([*repository.glob("*.md"), *repository.glob("docs/**/*.md")]):
        name = file.relative_to(repository).as_posix()
        written = _FENCED.sub("", file.read_text(encoding="utf-8"))
        for number, paragraph in enumerate(_BETWEEN.split(written), 1):
            text = " ".join(paragraph.split())
            if len(text) >= _MINIMUM and not text.startswith(("#", "|", "<")):
                passages.append(Passage(f"{name}:{number}", "docs", text))
    return passages


def evenly(passages: list[Passage], count: int) -> list[Passage]:
    """Return at most `count` of the passages, taken at equal distances."""
    if len(passages) <= count:
        return passages
    return [passages[index * len(passages) // count] for index in range(count)]


def _documented(file: Path, module: str) -> Iterator[Passage]:
    """Yield the documented parts of one file; one that this Python cannot parse has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    yield from _walk(tree, module.removesuffix(".__init__"), "")


def _walk(node: _Documented, module: str, name: str) -> Iterator[Passage]:
    """Yield a node's own docstring, then those of what it defines."""
    paragraph = (ast.get_docstring(node) or "").split("\n\n")[0]
    text = " ".join(paragraph.split())
    if len(text) >= _MINIMUM:
        label = f"{module}.{name}" if name else module
        yield Passage(f"{module}:{name}".removesuffix(":"), module, f"{label}: {text}")
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{name}.{child.name}".removeprefix(".")
            yield from _walk(child, module, inner)
