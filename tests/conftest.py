"""Shared pytest set-up: Hypothesis profiles, chosen by HYPOTHESIS_PROFILE."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SLOW_INPUT = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=SLOW_INPUT)
settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, suppress_health_check=SLOW_INPUT
)
settings.register_profile(
    "deep", max_examples=5000, deadline=None, suppress_health_check=SLOW_INPUT
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
