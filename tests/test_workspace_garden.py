"""The garden: notes written, moved and deleted, and no former text lost."""

from __future__ import annotations

import shutil
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membound.errors import (
    InvalidInputError,
    NoteChangedError,
    NoteExistsError,
    NoteNotFoundError,
    OutsideWorkspaceError,
    UnreadableNoteError,
)
from membound.workspace.disk import Root
from membound.workspace.essence import ADDRESS as ESSENCE
from membound.workspace.garden import Garden
from membound.workspace.paths import Address

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "garden"
NOW = datetime(2026, 3, 1, 9, 1, tzinfo=UTC)
LATER = NOW + timedelta(minutes=8)
NOTE = Address("memory/decisions", "use-sqlite-queue")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def garden(folder: Path) -> Garden:
    return Garden(Root(folder))


def put(folder: Path, path: str, data: bytes) -> bytes:
    """Writes a file as somebody would by hand."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(data)
    return data


def names(folder: Path) -> list[str]:
    """Lists what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_a_new_note_has_the_file_that_a_peer_would_write(garden: Garden, folder: Path) -> None:
    made = garden.write(NOTE, "# Q\r\n", tags=["decision", "queue"], now=NOW)
    assert (made.created, made.revision) == (True, None)
    garden.write(NOTE, "# Q\r\n", now=LATER)
    assert (folder / NOTE.path).read_bytes() == (
        b"---\nkey: 'use-sqlite-queue'\ntitle: 'Use Sqlite Queue'\ntags:\n  - decision\n  - queue\n"
        b"createdAt: '2026-03-01T09:01:00.000Z'\nupdatedAt: '2026-03-01T09:09:00.000Z'\n---\n"
        b"\n# Q\r\n"
    )


def test_what_is_not_said_is_kept_and_an_empty_list_clears_the_tags_w07(garden: Garden) -> None:
    garden.write(NOTE, "one", tags=["a"], title="Queue: why", now=NOW)
    kept = garden.write(NOTE, "two", now=LATER)
    assert (kept.note.tags, kept.note.title) == (("a",), "Queue: why")
    assert (kept.note.created_at, kept.note.updated_at) == (
        "2026-03-01T09:01:00.000Z",
        "2026-03-01T09:09:00.000Z",
    )
    assert garden.write(NOTE, "two", tags=[], now=LATER).note.tags == ()
    assert garden.read(NOTE) == garden.write(NOTE, "two", now=LATER).note


def test_the_former_file_is_kept_as_a_revision_w07(garden: Garden, folder: Path) -> None:
    garden.write(NOTE, "one", now=NOW)
    former = (folder / NOTE.path).read_bytes()
    written = garden.write(NOTE, "two", now=LATER)
    assert (written.created, written.revision) == (False, 1)
    assert garden.revisions.read(NOTE, 1) == former
    assert garden.write(NOTE, "three", now=LATER).revision == 2


def test_fields_that_are_not_ours_stay_when_a_note_is_written_w06(
    garden: Garden, folder: Path
) -> None:
    put(folder, NOTE.path, b"---\nowner: Mara # she\ntags: [a, b]\n---\nold")
    garden.write(NOTE, "new", now=NOW)
    assert (folder / NOTE.path).read_bytes() == (
        b"---\nowner: Mara # she\ntags: [a, b]\nupdatedAt: '2026-03-01T09:01:00.000Z'\n---\n\nnew"
    )


def test_a_file_that_would_lose_is_left_and_named_w06_complaint_9(
    garden: Garden, folder: Path
) -> None:
    for name, data in {"a": b"\xff", "b": b"---\na: b: c\n---\nx", "c": b"---\na: b\n"}.items():
        note = Address("memory", name)
        put(folder, note.path, data)
        with pytest.raises(UnreadableNoteError, match=note.path):
            garden.write(note, "new", now=NOW)
        with pytest.raises(UnreadableNoteError):
            garden.move(note, Address("notes", name), now=NOW)
        assert (folder / note.path).read_bytes() == data
        assert garden.revisions.numbers(note) == ()
        assert garden.delete(note, now=NOW)
        assert garden.revisions.read(note, 1) == data


