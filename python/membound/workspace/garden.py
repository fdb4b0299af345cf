"""The garden: notes read, written, moved and deleted, so that no former text is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import NoteChangedError, NoteExistsError, NoteNotFoundError
from membound.times import instant, timestamp
from membound.workspace import essence
from membound.workspace.front_matter import changed, read_document
from membound.workspace.note import Note, checked_content, checked_tags, checked_title, note_of
from membound.workspace.paths import ENDING, Address, composed, folded, title_of
from membound.workspace.revisions import Revisions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from membound.workspace.disk import Root
    from membound.workspace.yaml_scan import Value

__all__ = ["Garden", "Written"]

_SEPARATORS: Final = dict.fromkeys(map(ord, "-_. "))


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What a write did.

    Attributes:
        note: as it is now.
        created: whether there was none before.
        revision: the number under which the former file is kept; None where there was none.
    """

    note: Note
    created: bool
    revision: int | None


class Garden:
    """The notes of a workspace. The right to write is to be held by who changes one.

    A name finds its file in either normal form, so that a file that came from a system that
    writes NFD is no other note.

    Args:
        root: the folder of the workspace.
    """

    def __init__(self, root: Root) -> None:
        self._root = root
        self.revisions: Final = Revisions(root)

    def read(self, address: Address) -> Note | None:
        """Reads a note; None where there is none.

        Raises:
            OutsideWorkspaceError: a link leads out of the workspace.
            CanonicalFileError: the file cannot be read.
        """
        there, data = self._find(address)
        return None if data is None else note_of(there, data)

    def write(
        self,
        address: Address,
        content: str | None,
        *,
        tags: Iterable[str] | None = None,
        title: str | None = None,
        now: datetime,
        if_updated_at: str | None = None,
    ) -> Written:
        """Writes a note; one that is there keeps all that is not said, and its file as a revision.

        Args:
            address: where.
            content: its text, kept to the byte; left out, the one it has is kept.
            tags: left out, those it has are kept; an empty list clears them.
            title: left out, the one it has is kept; a new note's is made of the key.
            now: the time of the change.
            if_updated_at: what the caller knows as its ``updatedAt``.

        Raises:
            InvalidInputError: text, title or a tag is not acceptable.
            NoteExistsError: a new name differs from one that is there in case alone.
            NoteChangedError: the note is not as the caller knows it, or is gone.
            UnreadableNoteError: what is there cannot be changed without loss.
            CanonicalFileError: the disk refused.
        """
        body = None if content is None else checked_content(content)
        told: dict[str, Value] = {}
        if title is not None:
            told["title"] = checked_title(title)
        if tags is not None:
            told["tags"] = checked_tags(tags)
        there, former = self._find(address)
        _require(there, former, if_updated_at)
        if former is None:
            self._require_free(there)
        stamp = timestamp(now)
        if former is None and body is None:
            body = ""
        data = changed(former, body=body, set=_fields(there, former, told, stamp), path=there.path)
        revision = None if former is None else self.revisions.keep(there, former)
        self._root.write(there.path, data, changed=now)
        return Written(note=note_of(there, data), created=former is None, revision=revision)

    def write_essence(
        self, content: str, fields: Mapping[str, object], now: datetime
    ) -> int | None:
        """Writes the essence; gives the number of the revision that the former one is now, if any.

        Args:
            content: its text.
            fields: what its front matter says, texts and lists of texts.
            now: the time of the change.

        Raises:
            InvalidInputError: it is no text.
            UnreadableNoteError: what is there cannot be changed without loss.
            CanonicalFileError: the disk refused.
        """
        values = {name: _value(value) for name, value in fields.items()}
        former = self._root.read(essence.ADDRESS.path)
        data = changed(former, body=checked_content(content), set=values, path=essence.ADDRESS.path)
        revision = None if former is None else self.revisions.keep(essence.ADDRESS, former)
        self._root.write(essence.ADDRESS.path, data, changed=now)
        return revision

    def delete(self, address: Address, now: datetime) -> bool:
        """Deletes a note, whose file is kept as a revision; tells whether there was one.

        Args:
            address: where it lies.
            now: the time of the change, to be aware.

        Raises:
            OutsideWorkspaceError: a link leads out of the workspace.
            CanonicalFileError: the disk refused.
        """
        timestamp(now)
        there, former = self._find(address)
        if former is None:
            return False
        self.revisions.keep(there, former)
        return self._root.remove(there.path)

    def move(self, address: Address, to: Address, now: datetime) -> Note:
        """Moves a note; its file says the new key and the time, and is the same otherwise.

        The new file is there before the former one goes. Its revisions follow, unless a note that
        was there has left some.

        Raises:
            NoteNotFoundError: there is none.
            NoteExistsError: another note lies there, or one of that name in other case.
            UnreadableNoteError: it cannot be changed without loss.
            CanonicalFileError: the disk refused.
        """
        there, former = self._find(address)
        if former is None:
            raise NoteNotFoundError(address.path)
        self._require_free(to, besides=there)
        told: dict[str, Value] = {"key": to.key}
        data = changed(former, set=_fields(to, former, told, timestamp(now)), path=there.path)
        if folded(there.path) == folded(to.path):
            self._root.write(there.path, data, changed=now)
            self._root.rename(there.path, to.path)
        else:
            self._root.write(to.path, data, changed=now)
            self._root.remove(there.path)
        self.revisions.follow(there, to)
        return note_of(to, data)

    def similar(self, address: Address) -> tuple[str, ...]:
        """Lists the notes of the same folder whose keys are the same words, written otherwise."""
        there, _ = self._find(address)
        letters = _letters(there.key)
        return tuple(
            f"{there.folder}/{name}"
            for name in sorted(self._root.names(there.folder))
            if name.endswith(ENDING)
            and _letters(name.removesuffix(ENDING)) == letters
            and name != f"{there.key}{ENDING}"
            and _words(name.removesuffix(ENDING)) == _words(there.key)
        )

    def _find(self, address: Address) -> tuple[Address, bytes | None]:
        """Reads a file under its name, or else under the same name in another normal form."""
        data = self._root.read(address.path)
        if data is not None or address.path.isascii():
            return address, data
        found = ""
        for name in address.path.split("/"):
            names = self._root.names(found)
            same = name if name in names else _one(names, name, composed) or name
            found = f"{found}/{same}" if found else same
        there = Address.of(found)
        return (there, self._root.read(found)) if found != address.path else (address, None)

    def _require_free(self, address: Address, besides: Address | None = None) -> None:
        """Refuses a name, of the file or of a folder, that is taken but for case.

        Raises:
            NoteExistsError: it is taken.
        """
        folder = ""
        own = None if besides is None else besides.path
        for name in address.path.split("/"):
            path = f"{folder}/{name}" if folder else name
            names = self._root.names(folder)
            taken = name if name in names else _one(names, name, folded)
            where = f"{folder}/{taken}" if folder else taken
            is_last = path == address.path
            if taken is not None and (is_last or taken != name) and where != own:
                raise NoteExistsError(address.path, where or path)
            folder = path


