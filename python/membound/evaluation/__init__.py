"""Evaluation: cases, scores, a baseline, and both retrieval paths run over them.

records = load_records("fixtures/evaluation/records.jsonl")
cases = load_cases("fixtures/evaluation/cases.jsonl")
report = evaluate(records, cases, now=datetime(2026, 7, 1, 12, tzinfo=UTC))
print(report.as_table())
"""

from __future__ import annotations

from membound.evaluation.baselines import unconditional_injection
from membound.evaluation.cases import EvaluationCase, load_cases, load_records
from membound.evaluation.report import EvaluationReport, Latency, Miss, PathReport
from membound.evaluation.run import evaluate
from membound.evaluation.scorer import EvaluationScore, score_evaluation

__all__ = [
    "EvaluationCase",
    "EvaluationReport",
    "EvaluationScore",
    "Latency",
    "Miss",
    "PathReport",
    "evaluate",
    "load_cases",
    "load_records",
    "score_evaluation",
    "unconditional_injection",
]
