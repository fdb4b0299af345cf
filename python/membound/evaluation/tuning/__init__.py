"""Tuning: weights and floors for `foundation-v2`, chosen on one half of some questions.

report = tune(load_sets(["sets"]))
if report.worthwhile:
    Path("policy.json").write_bytes(report.policy.to_json())
"""

from __future__ import annotations

from membound.evaluation.tuning.report import TuningReport
from membound.evaluation.tuning.run import tune

__all__ = ["TuningReport", "tune"]
