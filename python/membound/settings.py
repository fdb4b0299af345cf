"""What a store goes by: kept beside its records, as all that is recalled depends on it."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import msgspec

from membound import _core
from membound.canonical_json import indented
from membound.errors import (
    CanonicalFileError,
    InvalidInputError,
    InvalidRecordError,
    StoreBusyError,
)
from membound.faults import ABSENT, reason_of
from membound.file_system import network_file_system
from membound.files import content_of, move, read_files, temporary, write_new
from membound.folders import sync, writable
from membound.layout import FOLDERS, INDEX, SETTINGS
from membound.log import logger
from membound.tokens import NEWEST, TOKENIZERS, Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from membound.writer import Writer

__all__ = ["InUse", "Settings"]

_EXPECTED = 'it is not what a store notes, such as {"tokenizer": "v1"}'


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one store.

    Attributes:
        tokenizer: what makes the search tokens; ``v1`` of a store that is older than settings.
    """

    tokenizer: Tokenizer

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Reads a store's settings; None where it has none.

        Raises:
            CanonicalFileError: they cannot be read.
        """
        path = folder / SETTINGS
        try:
            text = content_of(next(read_files([str(path)])))
            written = {_text(one): one for one in (cls(tokenizer=name) for name in TOKENIZERS)}
            return written.get(text) or msgspec.convert(_tree(text), cls)
        except OSError as fault:
            if fault.errno in ABSENT:
                return None
            raise CanonicalFileError(str(path), "read", reason_of(fault)) from fault
        except (msgspec.ValidationError, InvalidRecordError) as fault:
            raise CanonicalFileError(str(path), "use", _EXPECTED) from fault

    @classmethod
    def in_use(cls, folder: Path) -> Self:
        """Gives the settings of a store, written or not.

        Where they were lost, the index tells what it was made with. A store without either is one
        that is older than settings.

        Raises:
            CanonicalFileError: they cannot be read.
        """
        found = cls.read(folder)
        if found is not None or network_file_system(folder) is not None:
            return found or cls(tokenizer="v1")  # an index there is not looked at
        noted = _core.index_tokenizer(folder / INDEX)
        return cls(tokenizer="v2" if noted == "v2" else "v1")

    @classmethod
    def of(
        cls, folder: Path, writer: Writer, wanted: Tokenizer | None = None, *, durable: bool
    ) -> Self:
        """Gives the settings that a store is used with; those of a new one are written first.

        Raises:
            CanonicalFileError: they cannot be read, or not written.
            InvalidInputError: the store has others than wanted.
            StoreBusyError: another process is making the store, and does not end.
        """
        found = cls.read(folder)
        if found is None and _is_new(folder):
            with writer.held():
                found = cls.read(folder)
                if found is None and _is_new(folder):
                    found = cls(tokenizer=wanted or NEWEST)
                    found.write(folder, durable=durable)
        # Once more: another process may have made the store between the two looks.
        found = found or cls._kept(folder, writer, durable=durable)
        if wanted not in {None, found.tokenizer}:
            expected = f"{found.tokenizer}, which this store has (upgrade() goes over)"
            raise InvalidInputError("tokenizer", expected, str(wanted))
        return found

    @classmethod
    def _kept(cls, folder: Path, writer: Writer, *, durable: bool) -> Self:
        """Gives the settings of a store that has none; those that were lost are written again."""
        found = cls.in_use(folder)
        if found.tokenizer == "v1" or not writable(folder):
            return found
        logger().warning("the settings were lost; the index was made with %s", found.tokenizer)
        try:
            with writer.held(timeout=0):
                found = cls.in_use(folder)
                if cls.read(folder) is None:
                    found.write(folder, durable=durable)
        except StoreBusyError as error:
            logger().warning("the settings are written the next time: %s", error)
        return found

    def write(self, folder: Path, *, durable: bool) -> None:
        """Puts the settings in the place of others, whole; the caller holds the right to write.

        Raises:
            CanonicalFileError: they cannot be written; what was there is there.
        """
        path, spare = folder / SETTINGS, folder / temporary()
        try:
            try:
                write_new(str(spare), _text(self), durable=durable)
                move(str(spare), str(path))
            finally:
                spare.unlink(missing_ok=True)
            if durable:
                sync(folder)
        except OSError as fault:
            raise CanonicalFileError(str(path), "write", reason_of(fault)) from fault


class InUse:
    """The settings that an open store goes by; another process may change them.

    Args:
        folder: the data folder.
        settings: those that were read when it was opened.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.settings = settings
        self._folder = folder
        self._path = str(folder / SETTINGS)
        self._file: tuple[int, ...] | None = (-1,)  # which file was read; not known yet
        self._following = Lock()

    def follow(self) -> bool:
        """Goes on with the settings that there are by now; whether they are others.

        Raises:
            CanonicalFileError: they cannot be read.
        """
        file = self._identity()
        if file == self._file:
            return False
        found = Settings.in_use(self._folder)
        with self._following:
            changed, self.settings, self._file = self.settings != found, found, file
        return changed

    def write(self, settings: Settings, *, durable: bool) -> None:
        """Writes other settings, and goes on with them; the caller holds the right to write.

        Raises:
            CanonicalFileError: they cannot be written; nothing was changed.
        """
        settings.write(self._folder, durable=durable)
        with self._following:
            self.settings, self._file = settings, self._identity()

    def _identity(self) -> tuple[int, ...] | None:
        """Which file lies there: one is never changed, but another one takes its place."""
        try:
            found = os.stat(self._path)  # noqa: PTH116 — asked at each verb
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_mtime_ns


def _text(settings: Settings) -> bytes:
    return indented(msgspec.json.encode(settings))


def _tree(text: bytes) -> dict[str, Any]:
    from membound.strict_json import json_object  # noqa: PLC0415 — what we wrote is read without it

    return json_object(text)


def _is_new(folder: Path) -> bool:
    """Whether no store has been in a folder, and one may be made there."""
    return writable(folder) and not any(os.path.lexists(folder / name) for name in FOLDERS)
