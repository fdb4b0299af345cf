"""What another server of this kind wrote opens here, and its calls are answered as it did.

Where it was wrong, ours is asserted: tests/golden_differences.py names each fault.
"""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from membound.workspace import Workspace, tree
from membound.workspace.entry import Entry
from membound.workspace.front_matter import read_document
from membound.workspace.identity import workspace_hash
from tests.golden_calls import ABSENT, FIXTURES, agrees, answers
from tests.golden_differences import DIFFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.golden_differences import Difference

RECORDS = ["orchard-bot", "tea-house", "sessions"]
MADE_BY_HAND = FIXTURES / "garden" / "made-by-hand"
STORES = {
    "orchard-bot": "orchard-bot-seed",
    "orchard-bot-later": "orchard-bot-head",
    "tea-house": "tea-house-seed",
    "sessions": None,
    "made-by-hand": None,
}
"""Each store, and where the tree lies that the peer drew of it."""
RECENT = 5
"""How many notes the peer marks as new."""


# Calls


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_of_calls_is_answered_as_it_was_but_for_named_faults(
    tmp_path: Path, record: str
) -> None:
    expected = {
        (number, one.field): one
        for one in DIFFERENCES
        if one.store == record
        for number in one.calls
    }
    met: set[tuple[int, str]] = set()
    unexplained = []
    for recorded, fields, failed in answers(record, tmp_path):
        number = recorded["i"]
        wanted = {**recorded["result"], "isError": recorded["isError"]}
        got = {**fields, "isError": failed}
        for path in differing(got, wanted):
            field = covering(path, {field for at, field in expected if at == number})
            if field is None:
                unexplained.append((number, recorded["tool"], path))
            else:
                met.add((number, field))
                assert holds(expected[number, field], got, path), (number, path, got)
    assert unexplained == []
    assert expected.keys() - met == set(), "differences that are none"


def differing(got: object, wanted: object, path: str = "") -> Iterator[str]:
    """Give the paths at which something wanted is not there or another value."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name, value in wanted.items():
            yield from differing(got.get(name, ABSENT), value, f"{path}.{name}".lstrip("."))
    elif isinstance(wanted, list) and isinstance(got, list) and len(got) == len(wanted):
        for at, pair in enumerate(zip(got, wanted, strict=True)):
            yield from differing(*pair, f"{path}.{at}")
    elif got != wanted:
        yield path


def covering(path: str, fields: set[str]) -> str | None:
    """Give the field of the table under which a path is, if any."""
    for field in fields:
        pattern = re.escape(field).replace(r"\*", r"\d+")
        if re.fullmatch(rf"{pattern}(\..*)?", path):
            return field
    return None


def holds(difference: Difference, got: dict[str, Any], path: str) -> bool:
    """Tell whether what we say is what the table says that is right."""
    ours = difference.ours
    if difference.field == "error":
        return agrees(got, ours)
    found: Any = got
    for name in path.split(".")[: len(difference.field.split("."))]:
        found = found[int(name)] if isinstance(found, list) else found.get(name)
    return bool(ours(found)) if callable(ours) else agrees(found, ours)


# Stores


@pytest.fixture(params=STORES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def workspace(name: str, tmp_path: Path) -> Iterator[Workspace]:
    """A store of the peer's, opened where it was found."""
    project = tmp_path / "project"
    project.mkdir()
    store = tmp_path / "stores" / f"workspace-{workspace_hash(str(project))}"
    if name == "made-by-hand":
        shutil.copytree(MADE_BY_HAND, store)
    else:
        shutil.copytree(FIXTURES / "stores" / name.removesuffix("-later"), store)
        shutil.copytree(FIXTURES / "stores" / name, store, dirs_exist_ok=True)
    with Workspace.open(
        project, root=store.parent, sessions_root=tmp_path / "sessions", environment={}
    ) as opened:
        yield opened


