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


def say(store: MemoryStore, content: str, **fields: Any) -> str:  # noqa: ANN401 — as remember
    """Remember a statement of the user's; give its id."""
    return store.remember(content, **{"scope": "user", **fields}).id


def recalled(store: MemoryStore, query: str, **options: Any) -> list[str]:  # noqa: ANN401 — as retrieve
    """The contents that a recall selects, best first."""
    return [record.content for record in store.retrieve(query, **options).records]
