"""Long-term memory for agents: bounded, scoped, deterministic and explainable recall."""

import logging

from membound.context import DirectiveSelection as DirectiveSelection
from membound.context import directive_block as directive_block
from membound.context import reference_block as reference_block
from membound.context import select_directives as select_directives
from membound.draft import MemoryDraft as MemoryDraft
from membound.errors import MemboundError as MemboundError
from membound.feedback import record_retrieved as record_retrieved
from membound.policy import AgentAccess as AgentAccess
from membound.policy import DirectivePolicy as DirectivePolicy
from membound.policy import FeedbackPolicy as FeedbackPolicy
from membound.policy import MemoryPolicy as MemoryPolicy
from membound.project import project_identity as project_identity
from membound.records import AgentContext as AgentContext
from membound.records import MemoryRecord as MemoryRecord
from membound.records import Provenance as Provenance
from membound.records import Source as Source
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

logging.getLogger("membound").addHandler(logging.NullHandler())
