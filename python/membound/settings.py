"""What a store was made with: kept beside its records, as all that is recalled depends on it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import msgspec

from membound.canonical_json import indented
from membound.errors import CanonicalFileError, InvalidInputError, InvalidRecordError
from membound.faults import ABSENT, reason_of
from membound.files import content_of, move, read_files, temporary, write_new
from membound.folders import sync, writable
from membound.layout import FOLDERS, SETTINGS
from membound.tokens import TOKENIZERS, Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from membound.writer import Writer

__all__ = ["Settings"]

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

        Raises:
            CanonicalFileError: they cannot be read.
        """
        return cls.read(folder) or cls(tokenizer="v1")

    @classmethod
    def of(
        cls, folder: Path, writer: Writer, wanted: Tokenizer | None = None, *, durable: bool
    ) -> Self:
        """Gives the settings that a store is used with; those of a new one are written first.

        Raises:
            CanonicalFileError: they cannot be read, or not written.
            InvalidInputError: the store was made with others than wanted.
            StoreBusyError: another process is making the store, and does not end.
        """
        found = cls.read(folder)
        if found is None and _is_new(folder):
            with writer.held():
                found = cls.read(folder)
                if found is None and _is_new(folder):
                    found = cls(tokenizer=wanted or "v1")
                    _write(folder, found, durable=durable)
        # Once more: another process may have made the store between the two looks.
        found = found or cls.in_use(folder)
        if wanted not in {None, found.tokenizer}:
            expected = f"{found.tokenizer}, which this store was made with"
            raise InvalidInputError("tokenizer", expected, str(wanted))
        return found


def _text(settings: Settings) -> bytes:
    return indented(msgspec.json.encode(settings))


def _tree(text: bytes) -> dict[str, Any]:
    from membound.strict_json import json_object  # noqa: PLC0415 — what we wrote is read without it

    return json_object(text)


def _is_new(folder: Path) -> bool:
    """Whether no store has been in a folder, and one may be made there."""
    return writable(folder) and not any(os.path.lexists(folder / name) for name in FOLDERS)


def _write(folder: Path, settings: Settings, *, durable: bool) -> None:
    """Writes settings; the caller holds the right to write."""
    path, spare = folder / SETTINGS, folder / temporary()
    try:
        try:
            write_new(str(spare), _text(settings), durable=durable)
            move(str(spare), str(path))
        finally:
            spare.unlink(missing_ok=True)
        if durable:
            sync(folder)
    except OSError as fault:
        raise CanonicalFileError(str(path), "write", reason_of(fault)) from fault
