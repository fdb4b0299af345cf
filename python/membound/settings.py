"""What a store was made with: kept beside its records, as all that is recalled depends on it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

import msgspec

from membound.canonical_json import indented
from membound.errors import CanonicalFileError, InvalidInputError
from membound.faults import ABSENT, reason_of
from membound.files import read_files, temporary, whole, write_new
from membound.folders import sync
from membound.layout import FOLDERS, SETTINGS
from membound.tokens import Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Settings"]

_VERB: Final = "use"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one store; a store without a file of them has these.

    Attributes:
        tokenizer: what makes the search tokens.
    """

    tokenizer: Tokenizer = "v1"

    @classmethod
    def of(cls, folder: Path, wanted: Tokenizer | None, *, durable: bool) -> Self:
        """Reads a store's settings; of a new store, writes those that are wanted.

        Raises:
            CanonicalFileError: they cannot be read, or not written.
            InvalidInputError: the store was made with others than wanted.
        """
        found = cls._read(folder)
        if found is None and wanted is not None and not _holds_anything(folder):
            _write(folder, cls(tokenizer=wanted), durable=durable)
            found = cls._read(folder)
        found = cls() if found is None else found
        if wanted not in {None, found.tokenizer}:
            expected = f"{found.tokenizer}, which this store was made with"
            raise InvalidInputError("tokenizer", expected, str(wanted))
        return found

    @classmethod
    def _read(cls, folder: Path) -> Self | None:
        path = folder / SETTINGS
        try:
            return msgspec.json.decode(whole(next(read_files([str(path)]))), type=cls)
        except OSError as fault:
            if fault.errno in ABSENT:
                return None
            raise CanonicalFileError(str(path), _VERB, reason_of(fault)) from fault
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            raise CanonicalFileError(str(path), _VERB, f"it is damaged: {fault}") from fault


def _write(folder: Path, settings: Settings, *, durable: bool) -> None:
    """Writes settings, unless another process has been first."""
    path, spare = folder / SETTINGS, folder / temporary()
    try:
        write_new(str(spare), indented(msgspec.json.encode(settings)), durable=durable)
        try:
            with suppress(FileExistsError):
                path.hardlink_to(spare)
        finally:
            spare.unlink()
        if durable:
            sync(folder)
    except OSError as fault:
        raise CanonicalFileError(str(path), "write", reason_of(fault)) from fault


def _holds_anything(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in FOLDERS)
