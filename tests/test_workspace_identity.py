"""Which store is a folder's: the same hash as everybody's, and links where it has moved."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import CanonicalFileError, InvalidInputError
from membound.workspace import Workspace
from membound.workspace.identity import (
    PATH,
    Identity,
    are_links,
    candidates,
    linked,
    peer_stores,
    project_place,
    read_identity,
    read_links,
    store_folder,
    workspace_hash,
    workspace_id,
)

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "cache"
VECTORS = json.loads((FIXTURES / "workspace_hash.json").read_text("utf-8"))
HOME = "/home/ada"


def remember(root: Path, cwd: Path, id: str = "0123") -> str:
    """Lays out the store of a folder, as one that was used there; gives its name."""
    folder = workspace_id(str(cwd), HOME)
    identity = Identity(id=id).seen(str(cwd), project_place(str(cwd)))
    path = root / folder / PATH
    path.parent.mkdir(parents=True)
    path.write_bytes(identity.render())
    return folder


def repository(path: Path) -> Path:
    path.mkdir()
    for command in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", "-C", str(path), *command], check=True)  # noqa: S607
    return path


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["in"] or "none")
def test_the_hash_is_that_of_hosts_and_peers(vector: dict[str, str]) -> None:
    assert workspace_hash(vector["in"]) == vector["out"]


def test_the_store_is_named_by_the_hash_but_for_the_home() -> None:
    cwd = "/home/ada/projects/orchard-bot"
    assert workspace_id(cwd, HOME) == "workspace-b3c97e3572d2"
    assert workspace_id(HOME, HOME) == workspace_id("", HOME) == "workspace-default"
    assert workspace_id("C:\\Users\\ada", "C:/Users/ada") == "workspace-default"
    assert workspace_id(f"{HOME}/", HOME) != "workspace-default"


@given(st.text(st.characters()))
def test_any_path_has_a_hash(cwd: str) -> None:
    assert read_links(json.dumps({workspace_hash(cwd): "workspace-default"}).encode())


@pytest.mark.parametrize("how", ["move", "symlink", "worktree"])
def test_a_folder_finds_its_memories_again(tmp_path: Path, how: str) -> None:
    """C2: where a checkout that had moved, a link or a worktree began with an empty memory."""
    root, before, after = (
        tmp_path / "stores",
        repository(tmp_path / "bot"),
        tmp_path / "new" / "bot",
    )
    after.parent.mkdir()
    store = remember(root, before)
    if how == "move":
        shutil.move(before, after)
    elif how == "symlink":
        after.symlink_to(before)
    else:
        subprocess.run(
            ["git", "-C", str(before), "worktree", "add", "-q", str(after)],  # noqa: S607
            check=True,
        )
    assert store_folder(str(after), HOME, {}) != store
    (candidate,) = candidates(root, str(after))
    assert candidate.folder == store
    assert candidate.reason == ("moved" if how == "move" else "same-project")
    links = read_links(linked(None, str(after), candidate.folder))
    assert store_folder(str(after), HOME, links) == store
    assert store_folder(str(tmp_path / "elsewhere"), HOME, links) != store
    links = read_links(linked(json.dumps(links).encode(), str(after), None))
    assert store_folder(str(after), HOME, links) != store


def test_a_folder_of_a_repository_is_no_other_folder_of_it(tmp_path: Path) -> None:
    root, main, tree = tmp_path / "stores", repository(tmp_path / "main"), tmp_path / "tree"
    subprocess.run(
        ["git", "-C", str(main), "worktree", "add", "-q", str(tree)],  # noqa: S607
        check=True,
    )
    for folder in (main / "one", main / "two", tree / "one"):
        folder.mkdir()
    store = remember(root, main / "one")
    assert [one.folder for one in candidates(root, str(tree / "one"))] == [store]
    assert candidates(root, str(tree)) == candidates(root, str(main / "two")) == ()
    assert project_place(str(tree / "one")) == str((main / "one").resolve())
    assert project_place(str(tmp_path)) == str(tmp_path.resolve())
    assert project_place(str(tmp_path / "none")) is project_place("a\0b") is None


def test_candidates_are_the_likeliest_first_and_no_stranger_is_one(tmp_path: Path) -> None:
    root, here = tmp_path / "stores", tmp_path / "new" / "bot"
    main = repository(tmp_path / "main")
    here.parent.mkdir()
    subprocess.run(
        ["git", "-C", str(main), "worktree", "add", "-q", str(here)],  # noqa: S607
        check=True,
    )
    gone, moved, stranger = (tmp_path / name for name in ("gone", "old/bot", "stranger"))
    stores = {}
    for folder in (gone, moved, stranger):
        folder.mkdir(parents=True)
        stores[folder] = remember(root, folder)
    stores[main], stores[here] = remember(root, main), remember(root, here)
    gone.rmdir()
    moved.rmdir()
    found = [(one.folder, one.reason) for one in candidates(root, str(here))]
    assert found == [
        (stores[main], "same-project"),
        (stores[moved], "moved"),
        (stores[gone], "gone"),
    ]


def test_what_is_no_store_is_no_candidate(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    assert candidates(tmp_path / "none", str(here)) == ()
    for name, data in {"workspace-0123456789ab": b"{", "other": Identity(id="x").render()}.items():
        path = tmp_path / name / PATH
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    (tmp_path / "workspace-default").write_text("a file")
    assert candidates(tmp_path, str(here)) == ()
    assert candidates(tmp_path, "a\0b") == candidates(tmp_path, "") == ()


@pytest.mark.parametrize(
    "folder", ["../../etc", "/etc", "workspace-", "workspace-0123456789ab/..", "workspace-XYZ", ""]
)
def test_no_link_leads_out_of_the_stores(folder: str) -> None:
    assert read_links(json.dumps({workspace_hash("/a"): folder}).encode()) == {}
    with pytest.raises(InvalidInputError, match="folder: expected the name of a store"):
        linked(None, "/a", folder)


@pytest.mark.parametrize(
    "data", [None, b"", b"{", b"[]", b'{"x": 1}', b'{"x": "y"}', b"[" * 99_999]
)
def test_links_that_cannot_be_read_are_none(data: bytes | None) -> None:
    assert read_links(data) == {}
    assert read_identity(data) is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"torn": "workspa'])
def test_links_that_cannot_be_read_are_not_written_over(data: bytes) -> None:
    assert not are_links(data)
    with pytest.raises(CanonicalFileError, match="links"):
        linked(data, "/a", "workspace-default")


def test_what_is_no_link_of_ours_is_kept() -> None:
    data = linked(b'{"x": 1, "0123456789ab": "workspace-default"}', "/a", "workspace-default")
    assert json.loads(data) == {
        "0123456789ab": "workspace-default",
        workspace_hash("/a"): "workspace-default",
        "x": 1,
    }


def test_an_identity_that_cannot_be_read_stays_as_it_is(tmp_path: Path) -> None:
    def opened() -> Workspace:
        return Workspace.open(tmp_path, root=tmp_path / "stores", environment={})

    with opened() as workspace:
        file = workspace.path / ".membound/identity.json"
    file.write_bytes(b'{"id": "torn')
    with opened():
        assert file.read_bytes() == b'{"id": "torn'
    file.unlink()
    with opened():
        assert read_identity(file.read_bytes()) is not None


def test_a_link_leads_to_where_memories_are_and_never_in_a_circle() -> None:
    data = linked(None, "/b", workspace_id("/a", HOME))
    data = linked(data, "/c", workspace_id("/b", HOME))
    links = read_links(data)
    assert store_folder("/c", HOME, links) == store_folder("/b", HOME, links)
    assert store_folder("/b", HOME, links) == store_folder("/a", HOME, links)
    links = read_links(linked(data, "/a", workspace_id("/c", HOME)))
    assert store_folder("/a", HOME, links) == workspace_id("/a", HOME)
    assert read_links(linked(None, HOME, "workspace-default")) == {
        workspace_hash(HOME): "workspace-default"
    }


def test_an_identity_stays_and_remembers_where_it_was() -> None:
    identity = Identity(id="0123", created_at="2026-03-01T09:00:00.000Z").seen("/a", "/a")
    again = identity.seen("/b", None).seen("/a", None).seen("/b", None)
    assert again == Identity(
        id="0123", paths=("/a", "/b"), project="/a", created_at="2026-03-01T09:00:00.000Z"
    )
    assert read_identity(again.render()) == again == again.seen("/b", "/a")
    for at in range(50):
        again = again.seen(f"/{at}", None)
    assert again.paths == tuple(f"/{at}" for at in range(30, 50))


def test_stores_of_peers_are_found_and_left_where_they_are(tmp_path: Path) -> None:
    cwd, ours = "/home/ada/projects/orchard-bot", tmp_path / "ours"
    first = tmp_path / ".kimi-code-memory" / "workspace-b3c97e3572d2"
    second = tmp_path / ".kimi-code" / "memory" / "b3c97e3572d2"
    assert peer_stores(tmp_path, cwd, ours) == ()
    first.mkdir(parents=True)
    assert peer_stores(tmp_path, cwd, ours) == ()
    (first / "memory").mkdir()
    second.mkdir(parents=True)
    (second / "index.json").write_text("{}")
    assert peer_stores(tmp_path, cwd, ours) == (first, second)
    assert peer_stores(tmp_path, cwd, first.parent) == (second,)
    assert peer_stores(tmp_path, "/elsewhere", ours) == ()
