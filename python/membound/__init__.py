"""Long-term memory for agents: bounded, scoped, deterministic and explainable recall.

Each name is loaded with its module when it is first used, so that a process which needs one part
does not wait for the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from membound.context import DirectiveSelection as DirectiveSelection
    from membound.context import directive_block as directive_block
    from membound.context import reference_block as reference_block
    from membound.context import select_directives as select_directives
    from membound.doctor import Finding as Finding
    from membound.doctor import examine as examine
    from membound.draft import MemoryDraft as MemoryDraft
    from membound.errors import MemboundError as MemboundError
    from membound.evaluation import EvaluationCase as EvaluationCase
    from membound.evaluation import EvaluationScore as EvaluationScore
    from membound.evaluation import score_evaluation as score_evaluation
    from membound.feedback import record_retrieved as record_retrieved
    from membound.parts import AgentContext as AgentContext
    from membound.parts import Provenance as Provenance
    from membound.parts import Source as Source
    from membound.policy import AgentAccess as AgentAccess
    from membound.policy import DirectivePolicy as DirectivePolicy
    from membound.policy import FeedbackPolicy as FeedbackPolicy
    from membound.policy import MemoryPolicy as MemoryPolicy
    from membound.project import project_identity as project_identity
    from membound.ranking import RankingFloors as RankingFloors
    from membound.ranking import RankingPolicy as RankingPolicy
    from membound.ranking import RankingWeights as RankingWeights
    from membound.records import MemoryRecord as MemoryRecord
    from membound.reports import Diagnostics as Diagnostics
    from membound.reports import ImportReport as ImportReport
    from membound.reports import VerifyReport as VerifyReport
    from membound.retrieval import RetrievalResult as RetrievalResult
    from membound.retrieval import retrieve_records as retrieve_records
    from membound.store import MemoryStore as MemoryStore
    from membound.tokens import SearchTokens as SearchTokens
    from membound.tokens import search_tokens as search_tokens
    from membound.trace import Trace as Trace
    from membound.turn import TurnContext as TurnContext
    from membound.turn import resolve_turn_context as resolve_turn_context
    from membound.words import MatchedWords as MatchedWords
    from membound.words import matched_words as matched_words

_MODULES = {
    "context": ("DirectiveSelection", "directive_block", "reference_block", "select_directives"),
    "doctor": ("Finding", "examine"),
    "draft": ("MemoryDraft",),
    "errors": ("MemboundError",),
    "evaluation": ("EvaluationCase", "EvaluationScore", "score_evaluation"),
    "feedback": ("record_retrieved",),
    "parts": ("AgentContext", "Provenance", "Source"),
    "policy": ("AgentAccess", "DirectivePolicy", "FeedbackPolicy", "MemoryPolicy"),
    "project": ("project_identity",),
    "ranking": ("RankingFloors", "RankingPolicy", "RankingWeights"),
    "records": ("MemoryRecord",),
    "reports": ("Diagnostics", "ImportReport", "VerifyReport"),
    "retrieval": ("RetrievalResult", "retrieve_records"),
    "store": ("MemoryStore",),
    "tokens": ("SearchTokens", "search_tokens"),
    "trace": ("Trace",),
    "turn": ("TurnContext", "resolve_turn_context"),
    "words": ("MatchedWords", "matched_words"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOMES)  # noqa: PLE0605 — a list, made from the table above


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"membound.{name}")
    if name not in _HOMES:
        message = f"module 'membound' has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(f"membound.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
