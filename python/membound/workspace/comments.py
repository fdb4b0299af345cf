"""What folders are for: one line each, kept in a file of ours and mirrored into ``index.json``."""

from __future__ import annotations

import io
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import CanonicalFileError, InvalidInputError, InvalidNameError
from membound.excerpt import excerpt
from membound.workspace.disk import OURS
from membound.workspace.entry import one_line
from membound.workspace.paths import folder_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

__all__ = ["DEFAULTS", "PATH", "Comments", "changed", "checked", "read", "set_by_peers", "shown"]

PATH: Final = f"{OURS}/folders.yaml"
DEFAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "memory": "完整记忆索引（按领域分组）",  # noqa: RUF001 — Chinese has its own brackets
        "decisions": "关键产品/架构决策",
        "rules": "协作规则与编码红线",
        "knowledge": "项目知识",
        "architecture": "架构与数据模型",
        "frontend": "前端与渲染",
        "product": "产品与版型",
        "engineering": "工程实践",
        "reference": "参考文档",
        "notes": "日常速记",
        "essence": "整理后的工作区精要",
    },
)
"""By the last name of a folder; peers show the same."""

_BYTES: Final = 1 << 18
_CHARACTERS: Final = 500
_EXPECTED: Final = "it has to be YAML that gives each folder a text"


class Comments(msgspec.Struct, frozen=True, kw_only=True):
    """What the file of comments says.

    Attributes:
        folders: the comment of each folder, such as ``memory/decisions``.
        faults: what of the file cannot be used, in words.
    """

    folders: dict[str, str]
    faults: tuple[str, ...] = ()


def read(data: bytes | None) -> Comments:
    """Reads the file of comments; what cannot be used is told, and left out."""
    if data is None or not data.strip():
        return Comments(folders={})
    try:
        tree = _tree(data)
    except CanonicalFileError as fault:
        return Comments(folders={}, faults=(str(fault),))
    folders: dict[str, str] = {}
    faults: list[str] = []
    for name, comment in tree.items():
        try:
            folders[_folder(name, PATH)] = _comment(comment, PATH)
        except InvalidInputError as fault:
            faults.append(str(fault))
    return Comments(folders=folders, faults=tuple(faults))


def changed(data: bytes | None, comments: Mapping[str, str]) -> bytes:
    """Gives the file with these comments set, and all else of it as people wrote it.

    Raises:
        CanonicalFileError: the file is none that could be kept.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 — slow to load, and seldom needed
    from ruamel.yaml.comments import CommentedMap  # noqa: PLC0415 — as above
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 — as above

    yaml = YAML()
    yaml.width = 1 << 30
    text = io.BytesIO()
    try:
        tree = yaml.load(data) if data and _tree(data) else {}
        named = {_plain_name(name): name for name in tree}
        for folder, comment in comments.items():
            tree[named.get(folder, folder)] = comment
        if not isinstance(tree, CommentedMap):
            text.write(_remarks(data or b""))
        yaml.dump(tree, text)
    except (YAMLError, ValueError, RecursionError) as fault:
        raise CanonicalFileError(PATH, "change", _EXPECTED) from fault
    return text.getvalue()


def _remarks(data: bytes) -> bytes:
    """Gives the lines of a file that has no more than remarks."""
    lines = (line.strip() for line in data.splitlines())
    return b"".join(line + b"\n" for line in lines if line.startswith(b"#"))


def checked(comments: object, folders: Collection[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Reads comments that a caller sets.

    Args:
        comments: a text for each folder, whose name may end with ``/``.
        folders: those that are there.

    Returns:
        The comment of each folder that is there, and the names of those that are not.

    Raises:
        InvalidInputError: it is no mapping, or a comment is no text.
    """
    if not isinstance(comments, dict):
        raise InvalidInputError("folderComments", "a text for each folder", excerpt(comments))
    found: dict[str, str] = {}
    unknown: list[str] = []
    for name, comment in comments.items():
        line = _comment(comment, "folderComments")
        folder = _plain_name(name)
        if folder is not None and folder in folders:
            found[folder] = line
        else:
            unknown.append(str(name))
    return found, tuple(unknown)


def shown(
    folders: Iterable[str],
    own: Mapping[str, str],
    peers: Mapping[str, str],
) -> dict[str, str]:
    """Gives the comment of each folder that is there: ours, else a peer's, else the usual one.

    Args:
        folders: those that are there.
        own: what the file of comments says; an empty text too.
        peers: as `set_by_peers` gives them.
    """
    return {folder: own.get(folder, peers.get(folder, _usual(folder))) for folder in folders}


def set_by_peers(cached: Mapping[str, str], mirrored: Mapping[str, str]) -> dict[str, str]:
    """Gives the comments that a peer has set in ``index.json`` since ours were mirrored there.

    A comment that somebody takes out of our file does not come back that way.

    Args:
        cached: what ``index.json`` says now.
        mirrored: what we have last written there; nothing where that is not known.
    """
    return {
        folder: one_line(comment)
        for folder, comment in cached.items()
        if comment and comment != mirrored.get(folder, _usual(folder))
    }


def _usual(folder: str) -> str:
    return DEFAULTS.get(folder.rpartition("/")[2], "")


def _folder(name: object, field: str) -> str:
    if not name:  # which elsewhere stands for `memory`
        raise InvalidNameError(field, "the name of a folder", excerpt(name))
    return folder_name(name, field)


def _comment(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(field, "a text for each folder", excerpt(value))
    line = one_line(value)
    if len(line) > _CHARACTERS:
        raise InvalidInputError(field, f"at most {_CHARACTERS} characters", excerpt(line))
    return line


def _plain_name(name: object) -> str | None:
    try:
        return _folder(name, PATH)
    except InvalidInputError:
        return None


def _tree(data: bytes) -> dict[object, object]:
    """Reads a mapping; its scalars stay text.

    Raises:
        CanonicalFileError: it is none.
    """
    import yaml  # noqa: PLC0415 — not needed where nobody has written a comment

    if len(data) > _BYTES:
        raise CanonicalFileError(PATH, "use", f"it has more than {_BYTES:,} bytes")
    try:
        # In plain Python, where what nests too deeply ends in an error and not in a crash.
        tree = yaml.load(data, Loader=yaml.BaseLoader)  # noqa: S506 — it makes text, lists, dicts
    except (yaml.YAMLError, UnicodeError, RecursionError, ValueError) as fault:
        raise CanonicalFileError(PATH, "use", _EXPECTED) from fault
    if tree is None or tree == "":
        return {}
    if not isinstance(tree, dict):
        raise CanonicalFileError(PATH, "use", _EXPECTED)
    return tree
