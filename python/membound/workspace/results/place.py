"""Where a workspace is."""

from __future__ import annotations

import msgspec

__all__ = ["Place"]


class Place(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Where a workspace is asked from, and where its memory lies."""

    cwd: str
    workspace_id: str
    store_path: str