def files_of(workspace: Workspace) -> dict[str, Path]:
    """Give the notes as anybody finds them: Markdown in the three areas, hidden names left out."""
    found = {}
    for area in ("memory", "notes", "essence"):
        for file in (workspace.path / area).rglob("*.md"):
            path = file.relative_to(workspace.path)
            if not any(name.startswith(".") for name in path.parts):
                found[path.as_posix()] = file
    return found


def place(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return name.removesuffix(".md"), folder


def test_every_note_of_a_store_is_listed_once(workspace: Workspace) -> None:
    listed = [f"{item.folder}/{item.key}.md" for item in workspace.list().items]
    assert sorted(listed) == sorted(files_of(workspace))


def test_every_note_is_recalled_with_its_body_to_the_byte(workspace: Workspace) -> None:
    for path, file in files_of(workspace).items():
        key, folder = place(path)
        note = workspace.recall(key, folder=folder)
        assert note is not None, path
        document = read_document(file.read_bytes())
        assert note.content == document.body
        assert note.content == "" or file.read_bytes().decode(errors="replace").endswith(
            note.content
        )


def test_every_note_is_found_by_the_words_of_its_title(workspace: Workspace) -> None:
    for item in workspace.list().items:
        if not re.search(r"\w", item.title):
            continue
        found = workspace.search(item.title, limit=64).items
        assert (item.key, item.folder) in [(one.key, one.folder) for one in found], item.title


def test_a_note_in_chinese_is_found_by_each_phrase_of_its_text(workspace: Workspace) -> None:
    for item in workspace.list().items:
        note = workspace.recall(item.key, folder=item.folder)
        assert note is not None
        for phrase in re.findall(r"[\u4e00-\u9fff]{3,}", note.content):
            found = workspace.search(phrase, limit=64).items
            assert (item.key, item.folder) in [(one.key, one.folder) for one in found], phrase


def test_the_tree_is_that_of_the_peer_in_its_form(name: str, workspace: Workspace) -> None:
    drawn = STORES[name]
    if drawn is None:
        assert all(
            place(path)[0] in workspace.tree() for path in files_of(workspace) if "memory/" in path
        )
        return
    index = json.loads((workspace.path / "index.json").read_bytes())["index"]
    comments = {key.rstrip("/"): one["comment"] for key, one in index.items() if key.endswith("/")}
    assert tree.render(entries(workspace), comments, RECENT, compatible=True) == (
        FIXTURES / "cache" / drawn / "tree.txt"
    ).read_text("utf-8").removesuffix("\n")


def entries(workspace: Workspace) -> list[Entry]:
    """Give the notes under `memory/` in the order of the peer's cache."""
    order = [*json.loads((workspace.path / "index.json").read_bytes())["index"]]
    made = []
    for item in workspace.list(folder="memory").items:
        note = workspace.recall(item.key, folder=item.folder)
        assert note is not None
        made.append(
            Entry(
                path=f"{item.folder}/{item.key}.md",
                title=item.title,
                tags=item.tags,
                created_at=note.created_at,
                updated_at=note.updated_at,
            )
        )
    return sorted(made, key=lambda entry: order.index(entry.path))


def test_opening_and_reading_changes_no_file_of_the_peer(workspace: Workspace) -> None:
    before = {path: file.read_bytes() for path, file in files_of(workspace).items()}
    workspace.list()
    workspace.search("queue")
    workspace.bootstrap()
    assert {path: file.read_bytes() for path, file in files_of(workspace).items()} == before


def test_what_the_peer_tagged_is_traced(workspace: Workspace) -> None:
    there = {
        path.stem: json.loads(path.read_bytes()) for path in (workspace.path / "themes").glob("*")
    }
    assert set(workspace.list_themes()) == set(there)
    for theme, stored in there.items():
        traced = workspace.trace_theme(stored["displayName"])
        assert traced.theme == theme
        assert {(one.session_id, one.turn_id) for one in traced.turns} == {
            (one["sessionId"], one["turnId"]) for one in stored["turns"]
        }
        assert {(one.folder, one.key) for one in traced.memories} == {
            (one["folder"], one["key"]) for one in stored["memories"]
        }
