"""What tests of the store share: its clock, and the ids that a recall selects."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from membound import MemoryStore

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


def found(store: MemoryStore, query: str, **options: Any) -> tuple[str, ...]:  # noqa: ANN401 — as retrieve
    """The ids that a recall selects, best first."""
    return store.retrieve(query, **options).trace.selected_ids
