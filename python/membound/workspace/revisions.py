"""Revisions: the former files of a note, the last twenty of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from membound.workspace.disk import OURS
from membound.workspace.paths import ENDING

if TYPE_CHECKING:
    from membound.workspace.disk import Root
    from membound.workspace.paths import Address

__all__ = ["MOST_REVISIONS", "Revisions"]

MOST_REVISIONS: Final = 20
"""Most revisions of one note; the oldest go first."""
_FOLDER: Final = f"{OURS}/revisions"


class Revisions:
    """The former files of notes, each under its note's path and a number that only grows.

    The name of each starts with a dot, as no note's does, so that a folder of notes that is
    named like a note takes nothing from it. The right to write is to be held.

    Args:
        root: the folder of the workspace.
    """

    def __init__(self, root: Root) -> None:
        self._root = root

    def keep(self, address: Address, data: bytes) -> int:
        """Keeps a former file, to the byte; gives its number.

        Raises:
            CanonicalFileError: it cannot be written, or an older one not be removed.
        """
        known = self.numbers(address)
        number = known[-1] + 1 if known else 1
        self._root.write(_path(address, number), data)
        for old in known[: max(len(known) + 1 - MOST_REVISIONS, 0)]:
            self._root.remove(_path(address, old), durable=False)
        return number

    def follow(self, address: Address, to: Address) -> None:
        """Gives a note's revisions to where it lies now, unless others are kept there.

        Raises:
            CanonicalFileError: one cannot be moved.
        """
        if self.numbers(to):
            return
        for number in self.numbers(address):
            self._root.rename(_path(address, number), _path(to, number))

    def numbers(self, address: Address) -> tuple[int, ...]:
        """Lists the revisions of a note by number, oldest first."""
        names = self._root.names(_folder(address))
        numbers = ((name, name.removeprefix(".").removesuffix(ENDING)) for name in names)
        return tuple(
            sorted(
                int(number)
                for name, number in numbers
                if number.isascii() and number.isdigit() and name == _name(int(number))
            )
        )

    def read(self, address: Address, number: int) -> bytes | None:
        """Reads a former file; None where there is no such revision."""
        return self._root.read(_path(address, number))


def _folder(address: Address) -> str:
    return f"{_FOLDER}/{address.path}"


def _name(number: int) -> str:
    return f".{number}{ENDING}"


def _path(address: Address, number: int) -> str:
    return f"{_folder(address)}/{_name(number)}"
