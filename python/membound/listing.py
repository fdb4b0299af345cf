"""Listing records: the last changed first, filtered, in pages that a stable cursor joins."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from membound import _core
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.numbers import whole
from membound.records import MemoryRecord
from membound.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from membound.request import Request
    from membound.session import Position, Session

__all__ = ["Cursor", "latest_first", "listed"]

Cursor = tuple[str, str]
"""``(updated_at, id)`` of a record; the records behind it in a listing follow."""

_PAGE = 256
_EARLIEST = -(2**63)


def listed(
    session: Session,
    request: Request,
    *,
    include_inactive: bool,
    limit: float | None,
    before: Cursor | None,
) -> tuple[MemoryRecord, ...]:
    """Lists what passes the request's filters, from behind the cursor on."""
    most = None if limit is None else whole(limit, "limit")
    start = None if before is None else _position(before)
    found = (
        record
        for record in _in_order(session, start)
        if _passes(record, request) and (include_inactive or _active(record, request.now))
    )
    return tuple(islice(found, most))


def _position(cursor: Cursor) -> Position:
    match cursor:
        case (str(updated_at), str(id)):
            return _core.instant(well_formed(updated_at)), well_formed(id)
    expected = "(updated_at, id) of the last record of the page before"
    raise InvalidInputError("before", expected, excerpt(cursor))


def _in_order(session: Session, after: Position | None) -> Iterator[MemoryRecord]:
    """Yields all records behind a position, by way of the index where it answers."""
    page = session.page(after, _PAGE)
    while page is not None and page[0]:
        records, after = list(map(MemoryRecord.from_json, page[0])), page[1]
        yield from records
        page = session.page(after, _PAGE)
    if page is None:
        records = sorted(session.records(), key=latest_first)
        yield from (one for one in records if after is None or latest_first(one) > _key(*after))


def latest_first(record: MemoryRecord) -> tuple[int, str]:
    """A key that sorts the last changed first, then by id."""
    return _key(_core.instant(record.updated_at), record.id)


def _key(updated: int | None, id: str) -> tuple[int, str]:
    """The last changed first; a date that cannot be read counts as the earliest."""
    return -(_EARLIEST if updated is None else updated), id


def _active(record: MemoryRecord, now: int) -> bool:
    return _core.lifecycle(record.to_json(), now) == "active"


def _passes(record: MemoryRecord, request: Request) -> bool:
    tags = {_core.label(tag) for tag in record.tags} if request.tags else set()
    return (
        (request.scopes is None or record.scope in request.scopes)
        and (request.types is None or record.type in request.types)
        and (request.authorities is None or record.authority in request.authorities)
        and all(_core.label(tag) in tags for tag in request.tags)
        and (request.workspace is None or _is_of(record, request.workspace))
    )


def _is_of(record: MemoryRecord, workspace: str) -> bool:
    place = _core.normalize_path(record.workspace or "")
    return place is not None and place == _core.normalize_path(workspace)
