"""Cursors: a place in an order, as text that a caller passes back."""

from __future__ import annotations

import base64
import binascii
from typing import TypeVar

import msgspec

from membound.errors import InvalidInputError
from membound.excerpt import excerpt

__all__ = ["cursor_of", "key_of"]

_Key = TypeVar("_Key", bound=msgspec.Struct)


def cursor_of(key: object) -> str:
    """Gives the text that stands for a place in an order."""
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode().rstrip("=")


def key_of(cursor: object, key: type[_Key]) -> _Key:
    """Reads a cursor.

    Raises:
        InvalidInputError: it is none of that order.
    """
    try:
        if isinstance(cursor, str):
            text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars="-_", validate=True)
            return msgspec.json.decode(text, type=key)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        pass
    raise InvalidInputError("cursor", "the next_cursor of the page before", excerpt(cursor))
