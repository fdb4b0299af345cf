"""The verbs of a store's settings: what another tokenizer would change, and going over to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membound.arguments import items, require, require_callback
from membound.comparison import Question, RecallComparison, compare_recall, own_questions
from membound.history import History
from membound.settings import Settings
from membound.text import word
from membound.tokens import NEWEST, TOKENIZERS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from membound.projection import Progress
    from membound.tokens import Tokenizer

__all__ = ["Upgrading"]


class Upgrading(History):
    """What `MemoryStore` can change of what it goes by."""

    def compare_recall(
        self,
        tokenizer: Tokenizer = NEWEST,
        questions: Iterable[Question] | None = None,
        *,
        now: datetime | None = None,
    ) -> RecallComparison:
        """Tells what recall would select with another tokenizer, and changes nothing.

        Args:
            tokenizer: the other one.
            questions: what to ask; left out, questions are made of the store's own records, always
                the same of the same records.
            now: the aware moment at which both are asked.

        Raises:
            InvalidInputError: naming the argument that is not acceptable.
            CanonicalFileError: the folder of records cannot be listed.
        """
        session = self._session
        session.check()
        after = word(tokenizer, "tokenizer", TOKENIZERS)
        if questions is None:
            asked = own_questions(session.records())
        else:
            asked = tuple(items(questions, "questions", "Questions"))
            for at, one in enumerate(asked):
                require(one, Question, f"questions.{at}", "a Question")
        return compare_recall(session, after, asked, self.now() if now is None else now)

    def upgrade(self, tokenizer: Tokenizer = NEWEST, *, progress: Progress | None = None) -> bool:
        """Goes over to another tokenizer, for good: recall is then by the mode that belongs to it.

        The settings are written first, whole, then the index is made anew. A stop in between
        leaves the new settings, and whoever opens the store next makes the index. Whoever has it
        open goes on with the new settings at its next verb. No record is changed, so the way back
        is the same.

        Args:
            tokenizer: the other one.
            progress: called with how many records are indexed, and how many there are.

        Returns:
            Whether the store had another one.

        Raises:
            StoreBusyError: another writer would not yield; nothing was changed.
            CanonicalFileError: the settings cannot be written; nothing was changed.
            IndexUnavailableError: all is done but the index; recall reads the files.
        """
        session = self._session
        session.check()
        require_callback(progress, "progress")
        wanted = Settings(tokenizer=word(tokenizer, "tokenizer", TOKENIZERS))
        return session.move(wanted, progress)
