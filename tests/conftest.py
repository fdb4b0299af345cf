"""Shared pytest set-up: Hypothesis profiles, chosen by HYPOTHESIS_PROFILE, and the store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from membound import MemoryStore
from tests.stores import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SLOW_INPUT = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=SLOW_INPUT)
settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, suppress_health_check=SLOW_INPUT
)
settings.register_profile(
    "deep", max_examples=5000, deadline=None, suppress_health_check=SLOW_INPUT
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(params=[True, False], ids=["index", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore]:
    """An open store of v1, by way of its index and by way of its files."""
    with MemoryStore.open(
        tmp_path / "store",
        index=request.param,
        clock=lambda: NOW,
        durability="relaxed",
        tokenizer="v1",
    ) as opened:
        yield opened
