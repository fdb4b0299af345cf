"""The tools of ranked recall: what memory has for a question, and why that and not the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from membound.workspace.tools.arguments import BUDGET, Arguments, Budget, Folder, Most
from membound.workspace.tools.fitting import Fields, Run, fit
from membound.workspace.tools.tool import Tool

if TYPE_CHECKING:
    from membound.records import MemoryRecord
    from membound.retrieval import RetrievalResult
    from membound.workspace.workspace import Workspace

__all__ = ["TOOLS"]

Question = Annotated[str, Meta(min_length=1, description="The question or task, in any language.")]
Characters = Annotated[
    int, Meta(ge=500, le=100_000, description="Most characters of memory in the reply.")
]


class RetrieveArguments(Arguments, frozen=True, kw_only=True):
    """What `retrieve` and `explain` take."""

    query: Question
    limit: Most = 8
    character_budget: Characters = 6_000
    folder: Folder | None = None
    max_output_chars: Budget = BUDGET


def _found(workspace: Workspace, asked: RetrieveArguments) -> RetrievalResult:
    return workspace.retrieve(
        asked.query,
        limit=asked.limit,
        character_budget=asked.character_budget,
        folder=asked.folder,
    )


def _retrieve(workspace: Workspace, asked: RetrieveArguments) -> Fields:
    found = _found(workspace, asked)
    fields: Fields = {
        "query": asked.query,
        "items": [_item(record) for record in found.records],
        "hiddenTextIds": list(found.trace.hidden_text_ids),
    }
    return fit(fields, asked.max_output_chars, [Run("items", least=1)])[0]


def _explain(workspace: Workspace, asked: RetrieveArguments) -> Fields:
    trace = _found(workspace, asked).trace
    fields: Fields = {
        "query": asked.query,
        "explanation": trace.explain(),
        "trace": trace.to_dict(),
    }
    return fit(fields, asked.max_output_chars, [Run("trace.rankings", least=1)])[0]


def _item(record: MemoryRecord) -> Fields:
    return {
        "id": record.id,
        "path": next((source.locator for source in record.sources), None),
        "tags": list(record.tags),
        "content": record.content,
    }


TOOLS: Final = (
    Tool(
        name="retrieve",
        title="Retrieve",
        description=(
            "Give the memories that a question needs, with their text, within a budget of "
            "characters; nothing where none is relevant. Use it to answer from memory."
        ),
        arguments=RetrieveArguments,
        run=_retrieve,
        missed={"items": []},
        long=True,
    ),
    Tool(
        name="explain",
        title="Explain",
        description="Tell why retrieve chooses what it does: scores, budgets, what was left out.",
        arguments=RetrieveArguments,
        run=_explain,
    ),
)
