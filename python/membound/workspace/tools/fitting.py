"""Fitting a reply into its budget: long texts are cut first, then lists end earlier."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from membound._core import hides_text
from membound.text import well_formed
from membound.workspace.cutting import cut
from membound.workspace.fence import NOTICE, rendered
from membound.workspace.tools.cursor import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Fields", "Run", "counted", "fields_of", "fit", "paged", "resumed", "size"]

Fields = dict[str, Any]
"""What a reply says, by the names of the JSON."""

_MARK: Final = "…"
_ROOM_FOR_NOTICE: Final = len(rendered({"notice": NOTICE})) + 20
_ROOM_FOR_CURSOR: Final = 60
_SHORT: Final = 100
_SHORTEST: Final = 12
_MANY: Final = 1_000
_SHARE: Final = 4
"""No list ends earlier while one text still takes more than this part of the budget."""


class Run(msgspec.Struct, frozen=True):
    """A list of a reply that may be shortened.

    Attributes:
        path: where it is, as ``recentContext.detailedRounds``.
        oldest_first: whether its last items matter most, so that the first are left out.
        least: how many items stay whatever they take.
    """

    path: str
    oldest_first: bool = False
    least: int = 0


def fields_of(value: object) -> Fields:
    """Gives a result of the workspace as plain JSON values, free to be changed."""
    fields: Fields = _plain(msgspec.to_builtins(value))
    return fields


def fit(fields: Fields, budget: int, runs: Sequence[Run] = ()) -> tuple[Fields, dict[str, int]]:
    """Makes a reply take at most so many characters of JSON.

    Texts are cut as little as does it, down to a quarter of the budget each; then the lists are
    shortened in their order; then texts are cut further. What holds a cut text gets ``truncated``.

    Returns:
        The reply, and how many items of each list were left out.
    """
    budget -= _ROOM_FOR_NOTICE
    dropped = {run.path: 0 for run in runs}
    if size(fields) <= budget:
        return fields, dropped
    floor = budget // _SHARE
    clipped = _clipped(fields, floor)
    if size(clipped) <= budget:
        return _clipped(fields, _longest(fields, floor, budget, budget)), dropped
    clipped["truncated"] = True
    for run in runs:
        dropped[run.path] = _shorten(clipped, run, size(clipped) - budget)
    if size(clipped) > budget:
        clipped = _squeezed(clipped, floor, budget)
    return clipped, dropped


def paged(ask: Callable[[int | None], object], name: str, limit: int | None, budget: int) -> Fields:
    """Fits a page of a list, which the workspace's own ``next_cursor`` goes on behind.

    Where fewer items than asked for have room, only these are asked for: a cursor is a place in
    the order, whatever comes and goes meanwhile, and a count would be none.

    Args:
        ask: gives the page of at most so many items; of None, of as many as usual.
        name: the list.
        limit: how many items.
        budget: characters of JSON.
    """
    while True:
        fields = fields_of(ask(limit))
        behind = fields.pop("next_cursor", None)
        room = budget - _ROOM_FOR_CURSOR - len(behind or "")
        fitted, _ = fit(fields, room, [Run(name, least=1)])
        kept = len(fitted.get(name, ()))
        if kept == len(fields[name]) or limit == 1:
            return fitted if behind is None else {**fitted, "next_cursor": behind}
        limit = max(kept, 1)


def counted(fields: Fields, name: str, place: Place, budget: int) -> Fields:
    """Fits a list of names that begins at a place, and goes on with ``next_cursor``."""
    rest = fields[name][place.skip :]
    fitted, dropped = fit({**fields, name: rest}, budget - _ROOM_FOR_CURSOR, [Run(name, least=1)])
    if dropped[name]:
        fitted["next_cursor"] = place.later(len(fitted[name])).text
    return fitted


def resumed(fields: Fields, name: str, place: Place, budget: int) -> Fields:
    """Fits a reply with one long text that goes on with ``next_cursor``, nothing of it lost."""
    text = place.rest_of(fields[name])
    fitted, _ = fit({**fields, name: ""}, budget - _ROOM_FOR_CURSOR)
    room = budget - _ROOM_FOR_NOTICE - _ROOM_FOR_CURSOR - size(fitted)
    most = bisect_right(range(min(len(text), room)), room, key=lambda n: size(text[: n + 1]) - 2)
    part = cut(text, max(most, 1))
    fitted[name] = part
    if len(part) < len(text):
        following = Place.within(fields[name], place.skip + len(part))
        fitted |= {"truncated": True, "next_cursor": following.text}
    return fitted


def _plain(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    """Copies a value into what JSON has, with U+FFFD in the place of every lone surrogate.

    What holds a text with hidden characters gets ``hiddenText``: the text for a model shows them
    escaped, and the fields for programs as they are.
    """
    match value:
        case str():
            return well_formed(value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            parts = {well_formed(str(name)): _plain(item) for name, item in value.items()}
            if any(map(_hides_text, parts.values())):
                parts["hiddenText"] = True
            return parts
        case _:
            return value


def _hides_text(part: object) -> bool:
    """Tells whether a text, or one of a list, holds what a reader cannot see."""
    if isinstance(part, list):
        return any(isinstance(item, str) and hides_text(item) for item in part)
    return isinstance(part, str) and hides_text(part)


def size(value: object) -> int:
    """Gives how many characters of JSON a value takes in a reply."""
    return len(rendered(value))


def _squeezed(fields: Fields, floor: int, budget: int) -> Fields:
    """Cuts what is left, all texts alike, then all lists alike, then everything but scalars."""
    for least in (_SHORT, _SHORTEST):
        fitting: Fields = _clipped(fields, min(floor, least))
        if size(fitting) <= budget:
            longest: Fields = _clipped(fields, _longest(fields, least, floor, budget))
            return longest
        found = bisect_right(range(_MANY), budget, key=partial(_thinned_size, fitting))
        if found > 1:
            thinned: Fields = _thinned(fitting, found - 1)
            return thinned
    thinned = _thinned(fitting, 0)
    return thinned if size(thinned) <= budget else _scalars(thinned)


def _thinned_size(fields: Fields, most: int) -> int:
    return size(_thinned(fields, most))


def _longest(fields: Fields, least: int, most: int, budget: int) -> int:
    """Gives the greatest length to which texts can be cut so that the reply fits."""
    lengths = range(least, most)
    found = bisect_right(lengths, budget, key=lambda length: size(_clipped(fields, length)))
    return max(least, least + found - 1)


def _thinned(value: Any, most: int) -> Any:  # noqa: ANN401 — any JSON value
    """Copies a reply with every list ended that is longer; what holds it is marked."""
    match value:
        case list():
            return [_thinned(item, most) for item in value[:most]]
        case dict():
            parts = {name: _thinned(item, most) for name, item in value.items()}
            if any(isinstance(part, list) and len(part) > most for part in value.values()):
                parts["truncated"] = True
            return parts
        case _:
            return value


def _clipped(value: Any, most: int) -> Any:  # noqa: ANN401 — any JSON value
    """Copies a reply with every text cut that is longer; what holds it is marked."""
    match value:
        case str() if len(value) > most:
            return cut(value, max(most - 1, 0)) + _MARK if most else ""
        case list():
            return [_clipped(item, most) for item in value]
        case dict():
            parts = {name: _clipped(item, most) for name, item in value.items()}
            if any(_is_cut(value[name], part) for name, part in parts.items()):
                parts["truncated"] = True
            return parts
        case _:
            return value


def _is_cut(before: object, after: object) -> bool:
    """Tells whether a text was cut, or the list of texts that it is in."""
    if isinstance(before, list) and isinstance(after, list):
        pairs = zip(before, after, strict=True)
        return any(isinstance(old, str) and old != new for old, new in pairs)
    return isinstance(before, str) and before != after


def _shorten(fields: Fields, run: Run, excess: int) -> int:
    """Leaves out items of a list until it takes so much less, or has no more to give."""
    *parents, name = run.path.split(".")
    for parent in parents:
        fields = fields.get(parent) or {}
    items = fields.get(name)
    if not isinstance(items, list):
        return 0
    ordered = items if run.oldest_first else items[::-1]
    dropped = 0
    while excess > 0 and dropped < len(items) - run.least:
        excess -= size(ordered[dropped]) + 1
        dropped += 1
    fields[name] = items[dropped:] if run.oldest_first else items[: len(items) - dropped]
    return dropped


def _scalars(fields: Fields) -> Fields:
    """Gives what is left where even the frame of a reply is too large: no lists and no parts."""
    return {name: value for name, value in fields.items() if not isinstance(value, list | dict)}
