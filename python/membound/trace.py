"""The trace: a bounded account of one retrieval, without content, query text or others' ids."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from membound.tokens import Tokenizer

__all__ = [
    "Channel",
    "Features",
    "Filtered",
    "IndexState",
    "Mode",
    "Ranking",
    "Trace",
    "Weighing",
    "Weights",
]

Mode = Literal["sqlite-fts5", "filesystem-fallback"]
Channel = Literal["fts5", "filesystem", "type-affinity"]
IndexState = Literal["disabled", "ready", "backfilling", "degraded"]


class Filtered(msgspec.Struct, frozen=True, kw_only=True):
    """How many records each stage dropped.

    Attributes:
        scope: not the request's to see.
        lifecycle: not active, not confident enough, or superseded.
        purpose: directives, where the purpose is injection.
        request: by the request's own filters.
        irrelevant: ranked, but not admitted.
    """

    scope: int
    lifecycle: int
    purpose: int
    request: int
    irrelevant: int


class Weights(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How much each feature counts in the final score."""

    lexical: float
    scope_affinity: float
    type_affinity: float
    freshness: float
    importance: float
    confidence: float


class Features(Weights, frozen=True, kw_only=True, rename="camel"):
    """A candidate's features, each in [0,1], and the final score they add up to."""

    final_score: float


class Weighing(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the words of a query were weighed by: counts of the eligible records, and the levels.

    Attributes:
        records: the eligible records.
        units: their distinct units together.
        holders: of each unit of the query, in its order, how many records match it.
        best: the best lexical of all eligible records, 0 where it does not reach the floor.
        floor: what the best lexical has to reach.
        relative_floor: what others need of the best.
        following_floor: what others need at least, of the floor.
    """

    records: int
    units: int
    holders: tuple[int, ...]
    best: float
    floor: float
    relative_floor: float
    following_floor: float

    def explain(self) -> str:
        """Tells in one line what the best had to reach, and what others need beside it."""
        mean = self.units / max(self.records, 1)
        level = max(self.relative_floor * self.best, self.following_floor * self.floor)
        best = f"best {self.best:.3f}" if self.best else "nothing reaches it"
        return _joined(
            f"weighed by {self.records:,} records of {mean:.1f} units",
            f"floor {self.floor:.3f}",
            *((best, f"others need {min(level, self.best):.3f}") if self.best else (best,)),
        )


class Ranking(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One admitted candidate."""

    memory_id: str
    channel: Channel
    features: Features
    selected: bool


_JSON_NAMES = {
    "excluded_ids": "excludedByPromptBudget",
    "character_budget": "promptCharacterBudget",
    "weights": "rankingWeights",
}


def _json_name(attribute: str) -> str:
    first, *others = attribute.split("_")
    return _JSON_NAMES.get(attribute, first + "".join(map(str.capitalize, others)))


class Trace(msgspec.Struct, frozen=True, kw_only=True, rename=_json_name):
    """The account of one retrieval. Every list holds at most 64 entries.

    Attributes:
        timestamp: ``now`` as UTC text with milliseconds.
        mode: ``sqlite-fts5`` where the index answered, from its file or from memory, or
            ``filesystem-fallback`` where every record was judged.
        query_token_count: distinct query tokens used.
        query_tokens_truncated: whether the query had more.
        candidate_count: records that were left to be ranked.
        filtered: records that each stage dropped.
        rankings: the admitted candidates, best first.
        selected_ids: what the context block holds, best first.
        duplicate_ids: skipped for content equal to a selected one's.
        excluded_ids: skipped for not fitting the character budget.
        truncated_ids: selected with their content cut.
        hidden_text_ids: selected with characters in their content or a source that a reader cannot
            see and that no writing needs there; the block shows them escaped.
        selected_characters: characters of the context block, fence included.
        record_limit: most records.
        character_budget: most characters.
        weights: the weights of the final score.
        relevance_mode: the named rule of relevance.
        tokenizer_version: the rules that made the tokens.
        weighing: what the words were weighed by, where the mode weighs them.
        index_state: the store's index at the time; ``disabled`` where there is none.
    """

    timestamp: str
    mode: Mode
    query_token_count: int
    query_tokens_truncated: bool
    candidate_count: int
    filtered: Filtered
    rankings: tuple[Ranking, ...]
    selected_ids: tuple[str, ...]
    duplicate_ids: tuple[str, ...]
    excluded_ids: tuple[str, ...]
    truncated_ids: tuple[str, ...]
    hidden_text_ids: tuple[str, ...]
    selected_characters: int
    record_limit: int
    character_budget: int
    weights: Weights
    relevance_mode: str
    tokenizer_version: Tokenizer
    weighing: Weighing | None = None
    index_state: IndexState = "disabled"

    def to_dict(self) -> dict[str, Any]:
        """Gives plain JSON values under camelCase names."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    def explain(self) -> str:
        """Tells in plain text what was dropped where, and how the admitted compare."""
        admitted = self.candidate_count - self.filtered.irrelevant
        dropped = _joined(*(f"{stage} {count:,}" for stage, count in _fields(self.filtered)))
        cut = " (cut)" if self.query_tokens_truncated else ""
        lines = [
            _joined(
                self.timestamp,
                f"{self.mode} (index {self.index_state})",
                self.relevance_mode,
                f"tokenizer {self.tokenizer_version}",
            ),
            _joined(
                f"query tokens {self.query_token_count}{cut}",
                f"candidates {self.candidate_count:,}",
                f"admitted {admitted:,}",
                f"selected {len(self.selected_ids)} of at most {self.record_limit}",
                f"{self.selected_characters:,} of {self.character_budget:,} characters",
            ),
            f"dropped: {dropped}",
        ]
        if self.weighing:
            lines.append(self.weighing.explain())
        if not self.query_token_count:
            lines.append("the query has no word to search by")
        if self.rankings:
            lines += ["", *_columns(self._table())]
        if admitted > len(self.rankings):
            lines.append(f"… and {admitted - len(self.rankings):,} more were admitted")
        if self.hidden_text_ids:
            lines += ["", f"hidden text, shown escaped: {', '.join(self.hidden_text_ids)}"]
        return "\n".join(lines)

    def _table(self) -> list[list[str]]:
        head = ["#", "id", "final", "lexical", "scope", "type", "fresh", "import", "confid"]
        weights = [f"x {weight:g}" for _, weight in _fields(self.weights)]
        table = [[*head, "channel", "outcome"], ["", "weight", "", *weights, "", ""]]
        for place, ranking in enumerate(self.rankings, 1):
            *features, final = (f"{value:.3f}" for _, value in _fields(ranking.features))
            outcome = self._outcome(ranking.memory_id)
            row = [str(place), ranking.memory_id, final, *features, ranking.channel, outcome]
            table.append(row)
        return table

    def _outcome(self, memory_id: str) -> str:
        if memory_id in self.selected_ids:
            cut = ", cut" if memory_id in self.truncated_ids else ""
            hidden = ", hidden text" if memory_id in self.hidden_text_ids else ""
            return f"selected{cut}{hidden}"
        if memory_id in self.duplicate_ids:
            return "duplicate"
        if memory_id in self.excluded_ids:
            return "does not fit"
        return "past the limits"


def _joined(*parts: str) -> str:
    return " · ".join(parts)


def _fields(struct: msgspec.Struct) -> list[tuple[str, Any]]:
    return [(name, getattr(struct, name)) for name in struct.__struct_fields__]


def _columns(table: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
