"""The themes in the search index: a theme is found by its name, and by titles of its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from membound.errors import CanonicalFileError
from membound.times import EPOCH, instant, timestamp
from membound.workspace.follower import Follower, decoded
from membound.workspace.records import part_ids, theme_record
from membound.workspace.theme_name import theme_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from membound.workspace.disk import Root
    from membound.workspace.search_index import SearchIndex
    from membound.workspace.themes import Themes
    from membound.writer import Writer

__all__ = ["ThemeIndex"]

_NOTE: Final = "theme:"
_DECODER: Final = msgspec.json.Decoder(tuple[int, ...])


class ThemeIndex(Follower):
    """What the search index holds of themes.

    Args:
        root: the folder of the workspace.
        themes: what is there.
        index: where the records of themes go.
        writer: the right to write.
        workspace: the id of the workspace.
    """

    def __init__(
        self, root: Root, themes: Themes, index: SearchIndex, writer: Writer, *, workspace: str
    ) -> None:
        super().__init__(index, writer, workspace=workspace)
        self._root = root
        self._themes = themes

    def _look(self, progress: Callable[[int, int], None] | None) -> None:  # noqa: ARG002 — few files
        known = self._index.notes(_NOTE)
        stamps = {name: self._root.stamp(theme_path(name)) for name in self._themes.names()}
        there = {name: stamp for name, stamp in stamps.items() if stamp is not None}
        changed = [
            name
            for name, stamp in there.items()
            if name not in known or decoded(_DECODER, known[name]) != stamp
        ]
        gone = [name for name in known if name not in there]
        if not changed and not gone:
            return
        with self._taking():
            made = [self._made(name) for name in changed]
            left = [*gone, *(name for name, one in zip(changed, made, strict=True) if one is None)]
            notes: dict[str, str | None] = {
                f"{_NOTE}{name}": msgspec.json.encode(there[name]).decode() for name in changed
            }
            self._index.apply(
                records=[one for one in made if one is not None],
                removed=[id for name in left for id in part_ids("theme", theme_path(name), [0])],
                notes=notes | {f"{_NOTE}{name}": None for name in gone},
            )

    def _made(self, name: str) -> bytes | None:
        """Gives the record of a theme; None of one that cannot be read."""
        try:
            theme = self._themes.read(name)
        except CanonicalFileError:
            return None
        if theme is None:
            return None
        moment = instant(theme.updated_at) if theme.updated_at else None
        return theme_record(
            theme,
            EPOCH if moment is None else timestamp(moment),
            file=theme_path(name),
            workspace=self._workspace,
        )
