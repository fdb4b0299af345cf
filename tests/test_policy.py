"""Policies: bounds are checked when a policy is made, and the field is named."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from membound.errors import InvalidInputError
from membound.policy import AgentAccess, DirectivePolicy, FeedbackPolicy, MemoryPolicy

KIB = 1024
MIB = 1024 * KIB


def test_the_defaults_recall_and_record_no_feedback() -> None:
    policy = MemoryPolicy()
    assert policy.enabled
    assert policy.scopes == ("user", "workspace", "project")
    assert policy.max_injected_records == 8
    assert policy.directives == DirectivePolicy(max_records=20, max_characters=4_000)
    assert policy.feedback == FeedbackPolicy(
        enabled=False, max_segment_bytes=4 * MIB, max_total_bytes=32 * MIB
    )


def test_scopes_are_kept_once_in_a_fixed_order() -> None:
    scopes: Any = ["project", "user", "user"]
    assert MemoryPolicy(scopes=scopes).scopes == ("user", "project")
    assert MemoryPolicy(scopes=()).scopes == ()


@pytest.mark.parametrize(
    "value",
    [
        MemoryPolicy(scopes=("user",), max_injected_records=1),
        DirectivePolicy(max_records=50, max_characters=16_000),
        FeedbackPolicy(max_segment_bytes=64 * KIB, max_total_bytes=64 * KIB),
        FeedbackPolicy(max_segment_bytes=64 * MIB, max_total_bytes=512 * MIB),
        AgentAccess(agent_id="a" * 128, task_id="t", manage=True),
    ],
    ids=["policy", "directives", "small-feedback", "large-feedback", "agent"],
)
def test_values_at_the_bounds_are_accepted_and_survive_pickling(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 — our own bytes


@pytest.mark.parametrize(
    ("kind", "given", "field"),
    [
        (MemoryPolicy, {"enabled": 1}, "enabled"),
        (MemoryPolicy, {"scopes": "user"}, "scopes"),
        (MemoryPolicy, {"scopes": ("team",)}, "scopes"),
        (MemoryPolicy, {"scopes": None}, "scopes"),
        (MemoryPolicy, {"scopes": [["user"]]}, "scopes"),
        (MemoryPolicy, {"max_injected_records": 0}, "max_injected_records"),
        (MemoryPolicy, {"max_injected_records": True}, "max_injected_records"),
        (MemoryPolicy, {"max_injected_records": 8.0}, "max_injected_records"),
        (MemoryPolicy, {"directives": {}}, "directives"),
        (MemoryPolicy, {"feedback": None}, "feedback"),
        (DirectivePolicy, {"enabled": "yes"}, "directives.enabled"),
        (DirectivePolicy, {"max_records": 51}, "directives.max_records"),
        (DirectivePolicy, {"max_characters": 0}, "directives.max_characters"),
        (FeedbackPolicy, {"enabled": None}, "feedback.enabled"),
        (FeedbackPolicy, {"max_segment_bytes": 64 * KIB - 1}, "feedback.max_segment_bytes"),
        (FeedbackPolicy, {"max_total_bytes": 512 * MIB + 1}, "feedback.max_total_bytes"),
        (FeedbackPolicy, {"max_total_bytes": 64 * KIB}, "feedback.max_total_bytes"),
        (AgentAccess, {"agent_id": ""}, "agent_id"),
        (AgentAccess, {"agent_id": 1}, "agent_id"),
        (AgentAccess, {"agent_id": "a", "task_id": "t" * 129}, "task_id"),
        (AgentAccess, {"agent_id": "a", "manage": 1}, "manage"),
    ],
)
def test_a_refusal_names_the_field(kind: Any, given: dict[str, Any], field: str) -> None:  # noqa: ANN401 — any class
    with pytest.raises(InvalidInputError) as refused:
        kind(**given)
    assert refused.value.field == field
