"""Themes: references that keep their time, follow their notes, and hide each other never."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from membound.errors import (
    CanonicalFileError,
    InvalidNameError,
    OutsideWorkspaceError,
    ThemeNotFoundError,
)
from membound.workspace.disk import Root
from membound.workspace.paths import Address
from membound.workspace.theme import MemoryReference, Theme, TurnReference
from membound.workspace.themes import Themes

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "cache"
NOW = datetime(2026, 3, 1, 9, 7, tzinfo=UTC)
LATER = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def themes(tmp_path: Path) -> Themes:
    return Themes(Root(tmp_path / "store"))


def memory(
    key: str, folder: str = "memory", title: str | None = None, timestamp: str | None = None
) -> MemoryReference:
    return MemoryReference(key=key, folder=folder, title=title, timestamp=timestamp)


def turn(id: int, timestamp: str | None = None) -> TurnReference:
    return TurnReference(session_id="session_a", turn_id=id, timestamp=timestamp)


def on_disk(tmp_path: Path, stem: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((tmp_path / f"store/themes/{stem}.json").read_text())
    return found


def found(themes: Themes, name: str) -> Theme:
    theme = themes.read(name)
    assert theme is not None
    return theme


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*/themes")), ids=lambda p: p.parent.name)
def test_a_peers_themes_are_read_and_kept_as_they_are(path: Path, tmp_path: Path) -> None:
    shutil.copytree(path, tmp_path / "store" / "themes")
    themes = Themes(Root(tmp_path / "store"))
    assert themes.unreadable() == ()
    for theme in themes.readable():
        file = path / f"{theme.theme}.json"
        assert theme.to_dict() == json.loads(file.read_text("utf-8"))
        assert themes.read(theme.display_name) == themes.read(theme.theme) == theme
        if theme.memories:
            themes.tag_memory(theme.theme, theme.memories[0], LATER)
        assert (tmp_path / "store/themes" / file.name).read_bytes() == file.read_bytes()


def test_a_new_theme_is_written_as_peers_write_it(themes: Themes, tmp_path: Path) -> None:
    reference = memory("retry", "memory/decisions", title="Retry", timestamp="2026-02-01T00:00:00Z")
    theme = themes.tag_memory("Queue Design", reference, NOW)
    assert theme.theme == "Queue_Design"
    text = (tmp_path / "store/themes/Queue_Design.json").read_text("utf-8")
    expected = {
        "theme": "Queue_Design",
        "displayName": "Queue Design",
        "createdAt": "2026-03-01T09:07:00.000Z",
        "updatedAt": "2026-03-01T09:07:00.000Z",
        "turns": [],
        "memories": [
            {
                "key": "retry",
                "folder": "memory/decisions",
                "title": "Retry",
                "timestamp": "2026-02-01T00:00:00Z",
            },
        ],
    }
    assert text == json.dumps(expected, indent=2)


def test_distinct_names_are_distinct_themes(themes: Themes) -> None:
    """W10: which the peer keeps in one file."""
    names = ["a/b", "a:b", "a b", "A B", "../index", "..index", "CON", "con"]
    for at, name in enumerate(names):
        themes.tag_turn(name, turn(at), NOW)
    assert len(themes.names()) == len(names)
    for at, name in enumerate(names):
        theme = found(themes, name)
        assert (theme.display_name, theme.turns) == (name, (turn(at),))
        assert found(themes, theme.theme) == theme


def test_a_theme_is_made_whatever_names_are_taken(themes: Themes, tmp_path: Path) -> None:
    for at in range(5):
        theme = themes.tag_turn("a:b", turn(at), NOW)
        path = tmp_path / f"store/themes/{theme.theme}.json"
        tree = json.loads(path.read_text())
        path.write_text(json.dumps({**tree, "displayName": f"renamed {at}"}))
    assert len(themes.names()) == 5
    assert themes.read("a:b") is None
    assert [found(themes, f"renamed {at}").turns for at in range(5)] == [
        (turn(at),) for at in range(5)
    ]


def test_what_may_be_the_theme_and_cannot_be_read_gets_no_double(
    themes: Themes, tmp_path: Path
) -> None:
    theme = themes.tag_turn("Queue Design", turn(1), NOW)
    (tmp_path / f"store/themes/{theme.theme}.json").write_text("{")
    for ask in (themes.read, lambda name: themes.tag_turn(name, turn(2), NOW)):
        with pytest.raises(CanonicalFileError, match=r"Queue_Design\.json"):
            ask("Queue Design")
    assert themes.names() == ("Queue_Design",)
    assert themes.tag_turn("Queue", turn(2), NOW).theme == "Queue"


def test_a_key_of_any_words_is_kept_as_it_is(themes: Themes) -> None:
    """W08: where a reference to ``two words`` named a note that there is not."""
    themes.tag_memory("t", memory("two words"), NOW)
    (reference,) = found(themes, "t").memories
    assert (reference.address.path, reference.title) == ("memory/two words.md", "Two Words")


def test_a_theme_is_traced_in_the_order_of_its_turns(themes: Themes) -> None:
    """T1: whatever the order in which they were tagged."""
    times = ["2026-02-24T08:00:00.000Z", "2026-02-20T08:00:00.000Z", None, "2026-02-22"]
    for at, moment in enumerate(times):
        themes.tag_turn("t", turn(at, moment), NOW)
        themes.tag_memory("t", memory(f"k{at}", timestamp=moment), NOW)
    theme = found(themes, "t")
    assert [one.turn_id for one in theme.turns] == [0, 1, 2, 3]
    assert [one.turn_id for one in theme.in_time().turns] == [2, 1, 3, 0]
    assert [one.key for one in theme.in_time().memories] == ["k2", "k1", "k3", "k0"]


def test_what_is_tagged_twice_is_there_once(themes: Themes, tmp_path: Path) -> None:
    themes.tag_turn("t", turn(1, "2026-02-01"), NOW)
    before = themes.tag_memory("t", memory("k", title="K"), NOW, title="Custom")
    after = themes.tag_memory("t", memory("k", title="K"), LATER)
    assert after == themes.tag_turn("t", turn(1, "2026-02-01"), LATER) == before
    renewed = themes.tag_turn("t", turn(1, "2026-02-02"), LATER)
    assert renewed.turns == (turn(1, "2026-02-02"),)
    assert renewed.updated_at == "2026-03-02T00:00:00.000Z"
    assert renewed.memories[0].title == "Custom"
    assert themes.tag_turn("t", turn(1), LATER) == renewed
    assert on_disk(tmp_path, "t") == renewed.to_dict()


def test_references_follow_a_move_and_tell_of_a_deletion(themes: Themes) -> None:
    """W11: which the peer leaves behind."""
    old, new = Address("memory", "a"), Address("memory/archive", "b")
    for name in ("one", "two"):
        themes.tag_memory(name, memory("a"), NOW)
    themes.tag_memory("two", memory("b", "memory/archive"), NOW)
    themes.tag_memory("three", memory("c"), NOW)
    assert set(themes.follow_move(old, new)) == {"one", "two"}
    assert [one.address for one in found(themes, "one").memories] == [new]
    assert [one.address for one in found(themes, "two").memories] == [new]
    assert set(themes.mark_deleted(new)) == {"one", "two"}
    assert themes.mark_deleted(new) == ()
    assert found(themes, "one").memories[0].to_dict()["deleted"] is True
    assert set(themes.mark_deleted(new, deleted=False)) == {"one", "two"}
    assert "deleted" not in found(themes, "one").memories[0].to_dict()
    assert found(themes, "three").memories[0].key == "c"


def test_what_is_unknown_of_a_theme_is_kept(themes: Themes, tmp_path: Path) -> None:
    themes.tag_memory("t", memory("k", timestamp="2026-02-01"), NOW)
    path = tmp_path / "store/themes/t.json"
    tree = json.loads(path.read_text())
    tree["color"] = {"rgb": [1, 2]}
    tree["memories"][0]["why"] = "because"
    path.write_text(json.dumps(tree))
    themes.tag_memory("t", memory("k", timestamp="2026-02-02"), NOW)
    themes.follow_move(Address("memory", "k"), Address("memory", "m"))
    again = on_disk(tmp_path, "t")
    assert again["color"] == {"rgb": [1, 2]}
    assert again["memories"] == [
        {**tree["memories"][0], "key": "m", "timestamp": "2026-02-02"},
    ]


@pytest.mark.parametrize("damage", ["{", "[]", '{"turns": 7}', '{"memories": [null]}', "\ud800"])
def test_a_theme_that_cannot_be_read_hides_no_other(
    themes: Themes, tmp_path: Path, damage: str
) -> None:
    themes.tag_memory("good", memory("k"), NOW)
    bad = tmp_path / "store/themes/bad.json"
    bad.write_bytes(damage.encode("utf-8", "surrogatepass"))
    assert themes.names() == ("bad", "good")
    assert [theme.theme for theme in themes.readable()] == ["good"]
    assert [fault.path for fault in themes.unreadable()] == ["themes/bad.json"]
    assert themes.follow_move(Address("memory", "k"), Address("memory", "l")) == ("good",)
    with pytest.raises(CanonicalFileError, match=r"bad\.json"):
        themes.read("bad")
    with pytest.raises(CanonicalFileError, match=r"bad\.json"):
        themes.tag_memory("bad", memory("k"), NOW)
    assert bad.read_bytes() == damage.encode("utf-8", "surrogatepass")
    themes.remove("bad")
    assert themes.names() == ("good",)


@pytest.mark.parametrize("name", ["../index", "../../victim", "/etc/victim", "..", ".lock", "a\\b"])
def test_no_name_leads_out_of_the_folder(themes: Themes, tmp_path: Path, name: str) -> None:
    """D2 and W27: where such a key read and deleted files elsewhere."""
    (tmp_path / "store/themes").mkdir(parents=True)
    for victim in ("victim.json", "store/index.json", "store/themes/.lock.json"):
        (tmp_path / victim).write_text('{"theme": "x"}')
    assert themes.read(name) is None
    with pytest.raises(ThemeNotFoundError):
        themes.remove(name)
    before = {path for path in tmp_path.rglob("*") if path.parent.name != "themes"}
    themes.tag_memory(name, memory("k"), NOW)
    assert found(themes, name).display_name == name
    themes.remove(name)
    assert themes.names() == ()
    assert {path for path in tmp_path.rglob("*") if path.parent.name != "themes"} == before
    assert (tmp_path / "store/index.json").read_text() == '{"theme": "x"}'


def test_a_link_is_no_theme(themes: Themes, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"displayName": "secret"}')
    (tmp_path / "store/themes").mkdir(parents=True)
    (tmp_path / "store/themes/link.json").symlink_to(tmp_path / "secret.json")
    assert themes.names() == ()
    assert themes.read("link") is None
    with pytest.raises(OutsideWorkspaceError):
        themes.tag_memory("link", memory("k"), NOW)
    assert (tmp_path / "secret.json").read_text() == '{"displayName": "secret"}'


def test_what_is_no_name_is_refused(themes: Themes) -> None:
    for ask in (themes.read, themes.remove):
        with pytest.raises(InvalidNameError):
            ask("")
    with pytest.raises(ThemeNotFoundError, match="there is no theme 'nope'"):
        themes.remove("nope")


def test_without_a_folder_there_are_no_themes(themes: Themes) -> None:
    assert themes.names() == ()
    assert themes.unreadable() == ()
    assert themes.read("x") is None
