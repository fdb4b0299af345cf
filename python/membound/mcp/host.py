"""The workspace that a server serves, opened when the first call needs it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from membound.workspace.workspace import Workspace

__all__ = ["Host"]


class Host:
    """Opens a workspace once, whichever call comes first, and closes it in the end.

    Args:
        settings: what `Workspace.open` is called with.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None

    def workspace(self) -> Workspace:
        """Gives the open workspace.

        Raises:
            MemboundError: it cannot be opened; the next call tries again.
        """
        with self._lock:
            if self._workspace is None:
                from membound.workspace.workspace import Workspace  # noqa: PLC0415 — not to be waited for before the first call

                self._workspace = Workspace.open(**self._settings)
            return self._workspace

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            if self._workspace is not None:
                self._workspace.close()
                self._workspace = None
