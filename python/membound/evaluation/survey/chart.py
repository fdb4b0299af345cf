"""Charts: curves as SVG, drawn by hand as there are few marks and no script may be needed."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from membound.evaluation.survey.curves import Point

__all__ = ["COLOURS", "chart"]

COLOURS: Final = ("#0b62a8", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c", "#475569")
"""One for each variant, in their order."""

_SIZE, _LEFT, _BELOW, _EDGE = 300, 44, 38, 12
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def chart(
    title: str,
    curves: Mapping[str, Sequence[Point]],
    measured: Mapping[str, tuple[float | None, float | None]],
) -> str:
    """Draw recall over false injection.

    Args:
        title: what the chart is of, for those who cannot see it.
        curves: by variant; each has its colour by its place.
        measured: false injection and recall as they are without moving the floor: a dot.
    """
    width, height = _LEFT + _SIZE + _EDGE, _EDGE + _SIZE + _BELOW
    parts = [*_axes()]
    for number, (name, points) in reversed(list(enumerate(curves.items()))):
        colour = COLOURS[number % len(COLOURS)]
        parts += _line(name, points, colour)
        x, y = measured[name]
        if x is not None and y is not None:
            tip = f"{name} as it is: injects {x:.3f}, recall {y:.3f}"
            parts.append(
                f'<circle cx="{_x(x)}" cy="{_y(y)}" r="5" fill="{colour}" stroke="#fff"'
                f' stroke-width="1.5"><title>{escape(tip)}</title></circle>'
            )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        f' aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )


def _axes() -> Iterator[str]:
    for tick in _TICKS:
        yield f'<path class="grid" d="M{_x(tick)} {_y(0)}V{_y(1)}M{_x(0)} {_y(tick)}H{_x(1)}"/>'
        yield f'<text x="{_x(tick)}" y="{_y(0) + 15:g}" text-anchor="middle">{tick:g}</text>'
        yield f'<text x="{_x(0) - 6:g}" y="{_y(tick) + 4:g}" text-anchor="end">{tick:g}</text>'
    middle = _y(0.5)
    yield f'<text x="{_x(0.5)}" y="{_y(0) + 31:g}" text-anchor="middle">false injection</text>'
    yield (
        f'<text x="11" y="{middle}" text-anchor="middle" transform="rotate(-90 11 {middle})">'
        "recall of the selection</text>"
    )


def _line(name: str, points: Sequence[Point], colour: str) -> Iterator[str]:
    if not points:
        return
    path = "L".join(f"{_x(point.false_injection)} {_y(point.recall)}" for point in points)
    yield f'<path class="curve" stroke="{colour}" d="M{path}"/>'
    for point in points:
        floor = "no score is enough" if point.floor is None else f"floor {point.floor:.3f}"
        tip = f"{name}: {floor}, injects {point.false_injection:.3f}, recall {point.recall:.3f}"
        yield (
            f'<circle class="point" cx="{_x(point.false_injection)}" cy="{_y(point.recall)}"'
            f' r="2" fill="{colour}"><title>{escape(tip)}</title></circle>'
        )


def _x(share: float) -> float:
    return round(_LEFT + share * _SIZE, 1)


def _y(share: float) -> float:
    return round(_EDGE + (1 - share) * _SIZE, 1)
