"""A line's JSON object becomes a draft: names, times and place as `remember` takes them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from membound.cli.place import place
from membound.draft import MemoryDraft
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.times import START

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["checked", "draft_of"]

_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")
_TIMES = ("observed_at", "valid_from", "valid_to", "expires_at")


def draft_of(fields: Mapping[str, Any], *, scope: str, workspace: str | None) -> MemoryDraft:
    """Return the draft that a JSON object describes, checked.

    Names may be written as in Python or as in JSON (`expires_at`, `expiresAt`); times are ISO 8601
    text. An object that names no scope is put at `scope`.

    Raises:
        InvalidInputError: naming the field that is not acceptable.
    """
    keywords = {_CAPITAL.sub(r"_\1", name).lower(): value for name, value in fields.items()}
    for name in _TIMES:
        if keywords.get(name) is not None:
            keywords[name] = _moment(keywords[name], name)
    if "ttl" in keywords:
        keywords["ttl"] = _seconds(keywords["ttl"])
    home = place(
        keywords.get("scope", scope),
        _path(keywords, "workspace") or workspace,
        _path(keywords, "project"),
    )
    return checked(MemoryDraft.from_keywords({**keywords, **home}))


def checked(draft: MemoryDraft) -> MemoryDraft:
    """Return the draft if a record can be made of it, or raise what is wrong with it."""
    draft.to_record(id=draft.id or "unnamed", now=START)
    return draft


def _path(keywords: Mapping[str, Any], field: str) -> str | None:
    path = keywords.get(field)
    if path is None or isinstance(path, str):
        return path
    raise InvalidInputError(field, "a path", excerpt(path))


def _moment(text: object, field: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        expected = "an ISO 8601 time with its zone, such as 2026-07-01T12:00:00Z"
        raise InvalidInputError(field, expected, excerpt(text))
    return moment


def _seconds(value: object) -> timedelta:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return timedelta(seconds=value)
    except OverflowError:
        pass
    raise InvalidInputError("ttl", "a number of seconds", excerpt(value))
