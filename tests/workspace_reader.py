"""A slow reader of a workspace's files, written from the rules of the format and of nothing else.

It shares no code with the package: what it reads, any program that keeps to the rules reads.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["AREAS", "Note", "index", "notes", "refined", "store_name", "structure_hash", "themes"]

AREAS = ("memory", "notes", "essence")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_FIELDS = ["key", "title", "tags", "createdAt", "updatedAt"]


@dataclass(frozen=True)
class Note:
    """One Markdown file, as it is written."""

    key: str
    title: str
    tags: list[str]
    created_at: str | None
    updated_at: str
    content: str


def store_name(cwd: str) -> str:
    """Give the name of the store of a folder."""
    return "workspace-" + hashlib.sha256(cwd.replace("\\", "/").encode()).hexdigest()[:12]


def notes(store: Path) -> dict[str, Note]:
    """Read every note by its path; the essence is one."""
    return {
        file.relative_to(store).as_posix(): note(file)
        for area in AREAS
        for file in (store / area).rglob("*.md")
    }


def note(file: Path) -> Note:
    """Read one note, whose front matter has to be in the one form that is written."""
    text = file.read_bytes().decode()
    assert text.startswith("---\n")
    head, closed, content = text.removeprefix("---\n").partition("\n---\n\n")
    assert closed, text
    names: list[str] = []
    values: dict[str, str] = {}
    tags: list[str] = []
    for line in head.split("\n"):
        if line.startswith("  - "):
            assert names[-1] == "tags"
            tags.append(unquoted(line.removeprefix("  - ")))
            continue
        name, _, value = line.partition(":")
        names.append(name)
        assert value == "" if name == "tags" else value.startswith(" '"), line
        values[name] = unquoted(value.removeprefix(" "))
    wanted = [one for one in _FIELDS if one != "createdAt" or file.parent.name != "essence"]
    assert names == wanted
    for name in ("createdAt", "updatedAt"):
        assert name not in values or TIME.fullmatch(values[name])
    return Note(
        key=values["key"],
        title=values["title"],
        tags=tags,
        created_at=values.get("createdAt"),
        updated_at=values["updatedAt"],
        content=content,
    )


def unquoted(text: str) -> str:
    """Take single quotes off, in which a quote is two."""
    if not text.startswith("'"):
        return text
    assert text.endswith("'"), text
    return text[1:-1].replace("''", "'")


def index(store: Path) -> dict[str, Any]:
    """Read the cache, whose keys have to stand in their order."""
    text = (store / "index.json").read_bytes().decode()
    cache = in_form(text)
    assert [*cache] == ["version", "meta", "index"]
    assert cache["version"] == "3-kv"
    meta = cache["meta"]
    assert [*meta] == ["lastSyncAt", "structureHash"]
    assert TIME.fullmatch(meta["lastSyncAt"])
    assert meta["structureHash"] is None or re.fullmatch(r"[0-9a-f]{32}", meta["structureHash"])
    for key, entry in cache["index"].items():
        assert key.endswith((".md", "/"))
        assert [*entry] == (["title", "tags"] if key.endswith(".md") else ["comment"])
    return cache


def themes(store: Path) -> dict[str, dict[str, Any]]:
    """Read every theme by the name that was first given."""
    read = [in_form(file.read_bytes().decode()) for file in (store / "themes").glob("*.json")]
    for file in (store / "themes").glob("*.json"):
        assert in_form(file.read_bytes().decode())["theme"] == file.stem
    for theme in read:
        fields = ["theme", "displayName", "createdAt", "updatedAt", "turns", "memories"]
        assert [*theme] == fields
        assert all([*turn] == ["sessionId", "turnId", "timestamp"] for turn in theme["turns"])
        for memory in theme["memories"]:
            assert [*memory][:4] == ["key", "folder", "title", "timestamp"]
            assert [*memory][4:] in ([], ["deleted"])
    return {theme["displayName"]: theme for theme in read}


def refined(store: Path, session: str) -> list[dict[str, Any]]:
    """Read what was drawn out of the turns of a session, in their order."""
    file = store / "refined" / f"{session}.jsonl"
    if not file.exists():
        return []
    text = file.read_bytes().decode()
    assert not text.endswith("\n")
    rows: list[dict[str, Any]] = [json.loads(line) for line in text.split("\n") if text]
    for row in rows:
        fields = ["sessionId", "turnId", "timestamp", "summary"]
        assert [*row][:8] == [*fields, "facts", "notes", "entities", "categories"]
        assert [*row["entities"]] == ["files", "tools", "errors"]
    assert [row["turnId"] for row in rows] == sorted({row["turnId"] for row in rows})
    return rows


def structure_hash(store: Path) -> str:
    """Hash the notes with their times of change, and the folders that hold none."""
    lines = [f"{path}:{changed((store / path).stat().st_mtime_ns)}" for path in notes(store)]
    folders = [folder for area in AREAS for folder in [store / area, *(store / area).rglob("*")]]
    lines += [
        f"{folder.relative_to(store).as_posix()}/"
        for folder in folders
        if folder.is_dir() and not [*folder.rglob("*.md")]
    ]
    lines.sort(key=lambda line: line.encode("utf-16-be", "surrogatepass"))
    return hashlib.md5("\n".join(lines).encode()).hexdigest()  # noqa: S324 — a name, not a secret


def changed(nanoseconds: int) -> str:
    milliseconds = nanoseconds // 1_000_000
    moment = datetime.fromtimestamp(milliseconds // 1_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1_000:03}Z"


def in_form(text: str) -> dict[str, Any]:
    """Read JSON that has to be indented by two, and end without a line end."""
    value: dict[str, Any] = json.loads(text)
    assert text == json.dumps(value, ensure_ascii=False, indent=2)
    return value
