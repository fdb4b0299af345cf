"""The public names: exactly these, each one loadable, none of them loaded before it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import membound

NAMES = [
    "AgentAccess",
    "AgentContext",
    "Diagnostics",
    "DirectivePolicy",
    "DirectiveSelection",
    "EvaluationCase",
    "EvaluationScore",
    "FeedbackPolicy",
    "Finding",
    "ImportReport",
    "MatchedWords",
    "MemboundError",
    "MemoryDraft",
    "MemoryPolicy",
    "MemoryRecord",
    "MemoryStore",
    "Provenance",
    "RankingFloors",
    "RankingPolicy",
    "RankingWeights",
    "RetrievalResult",
    "SearchTokens",
    "Source",
    "Trace",
    "TurnContext",
    "VerifyReport",
    "directive_block",
    "examine",
    "matched_words",
    "project_identity",
    "record_retrieved",
    "reference_block",
    "resolve_turn_context",
    "retrieve_records",
    "score_evaluation",
    "search_tokens",
    "select_directives",
]


def test_the_public_names_are_these() -> None:
    assert sorted(membound.__all__) == NAMES
    assert set(NAMES) <= set(dir(membound))


def test_the_names_that_type_checkers_see_are_the_same() -> None:
    tree = ast.parse(Path(str(membound.__file__)).read_text(encoding="utf-8"))
    told = [
        (f"{node.module}.{alias.name}", alias.asname)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("membound")
        for alias in node.names
    ]
    assert sorted(str(name) for _, name in told) == NAMES
    for origin, name in told:
        value = getattr(membound, str(name))
        assert origin.endswith(f".{name}")
        assert value.__module__.startswith("membound")


def test_an_unknown_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="remember_everything"):
        membound.remember_everything  # noqa: B018 — looking is the test


def test_a_star_import_gives_them_all() -> None:
    script = "from membound import *; print(sorted(n for n in dir() if n[0] != '_'))"
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True
    )
    assert ast.literal_eval(shown.stdout) == NAMES