@settings(max_examples=30)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_a_text_comes_back_to_the_byte_w06(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    garden = Garden(Root(tmp_path_factory.mktemp("garden")))
    for content in (text, "\n\n" + text, text + "\r\n"):
        assert garden.write(NOTE, content, now=NOW).note.content == content
        note = garden.read(NOTE)
        assert note is not None
        assert note.content == content


def test_a_note_that_changed_meanwhile_is_not_overwritten_w07(garden: Garden) -> None:
    known = garden.write(NOTE, "one", now=NOW).note.updated_at
    assert known is not None
    with pytest.raises(NoteChangedError):
        garden.write(Address("memory", "none"), "x", now=NOW, if_updated_at=known)
    garden.write(NOTE, "two", now=LATER, if_updated_at="2026-03-01T09:01:00Z")
    with pytest.raises(NoteChangedError) as refused:
        garden.write(NOTE, "three", now=LATER, if_updated_at=known)
    assert (refused.value.expected, refused.value.found) == (known, "2026-03-01T09:09:00.000Z")
    note = garden.read(NOTE)
    assert note is not None
    assert note.content == "two"


def test_what_is_not_acceptable_changes_nothing_w04(garden: Garden, folder: Path) -> None:
    for refused in ({"tags": ["x\ntitle: 'HACKED'"]}, {"title": "a\nb"}):
        with pytest.raises(InvalidInputError):
            garden.write(NOTE, "x", now=NOW, **refused)
    with pytest.raises(InvalidInputError):
        garden.write(NOTE, "\ud800", now=NOW)
    assert not folder.exists()


def test_a_name_that_differs_in_case_alone_is_taken_w01(garden: Garden) -> None:
    garden.write(Address("memory/Rules", "Foo"), "x", now=NOW)
    for folder, key in (("memory/Rules", "foo"), ("memory/rules", "bar"), ("memory/rules", "Foo")):
        with pytest.raises(NoteExistsError) as refused:
            garden.write(Address(folder, key), "y", now=NOW)
        assert refused.value.taken_by.startswith("memory/Rules")
    garden.write(Address("memory/Rules", "ÉTÉ"), "x", now=NOW)
    with pytest.raises(NoteExistsError):
        garden.write(Address("memory/Rules", "été"), "y", now=NOW)


def test_a_name_in_another_normal_form_is_the_same_note_w01(garden: Garden, folder: Path) -> None:
    apart = unicodedata.normalize("NFD", "memory/été/é.md")
    put(folder, apart, b"one")
    note = Address("memory/été", "é")
    found = garden.read(note)
    assert found is not None
    assert (found.content, found.address.path) == ("one", apart)
    written = garden.write(note, "two", now=NOW)
    assert (written.created, written.revision) == (False, 1)
    assert garden.write(Address("memory/été", "b"), "b", now=NOW).note.address.key == "b"
    assert names(folder / "memory") == [unicodedata.normalize("NFD", "été")]
    assert garden.delete(note, now=NOW)


def test_the_same_words_written_otherwise_are_named_complaint_8(garden: Garden) -> None:
    for key in ("use-sqlite-queue", "Use Sqlite Queue", "useSqliteQueue", "use_sqlite.queue"):
        garden.write(Address("memory", key), "x", now=NOW)
    garden.write(Address("memory", "use-sqlite-queues"), "x", now=NOW)
    garden.write(Address("notes", "use-sqlite-queue"), "x", now=NOW)
    assert garden.similar(Address("memory", "use-sqlite-queue")) == (
        "memory/Use Sqlite Queue.md",
        "memory/useSqliteQueue.md",
        "memory/use_sqlite.queue.md",
    )
    assert garden.similar(Address("memory", "use-sqlite-queues")) == ()


@pytest.mark.parametrize("key", ["批次 编号:规则", "emoji-🚀", "what?", " ends."])
def test_what_lies_there_under_any_name_is_read_changed_moved_and_deleted_w02(
    garden: Garden, folder: Path, key: str
) -> None:
    note, to = Address("memory", key), Address("notes/x", key)
    put(folder, note.path, b"one")
    assert garden.read(note) is not None
    assert not garden.write(note, "two", now=NOW).created
    assert garden.move(note, to, now=NOW).address == to
    found = garden.read(to)
    assert found is not None
    assert (found.address.key, found.content) == (key, "two")
    assert garden.delete(to, now=NOW)
    assert garden.read(to) is None


def test_a_move_changes_key_and_time_and_no_other_byte(garden: Garden, folder: Path) -> None:
    data = put(folder, NOTE.path, b"---\n# c\r\nkey: x # own\ntags: [a]\n---\n\n\nbody\r\n")
    to = Address("memory/archive/old", "queue")
    moved = garden.move(NOTE, to, now=NOW)
    assert (folder / to.path).read_bytes() == data.replace(b"key: x", b"key: 'queue'").replace(
        b"[a]\n", b"[a]\nupdatedAt: '2026-03-01T09:01:00.000Z'\n"
    )
    assert (moved, garden.read(NOTE)) == (garden.read(to), None)


def test_revisions_follow_a_move_unless_others_are_there(garden: Garden) -> None:
    to = Address("memory", "queue")
    for text in ("one", "two"):
        garden.write(NOTE, text, now=NOW)
    garden.move(NOTE, to, now=LATER)
    assert (garden.revisions.numbers(NOTE), garden.revisions.numbers(to)) == ((), (1,))
    assert garden.write(to, "three", now=LATER).revision == 2
    garden.write(NOTE, "other", now=NOW)
    assert garden.delete(NOTE, now=NOW)
    garden.move(to, NOTE, now=LATER)
    assert (garden.revisions.read(NOTE, 1) or b"").endswith(b"other")
    assert garden.revisions.numbers(to) == (1, 2)


def test_a_move_to_a_place_that_is_taken_changes_nothing(garden: Garden, folder: Path) -> None:
    garden.write(NOTE, "one", now=NOW)
    garden.write(Address("memory", "Other"), "two", now=NOW)
    before = (folder / NOTE.path).read_bytes()
    for key in ("Other", "other"):
        with pytest.raises(NoteExistsError):
            garden.move(NOTE, Address("memory", key), now=LATER)
    with pytest.raises(NoteNotFoundError):
        garden.move(Address("memory", "none"), NOTE, now=LATER)
    assert (folder / NOTE.path).read_bytes() == before


def test_a_note_is_moved_to_a_key_that_differs_in_case_alone_complaint_11(
    garden: Garden, folder: Path
) -> None:
    garden.write(Address("memory", "foo"), "x", now=NOW)
    moved = garden.move(Address("memory", "foo"), Address("memory", "Foo"), now=LATER)
    assert moved.content == "x"
    assert names(folder / "memory") == ["Foo.md"]
    assert garden.move(moved.address, moved.address, now=LATER).content == "x"


class Stopped(Root):
    """Files of a process that is killed before one goes or gets another name."""

    def remove(self, path: str, *, durable: bool = True) -> bool:
        raise KeyboardInterrupt(path, durable)

    def rename(self, path: str, to: str) -> None:
        raise KeyboardInterrupt(path, to)


@pytest.mark.parametrize("key", ["other", "USE-SQLITE-QUEUE"])
def test_a_move_that_is_cut_short_loses_no_text(garden: Garden, folder: Path, key: str) -> None:
    garden.write(NOTE, "one", now=NOW)
    with pytest.raises(KeyboardInterrupt):
        Garden(Stopped(folder)).move(NOTE, Address(NOTE.folder, key), now=LATER)
    found = garden.read(NOTE)
    assert found is not None
    assert found.content == "one"
    with pytest.raises(KeyboardInterrupt):
        Garden(Stopped(folder)).delete(NOTE, now=LATER)
    assert garden.read(NOTE) == found
    assert garden.delete(NOTE, now=LATER)


def test_a_deleted_note_is_kept_as_a_revision(garden: Garden, folder: Path) -> None:
    garden.write(NOTE, "one", now=NOW)
    former = (folder / NOTE.path).read_bytes()
    assert garden.delete(NOTE, now=LATER)
    assert not garden.delete(NOTE, now=LATER)
    assert (garden.read(NOTE), garden.revisions.read(NOTE, 1)) == (None, former)
    assert garden.write(NOTE, "two", now=LATER).created


@pytest.mark.parametrize("link", ["memory/link", "memory"])
def test_nothing_outside_is_read_written_moved_or_deleted_w16_complaint_14(
    garden: Garden, folder: Path, tmp_path: Path, link: str
) -> None:
    data = put(tmp_path, "outside/x.md", b"theirs")
    (folder / link).parent.mkdir(parents=True, exist_ok=True)
    (folder / link).symlink_to(tmp_path / "outside")
    there = Address(link, "x")
    for act in (
        lambda: garden.read(there),
        lambda: garden.write(there, "x", now=NOW),
        lambda: garden.write(Address(link, "new"), "x", now=NOW),
        lambda: garden.delete(there, now=NOW),
        lambda: garden.move(there, Address("notes", "x"), now=NOW),
    ):
        with pytest.raises(OutsideWorkspaceError):
            act()
    garden.write(Address("notes", "y"), "y", now=NOW)
    with pytest.raises(OutsideWorkspaceError):
        garden.move(Address("notes", "y"), Address(link, "y"), now=NOW)
    assert garden.read(Address("notes", "y")) is not None
    assert names(tmp_path / "outside") == ["x.md"]
    assert (tmp_path / "outside/x.md").read_bytes() == data


def test_a_link_to_a_note_within_stays_a_link_when_it_is_written(
    garden: Garden, folder: Path
) -> None:
    garden.write(NOTE, "one", now=NOW)
    (folder / "memory/link.md").symlink_to(folder / NOTE.path)
    garden.write(Address("memory", "link"), "two", now=LATER)
    assert (folder / "memory/link.md").is_symlink()
    assert garden.delete(Address("memory", "link"), now=LATER)
    found = garden.read(NOTE)
    assert found is not None
    assert found.content == "two"


def test_the_essence_is_replaced_and_the_former_one_kept(garden: Garden, folder: Path) -> None:
    fields = {"key": "essence", "title": "Workspace Essence", "tags": ["essence"], "updatedAt": "1"}
    assert garden.write_essence("one", fields, NOW) is None
    assert (folder / ESSENCE.path).read_bytes() == (
        b"---\nkey: 'essence'\ntitle: 'Workspace Essence'\ntags:\n  - essence\nupdatedAt: '1'\n"
        b"---\n\none"
    )
    assert garden.write_essence("two", fields | {"updatedAt": "2"}, NOW) == 1
    note = garden.read(ESSENCE)
    assert note is not None
    assert (note.content, note.updated_at) == ("two", "2")
    assert (garden.revisions.read(ESSENCE, 1) or b"").endswith(b"one")


def test_every_note_that_a_peer_wrote_can_be_written_and_moved(
    garden: Garden, folder: Path
) -> None:
    shutil.copytree(FIXTURES / "by-a-peer", folder)
    files = sorted(path for path in folder.rglob("*.md") if "essence" not in path.parts)
    assert len(files) > 8
    for file in files:
        note = Address.of(str(file.relative_to(folder)))
        before = garden.read(note)
        assert before is not None
        assert before.fault is None
        after = garden.write(note, before.content, now=LATER).note
        assert (after.title, after.tags, after.created_at) == (
            before.title,
            before.tags,
            before.created_at,
        )
        assert garden.move(note, Address("notes/all", note.key), now=LATER).content == after.content