def _fields(
    address: Address, former: bytes | None, told: Mapping[str, Value], stamp: str
) -> dict[str, Value]:
    """Gives the fields to set: all of them in a new block, in an older one only what changed."""
    if former is not None and read_document(former).head is not None:
        return {**told, "updatedAt": stamp}
    start: dict[str, Value] = {"key": address.key, "title": title_of(address.key) or address.key}
    created: dict[str, Value] = {"createdAt": stamp} if former is None else {}
    return {**start, "tags": (), **told, **created, "updatedAt": stamp}


def _require(address: Address, former: bytes | None, if_updated_at: str | None) -> None:
    if if_updated_at is None:
        return
    found = None if former is None else note_of(address, former).updated_at
    same = found == if_updated_at
    if not same and found is not None and (moment := instant(found)) is not None:
        same = moment == instant(if_updated_at)
    if not same:
        raise NoteChangedError(address.path, if_updated_at, found)


def _value(value: object) -> Value:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _one(names: Iterable[str], name: str, form: Callable[[str], str]) -> str | None:
    """Gives the first name that has the same form as another one."""
    wanted = form(name)
    return min((one for one in names if form(one) == wanted), default=None)


def _letters(key: str) -> str:
    """Gives a key without what parts its words: quick to tell most others apart by."""
    return folded(key.translate(_SEPARATORS))


def _words(key: str) -> tuple[str, ...]:
    return tuple(folded(title_of(key.replace(".", " "))).split())
