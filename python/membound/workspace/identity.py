"""Which store is a folder's: by the hash of its path, and by links where it has moved."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from membound.canonical_json import indented
from membound.errors import CanonicalFileError, InvalidInputError
from membound.excerpt import excerpt
from membound.project import project_identity
from membound.text import well_formed
from membound.workspace.disk import OURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "LINKS",
    "PATH",
    "Candidate",
    "Identity",
    "Reason",
    "are_links",
    "candidates",
    "linked",
    "peer_stores",
    "project_place",
    "read_identity",
    "read_links",
    "store_folder",
    "workspace_hash",
    "workspace_id",
]

PATH: Final = f"{OURS}/identity.json"
"""In a workspace's store."""

LINKS: Final = "links.json"
"""Under the root of all stores."""

Reason = Literal["same-project", "moved", "gone"]
"""Why a store may be a folder's.

Both are at one place of one repository; the folder that it was made for is no more, and had the
same name; or that folder is no more.
"""

_REASONS: Final[tuple[Reason, ...]] = ("same-project", "moved", "gone")
_FOLDER: Final = re.compile(r"workspace-(?:[0-9a-f]{12}|default)")
_HASH: Final = re.compile(r"[0-9a-f]{12}")
_DIGITS: Final = 12
_PATHS: Final = 20


class Identity(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Who a workspace is, wherever its folder lies.

    Attributes:
        id: stays the same; made by chance.
        paths: where its folder was seen, the last one last.
        project: its `project_place`, as it was when it was last seen.
        created_at: a UTC time.
    """

    id: str
    paths: tuple[str, ...] = ()
    project: str | None = None
    created_at: str | None = None

    def seen(self, cwd: str, project: str | None) -> Identity:
        """Gives the identity with the folder as it is now; an equal one where nothing is new.

        Args:
            cwd: the folder.
            project: its `project_place`.
        """
        paths = (*(path for path in self.paths if path != cwd), cwd)[-_PATHS:]
        return msgspec.structs.replace(self, paths=paths, project=project or self.project)

    def render(self) -> bytes:
        """Gives the text of its file."""
        return indented(msgspec.json.encode(self))


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A store that may be a folder's.

    Attributes:
        folder: its name under the root of all stores.
        identity: what it says of itself.
    """

    folder: str
    reason: Reason
    identity: Identity


def project_place(cwd: str) -> str | None:
    """Gives what a folder of all worktrees of a repository shares: its path in the main one.

    Outside of a repository it is the real path; None where nothing is at the path.
    """
    try:
        project = project_identity(cwd) if cwd else None
        real = Path(cwd).resolve()
        checkout = next((one for one in (real, *real.parents) if (one / ".git").exists()), None)
    except (InvalidInputError, OSError, ValueError, RuntimeError):
        return None
    if project is None or checkout is None:
        return project
    return os.fspath(Path(project) / real.relative_to(checkout))


def workspace_hash(cwd: str) -> str:
    """Gives the 12 hex digits by which hosts and peers name the folder of a workspace.

    They depend on how the path is spelled: on links, on case, on a separator at its end.
    """
    spelled = well_formed(cwd).replace("\\", "/")
    return hashlib.sha256(spelled.encode()).hexdigest()[:_DIGITS]


def workspace_id(cwd: str, home: str) -> str:
    """Gives the name that a folder's store has, unless a link says another."""
    spelled = cwd.replace("\\", "/")
    if spelled in {"", home.replace("\\", "/")}:
        return "workspace-default"
    return f"workspace-{workspace_hash(cwd)}"


def store_folder(cwd: str, home: str, links: Mapping[str, str]) -> str:
    """Gives the name of the store of a folder: the linked one, else its own."""
    return links.get(workspace_hash(cwd)) or workspace_id(cwd, home)


def read_identity(data: bytes | None) -> Identity | None:
    """Reads an identity; None where there is none, or what is there is none."""
    try:
        return None if data is None else msgspec.json.decode(data, type=Identity)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def read_links(data: bytes | None) -> dict[str, str]:
    """Reads which hash has which store; a link that leads to no store's name is left out."""
    return {
        hash: folder
        for hash, folder in (_tree(data) or {}).items()
        if _HASH.fullmatch(hash) and isinstance(folder, str) and _FOLDER.fullmatch(folder)
    }


def _tree(data: bytes | None) -> dict[str, object] | None:
    """Reads the object that a file of links is; None of one that is none."""
    try:
        tree = {} if data is None else msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return tree if isinstance(tree, dict) else None


def are_links(data: bytes | None) -> bool:
    """Tells whether the file of links can be read, or is not there."""
    return _tree(data) is not None


def linked(data: bytes | None, cwd: str, folder: str | None) -> bytes:
    """Gives the file of links with one more, or without that of a folder.

    Args:
        data: as it is.
        cwd: the folder.
        folder: the name of the store that is to be its; None for its own.

    Raises:
        InvalidInputError: that is no store's name.
        CanonicalFileError: the file is none that could be kept.
    """
    if (tree := _tree(data)) is None:
        raise CanonicalFileError(LINKS, "change", "it is no JSON object: mend it, or remove it")
    links = read_links(data)
    kept = {hash: store for hash, store in tree.items() if hash != workspace_hash(cwd)}
    if folder is not None:
        if not _FOLDER.fullmatch(folder):
            expected = "the name of a store, such as workspace-0123456789ab"
            raise InvalidInputError("folder", expected, excerpt(folder))
        if folder != f"workspace-{workspace_hash(cwd)}":
            # A store that is itself linked away is not used: lead to where that link leads.
            links.pop(workspace_hash(cwd), None)
            kept[workspace_hash(cwd)] = links.get(folder.removeprefix("workspace-"), folder)
    return indented(msgspec.json.encode(dict(sorted(kept.items()))))


def candidates(root: Path, cwd: str) -> tuple[Candidate, ...]:
    """Finds stores that may be those of a folder, the likeliest first.

    Args:
        root: of all stores.
        cwd: the folder, which may be a moved checkout, a link to one, or a worktree.
    """
    project, own = project_place(cwd), f"workspace-{workspace_hash(cwd)}"
    found: list[Candidate] = []
    for folder in _stores(root):
        identity = read_identity(_content(root / folder / PATH))
        reason = _reason(identity, cwd, project) if identity and folder != own else None
        if identity and reason:
            found.append(Candidate(folder=folder, reason=reason, identity=identity))
    return tuple(sorted(found, key=lambda one: (_REASONS.index(one.reason), one.folder)))


def peer_stores(home: Path, cwd: str, store_root: Path) -> tuple[Path, ...]:
    """Finds stores of the folder that peers have made, which are offered and never moved."""
    hash = workspace_hash(cwd)
    places = (
        home / ".kimi-code-memory" / workspace_id(cwd, os.fspath(home)),
        home / ".kimi-code" / "memory" / hash,
    )
    return tuple(path for path in places if path.parent != store_root and _holds_memories(path))


def _reason(identity: Identity, cwd: str, project: str | None) -> Reason | None:
    if project is not None and identity.project == project:
        return "same-project"
    if not identity.paths or any(map(_is_there, identity.paths)):
        return None
    same = any(_name(path) == _name(cwd) for path in identity.paths)
    return "moved" if same else "gone"


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _stores(root: Path) -> Iterable[str]:
    try:
        return sorted(path.name for path in root.iterdir() if _FOLDER.fullmatch(path.name))
    except OSError:
        return ()


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _holds_memories(path: Path) -> bool:
    try:
        return (path / "memory").is_dir() or (path / "index.json").is_file()
    except OSError:
        return False
