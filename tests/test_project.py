"""The identity of a project: one for all worktrees of a repository, and for nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from membound import project_identity

if TYPE_CHECKING:
    from pathlib import Path

LOOP = "loop"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A real folder with a loop of symbolic links in it."""
    real = tmp_path.resolve()
    (real / LOOP).symlink_to(real / LOOP)
    return real


def worktree(main: Path, at: Path, *, relative: bool = False) -> Path:
    """Lay out by hand what `git worktree add` makes; gives the repository's side of it."""
    common = main / ".git"
    directory = common / "worktrees" / at.name
    directory.mkdir(parents=True)
    (common / "objects").mkdir(exist_ok=True)
    at.mkdir()
    back = os.path.relpath(at / ".git", directory) if relative else at / ".git"
    forth = os.path.relpath(directory, at) if relative else directory
    (directory / "gitdir").write_text(f"{back}\n")
    (directory / "commondir").write_text("../..\n")
    (at / ".git").write_text(f"gitdir: {forth}\n")
    return directory


@pytest.mark.parametrize("relative", [False, True])
def test_a_worktree_has_the_identity_of_the_main_folder(place: Path, relative: bool) -> None:
    main = place / "main"
    worktree(main, place / "tree", relative=relative)
    (place / "tree" / "deep").mkdir()
    (place / "tree" / "deep" / "file.txt").touch()
    (place / "link").symlink_to(place / "tree")
    for path in (
        "main",
        "main/.git",
        "tree",
        "tree/deep",
        "tree/deep/file.txt",
        "link",
        "link/deep",
    ):
        assert project_identity(place / path) == str(main)


def test_outside_a_repository_it_is_the_real_path(place: Path) -> None:
    (place / "plain").mkdir()
    (place / "link").symlink_to(place / "plain")
    assert project_identity(place / "link") == str(place / "plain")


@pytest.mark.parametrize("path", ["none", LOOP, f"{LOOP}/deep", "file/deep", "x" * 5_000])
def test_where_nothing_can_be_read_it_is_none(place: Path, path: str) -> None:
    (place / "file").touch()
    assert project_identity(place / path) is None


FORGED = {
    "the repository": "gitdir: {main}/.git",
    "another worktree": "gitdir: {main}/.git/worktrees/tree",
    "another worktree by a link": "gitdir: linked",
    "a directory of its own": "gitdir: own",
    "a directory that names the repository's folder": "gitdir: worktrees/own",
    "a loop": f"gitdir: ../{LOOP}",
    "a loop within": f"gitdir: ../{LOOP}/worktrees/x",
    "nothing": "gitdir: ../none",
    "itself": "gitdir: .git",
    "a NUL": "gitdir: a\0b",
    "no text": "",
    "a long name": "gitdir: " + "x" * 5_000,
}


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_a_git_file_that_nothing_confirms_claims_nothing(place: Path, text: str) -> None:
    main, other = place / "main", place / "downloaded"
    worktree(main, place / "tree")
    for own in (other / "own", other / "worktrees" / "own"):
        own.mkdir(parents=True)
        (own / "gitdir").write_text(os.path.relpath(other / ".git", own))
        (own / "commondir").write_text(str(main / ".git"))
    (other / "linked").symlink_to(main / ".git" / "worktrees" / "tree")
    (other / ".git").write_text(text.format(main=main))
    (other / "deep").mkdir()
    for path in (other, other / "deep"):
        assert project_identity(path) == str(other)


def test_a_link_to_a_worktree_s_git_file_claims_nothing(place: Path) -> None:
    worktree(place / "main", place / "tree")
    for target in ("tree/.git", "main/.git", "main/.git/worktrees/tree"):
        other = place / target.replace("/", "-")
        other.mkdir()
        (other / ".git").symlink_to(place / target)
        assert project_identity(other) == str(other)


def test_a_folder_of_worktrees_makes_no_repository(place: Path) -> None:
    inner = place / "main" / "worktrees" / "tree"
    inner.mkdir(parents=True)
    for name, text in {".git": "gitdir: .", "gitdir": ".git", "commondir": "../.."}.items():
        (inner / name).write_text(text)
    assert project_identity(inner) == str(inner)


def test_a_git_entry_of_another_kind_is_not_read(place: Path) -> None:
    os.mkfifo(place / ".git")
    assert project_identity(place) == str(place)
    (place / ".git").unlink()
    (place / ".git").write_bytes(b"gitdir: \xff")
    assert project_identity(place) == str(place)


def test_a_worktree_that_was_moved_by_hand_is_its_own(place: Path) -> None:
    worktree(place / "main", place / "tree")
    moved = (place / "tree").rename(place / "moved")
    assert project_identity(moved) == str(moved)


def git(*words: str | Path) -> None:
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = {
        f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    program = shutil.which("git")
    assert program is not None
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run([program, *words], check=True, capture_output=True, env=kept | quiet | names)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_it_is_as_git_lays_repositories_out(place: Path) -> None:
    main, tree, bare = place / "main", place / "tree", place / "bare.git"
    git("init", "-q", main)
    git("-C", main, "commit", "-q", "--allow-empty", "-m", "first")
    git("-C", main, "worktree", "add", "-q", "--detach", tree)
    assert project_identity(tree) == project_identity(main) == str(main)
    git("clone", "-q", "--bare", main, bare)
    for name in ("one", "two"):
        git("-C", bare, "worktree", "add", "-q", "--detach", place / name)
        assert project_identity(place / name) == str(bare)
    git("clone", "-q", "--separate-git-dir", place / "elsewhere", main, place / "apart")
    assert project_identity(place / "apart") == str(place / "apart")
    always = ("-c", "protocol.file.allow=always")
    git("-C", main, *always, "submodule", "--quiet", "add", place / "apart", "part")
    assert (main / "part" / ".git").is_file()
    assert project_identity(main / "part") == str(main / "part")
