"""What any history of calls has written is read by a reader that knows the format's rules alone."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from membound.workspace import Workspace
from membound.workspace.tools.registry import TOOLS, Reply, call
from tests import workspace_reader
from tests.golden_calls import place_sessions

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
SESSION = "session_3d1f0a52-0000-4000-8000-00000000000b"
SESSION_TURNS = 4

Place = tuple[str, str]

FOLDERS = st.sampled_from(["memory", "memory/decisions", "memory/决策/v1.2", "notes"])
TITLES_OF = {
    "one": "One",
    "One": "One",
    "use-sqlite_Queue": "Use Sqlite Queue",
    "缓存层-选型": "缓存层 选型",
    "two words": "Two Words",
    "v1.2": "V1.2",
}
"""Keys, and the titles that are made of them."""
KEYS = st.sampled_from([*TITLES_OF])
TITLES = st.none() | st.sampled_from(["It's", "a: b", "缓存 # 选型", "[x]", '"quoted"', "- dash"])
TAGS = st.none() | st.lists(
    st.sampled_from(["decision", "it's", "a: b", "缓存", "#x", "a, b", "- c", "yes", "007"]),
    max_size=3,
    unique=True,
)
TEXTS = st.sampled_from(
    ["", "\n\nbody", "---\nnot: front\n---\n", "a\r\nb", "茶 🚀\n", " x"]
) | st.text(st.characters(codec="utf-8"), max_size=20)
THEMES = st.sampled_from(["Queue Design", "a/b", "a:b", "缓存 设计"])
FOLDER_COMMENTS = st.dictionaries(FOLDERS, st.sampled_from(["why", "决策"]), max_size=1)


def _calls(tool: str, **arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, Any]]:
    return st.tuples(st.just(tool), st.fixed_dictionaries(arguments))


_REMEMBER = _calls(
    "remember",
    key=KEYS,
    folder=FOLDERS,
    content=TEXTS,
    tags=TAGS,
    title=TITLES,
    themes=st.lists(THEMES, max_size=2),
)
HISTORIES = st.lists(
    st.one_of(
        _REMEMBER,
        _REMEMBER,
        _calls("move", key=KEYS, folder=FOLDERS, toFolder=FOLDERS, newKey=KEYS),
        _calls("delete", key=KEYS, folder=FOLDERS),
        _calls("tag_theme", theme=THEMES, memoryKey=KEYS, memoryFolder=FOLDERS),
        _calls("tag_theme", theme=THEMES, sessionId=st.just(SESSION), turnId=st.integers(0, 5)),
        _calls("refine_session_turns", turnIds=st.lists(st.integers(0, 5), max_size=2)),
        _calls("sync_workspace_index", folderComments=FOLDER_COMMENTS),
        _calls("organize_memories", content=TEXTS),
        _calls("recall", key=KEYS, folder=FOLDERS),
    ),
    max_size=14,
)


@dataclass
class Model:
    """What has to be on disk: notes by place in the order of the cache, themes, turns."""

    notes: dict[Place, dict[str, Any]] = field(default_factory=dict)
    themes: dict[str, dict[str, Any]] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    refined: set[int] = field(default_factory=set)

    def theme(self, name: str) -> dict[str, Any]:
        made: dict[str, Any] = {"memories": {}, "turns": set()}
        return self.themes.setdefault(name, made)

    def taken(self, place: Place) -> bool:
        """Tell whether a key differs from one of its folder in case alone."""
        folder, key = place
        return any(
            there == folder and key != name and key.casefold() == name.casefold()
            for there, name in self.notes
        )

    def remember(self, asked: dict[str, Any], now: str) -> bool:
        place = asked["folder"], asked["key"]
        if self.taken(place):
            return False
        former = self.notes.get(place)
        for theme in self.themes.values() if former is None else ():
            if place in theme["memories"]:
                theme["memories"][place] = False
        tags = asked["tags"]
        kept = (former or {"tags": []})["tags"] if tags is None else tags
        title = asked["title"] or (former["title"] if former else TITLES_OF[asked["key"]])
        self.notes[place] = {
            "content": asked["content"],
            "tags": kept,
            "title": title,
            "created": former["created"] if former else now,
            "updated": now,
        }
        for name in asked["themes"]:
            self.theme(name)["memories"][place] = False
        return True

    def move(self, asked: dict[str, Any], now: str) -> bool:
        source, target = (asked["folder"], asked["key"]), (asked["toFolder"], asked["newKey"])
        if source not in self.notes:
            return False
        rest = Model({place: one for place, one in self.notes.items() if place != source})
        if target in rest.notes or rest.taken(target):
            return False
        moved = {**self.notes[source], "updated": now}
        self.notes = (
            {**rest.notes, target: moved} if source != target else {**self.notes, target: moved}
        )
        for theme in self.themes.values():
            if source in theme["memories"]:
                del theme["memories"][source]
                theme["memories"][target] = False
        return True

    def delete(self, asked: dict[str, Any], _: str) -> bool:
        place = asked["folder"], asked["key"]
        for theme in self.themes.values():
            if place in theme["memories"] and place in self.notes:
                theme["memories"][place] = True
        return self.notes.pop(place, None) is not None

    def tag_theme(self, asked: dict[str, Any], _: str) -> bool:
        if "turnId" in asked:
            if asked["turnId"] >= SESSION_TURNS:
                return False
            self.theme(asked["theme"])["turns"].add(asked["turnId"])
            return True
        place = asked["memoryFolder"], asked["memoryKey"]
        if place in self.notes:
            self.theme(asked["theme"])["memories"][place] = False
        return place in self.notes

    def refine_session_turns(self, asked: dict[str, Any], _: str) -> bool:
        self.refined |= {one for one in asked["turnIds"] if one < SESSION_TURNS}
        return True

    def organize_memories(self, asked: dict[str, Any], now: str) -> bool:
        place = "essence", "essence"
        former = self.notes.get(place)
        essence = {"title": "Workspace Essence", "tags": ["essence", "workspace-memory"]}
        self.notes[place] = {
            **(former or {}),
            **essence,
            "content": asked["content"],
            "updated": now,
        }
        return True

    def recall(self, asked: dict[str, Any], _: str) -> bool:
        return bool(asked)

    def sync_workspace_index(self, asked: dict[str, Any], _: str) -> bool:
        return asked is not None


@settings(max_examples=60)
@given(HISTORIES)
def test_a_reader_of_the_format_finds_what_any_history_of_calls_wrote(
    history: list[tuple[str, dict[str, Any]]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        store = folder / "stores" / workspace_reader.store_name(str(folder))
        place_sessions(folder / "sessions" / f"wd_x_{store.name.removeprefix('workspace-')}")
        model = Model()
        now = START
        with Workspace.open(
            folder,
            root=store.parent,
            sessions_root=folder / "sessions",
            environment={},
            clock=lambda: now,
        ) as workspace:
            for tool, asked in history:
                now += timedelta(minutes=1)
                given = {name: value for name, value in asked.items() if value is not None}
                reply = call(TOOLS[tool], given, lambda: workspace)
                assert told(model, tool, asked, now) is not reply.failed, (tool, asked, reply)
                assert_written(store, model)
                if model.notes:
                    assert_cached(store, model)
                if tool == "sync_workspace_index":
                    assert_synced(store, asked["folderComments"], reply)


def told(model: Model, tool: str, asked: dict[str, Any], now: datetime) -> bool:
    """Make a call in the model; tell whether it must succeed."""
    done: bool = getattr(model, tool)(asked, written(now))
    return done


def written(now: datetime) -> str:
    return now.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def assert_written(store: Path, model: Model) -> None:
    notes = workspace_reader.notes(store)
    expected = {f"{folder}/{key}.md": one for (folder, key), one in model.notes.items()}
    assert notes.keys() == expected.keys()
    for path, note in notes.items():
        wanted = expected[path]
        assert note.key == path.rpartition("/")[2].removesuffix(".md")
        for name in ("content", "tags", "title"):
            assert getattr(note, name) == wanted[name], path
        assert (note.created_at, note.updated_at) == (wanted.get("created"), wanted["updated"])
    for name, theme in model.themes.items():
        found = workspace_reader.themes(store)[name]
        assert {one["turnId"] for one in found["turns"]} == theme["turns"]
        assert {
            (one["folder"], one["key"]): one.get("deleted", False) for one in found["memories"]
        } == theme["memories"]
    rows = workspace_reader.refined(store, SESSION)
    assert {row["turnId"] for row in rows} == model.refined


def assert_cached(store: Path, model: Model) -> None:
    index = workspace_reader.index(store)["index"]
    notes = workspace_reader.notes(store)
    files = {key: one for key, one in index.items() if key.endswith(".md")}
    assert files == {key: {"title": notes[key].title, "tags": notes[key].tags} for key in files}
    assert [*files] == [f"{folder}/{key}.md" for folder, key in model.notes]
    folders = {f"{above}/" for path in notes for above in ancestors(path)}
    assert folders <= {key for key in index if key.endswith("/")}


def ancestors(path: str) -> list[str]:
    names = path.split("/")[:-1]
    return ["/".join(names[: at + 1]) for at in range(len(names))]


def assert_synced(store: Path, comments: dict[str, str], reply: Reply) -> None:
    cache = workspace_reader.index(store)
    hashed = workspace_reader.structure_hash(store)
    assert cache["meta"]["structureHash"] == reply.fields["structureHash"] == hashed
    unknown = reply.fields["unknownFolders"]
    for folder, comment in comments.items():
        there = (store / folder).is_dir()
        assert there or folder in str(unknown)
        assert not there or cache["index"][f"{folder}/"] == {"comment": comment}
