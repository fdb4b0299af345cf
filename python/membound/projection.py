"""The index as the store sees it: answering, being filled, or out of use until it is healed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from membound.backfill import STEP, Backfill
from membound.errors import (
    CanonicalFileError,
    IndexDamagedError,
    IndexUnavailableError,
    MemboundError,
    PartialChangeError,
    StoreBusyError,
)
from membound.filling import Filling
from membound.going_over import GoingOver
from membound.intents import announce, follow, settle
from membound.log import logger
from membound.notes import UNSCRUBBED, quarantined, scrubbed, up_to_date
from membound.warming import PostingsStatus, Warming, filled
from membound.watch import Watch

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from membound import _core
    from membound.canonical import CanonicalStore, Quarantined
    from membound.index_file import IndexFile
    from membound.tokens import Tokenizer
    from membound.writer import Writer

__all__ = ["Progress", "Projection"]

Progress = Callable[[int, int], None]

_FAULTS = (IndexUnavailableError, StoreBusyError)
"""What may go wrong with an index that was opened; the answer then comes from the files."""

_T = TypeVar("_T")
_RETRY_SECONDS = 5.0
_PAUSE_SECONDS = 0.002


class Projection(Filling):
    """The index of one canonical store; it never answers while a file may be missing from it.

    Args:
        file: where the index lies.
        canonical: the truth that it projects.
        writer: the right to write.
    """

    def __init__(self, file: IndexFile, canonical: CanonicalStore, writer: Writer) -> None:
        super().__init__(canonical, writer)
        self._file = file
        self._watch = Watch(canonical)
        self._warming = Warming()
        self._going_over = GoingOver()

    def recall(self, request: bytes, tokenizer: Tokenizer) -> _core.Recalled | None:
        """Recalls through the index; None where it cannot answer, or has other tokens."""
        turn = self._going_over.turn()
        found = self._recalled_at_once(request)
        if found is None:
            found = self.ask(lambda index: self._retrieved(index, request, tokenizer, turn))
        elif self._going_over.ahead:
            self._going_over.settled(turn)
        index = self._index
        if found is not None and index is not None and not found.is_from_memory():
            self._warming.missed(index)
        return found

    def _retrieved(
        self, index: _core.Index, request: bytes, tokenizer: Tokenizer, turn: int
    ) -> _core.Recalled | None:
        """Recalls, unless that might take back what the files have told."""
        if index.tokenizer() != tokenizer:
            return None
        _, _, changing = index.state()
        if not changing:
            self._going_over.settled(turn)
        elif self._going_over.ahead:
            return None
        return index.retrieve(request)

    def reading_files(self) -> AbstractContextManager[None]:
        """A block in which a recall that the index cannot answer reads the files."""
        return self._going_over.reading()

    def _recalled_at_once(self, request: bytes) -> _core.Recalled | None:
        """Recalls in one call of the core, where nothing else has to be looked at."""
        index = self._index
        if index is None or self._backfill is not None or self._lagging or self._watch.is_due():
            return None
        try:
            return index.recall(request, self._canonical.folder)
        except _FAULTS as error:
            self._degrade(error, index)
            return None

    def warm_up(self, timeout: float) -> bool:
        """Reads the postings into memory, here and now; whether they answer from there."""
        deadline = time.monotonic() + timeout
        done = self.wait(timeout) and self.ask(lambda index: filled(index, deadline))
        return bool(done)

    @property
    def memory(self) -> PostingsStatus:
        """The postings in memory."""
        return PostingsStatus.of(self._index)

    def close(self) -> None:
        """Lets the index go."""
        self._warming.close()
        super().close()

    def ask(self, question: Callable[[_core.Index], _T], *, complete: bool = True) -> _T | None:
        """Asks the index; None where it cannot answer. One that fails is taken out of use.

        Args:
            question: what to ask.
            complete: ask only an index from which nothing is known to be missing.
        """
        index = self.open_index()
        try:
            if index is None or (complete and not self._answers(index)):
                return None
            return question(index)
        except _FAULTS as error:
            self._degrade(error, index)
            return None

    def _answers(self, index: _core.Index) -> bool:
        if self._backfill is not None:
            return False
        complete, *_ = before = index.state()
        if not complete:
            # Another process has begun to fill it anew.
            self._start(index)
            return False
        change = self._watch.outside_change(index, before)
        if change == "unfinished":
            # A writer is at work, and until its verb returns the former state is right; or it died.
            quiet = suppress(CanonicalFileError, StoreBusyError)
            with quiet, self._writer.held(timeout=0, again=False):
                self._recover(index)
        if self._lagging or change == "made":
            self.begin_again(timeout=0)
            return False
        return True

    def quarantined(self) -> tuple[Quarantined, ...]:
        """The files that were left out when the index was last filled."""
        return self.ask(quarantined, complete=False) or ()

    def open_index(self) -> _core.Index | None:
        """The index, complete or not; opened anew where its file was replaced or works again.

        None while another thread is making one: nobody waits for that.
        """
        index = self._index
        if index is not None and index.is_current():
            return index
        if index is None and time.monotonic() - self._tried < _RETRY_SECONDS:
            return None
        if not self._changing.acquire(timeout=0):
            return None
        try:
            self.open()
            return self._index
        finally:
            self._changing.release()

    def open(self) -> None:
        """Opens the index and settles open intents; filling it, where needed, is left to a thread.

        Does not raise for an index that cannot be used: the state and the reason say so.
        """
        with self._changing:
            self._tried = time.monotonic()
            self._swap(None)
            self._lagging = False
            try:
                index, backfill = self._opened()
            except MemboundError as error:
                self._degrade(error, None)
                return
            self._swap(index)
            if backfill is None:
                self.reason = None
            else:
                self._backfill = backfill
                self._background.start()

    def _opened(self) -> tuple[_core.Index, Backfill | None]:
        """Opens the file, or a new one in its place where it is damaged."""
        if self._damaged is None:
            try:
                index = self._file.open()
                return index, self._first_step(index)
            except IndexDamagedError as error:
                logger().warning("the index is made anew from the canonical files: %s", error)
                self.reason = str(error)
        with self._writer.held(timeout=0):
            make = self._damaged is None or self._damaged.is_current()
            index = self._file.replace() if make else self._file.open()
            self._damaged = None
            return index, self._first_step(index)

    def _first_step(self, index: _core.Index) -> Backfill | None:
        """Tells a complete index, and fills that of a small store; gives what is left to do."""
        try:
            with self._writer.held(timeout=0):
                died = bool(index.intents())
                # What else may have changed, the backfill finds.
                settle(index, self._canonical)
                if index.note(UNSCRUBBED) == "yes":
                    scrubbed(index)
                backfill = Backfill(index, self._canonical, self._writer, recent=died)
                return None if backfill.step(STEP) else backfill
        except StoreBusyError:
            # A writer is at work; it keeps an index that is up to date in line by itself.
            if up_to_date(index, self._canonical):
                return None
            return Backfill(index, self._canonical, self._writer)

    @contextmanager
    def change(self, texts: Mapping[str, bytes], removed: Sequence[str]) -> Iterator[None]:
        """Notes what is about to change; brings the index in line after the block has changed it.

        The caller holds the right to write. An index that fails is taken out of use: the files are
        the truth, and it is healed from them.

        Args:
            texts: the canonical JSON that the block writes, by id.
            removed: ids whose files the block removes.
        """
        index, known = self._announce([*texts, *removed])
        try:
            yield
        except PartialChangeError:
            # The intents stay, so that whoever comes next compares these files first.
            self._lagging = True
            raise
        except BaseException:  # the caller's progress may raise anything
            self._after(index, lambda index: settle(index, self._canonical, known=known))
            raise
        self._after(
            index, lambda index: follow(index, self._canonical, texts, removed, known=known)
        )

    def _after(
        self, index: _core.Index | None, bring_in_line: Callable[[_core.Index], bool]
    ) -> None:
        """Has the index follow what became of the files; that it cannot fails no verb."""
        try:
            if index is None or index is not self._index or not bring_in_line(index):
                self._lagging = True
        except CanonicalFileError:
            self._lagging = True
        except _FAULTS as error:
            self._degrade(error, index)

    def _announce(self, ids: list[str]) -> tuple[_core.Index | None, bool]:
        index = self.open_index()
        if index is None:
            return None, False
        try:
            return index, announce(index, self._canonical, ids, self._recover)
        except _FAULTS as error:
            self._degrade(error, index)
            return None, False

    def _recover(self, index: _core.Index) -> None:
        """Brings in line what a writer has left that died; the caller holds the right to write."""
        if not index.intents():
            return
        if self._backfill is not None:
            # It may be past what changed beside the writer's own files.
            settled = settle(index, self._canonical)
        else:
            settled = self._first_step(index) is None
        if not settled:
            self._lagging = True

    def rebuild(self, progress: Progress | None = None) -> None:
        """Makes the index anew from the canonical files.

        Raises:
            StoreBusyError: another writer would not yield; nothing was changed.
            IndexUnavailableError: the index cannot be written.
        """
        with self._changing, self._writer.held():
            if (index := self._index) is not None:
                # What a dead writer left unfinished is noted there only.
                with suppress(*_FAULTS, CanonicalFileError):
                    settle(index, self._canonical)
            self._swap(None)
            self.reason = "it is being made anew"
            try:
                index = self._rebuilt(progress)
            except MemboundError as error:
                self._degrade(error, None)
                raise
            self._swap(index)
            self.reason = self._damaged = None
            self._lagging = False

    def scrub(self) -> None:
        """Erases from the index's file what removed records left in it.

        Where that cannot be, as a reader holds a former state, a new file takes its place. The
        caller holds the right to write.

        Raises:
            IndexUnavailableError: that cannot be either.
        """
        index = self._index
        try:
            if index is not None and index.is_current() and scrubbed(index):
                return
        except _FAULTS as error:
            self._degrade(error, index)
        if self._file.exists():
            self._file.renew()

    def _rebuilt(self, progress: Progress | None) -> _core.Index:
        index = self._file.renew()
        Backfill(index, self._canonical, self._writer).run(progress)
        return index

    def wait(self, timeout: float) -> bool:
        """Waits until the index is filled, healing a damaged one; whether it answers then."""
        deadline = time.monotonic() + timeout
        while not self.ask(lambda _index: True):
            under_way = self._backfill is not None or self._damaged is not None
            if not under_way or time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE_SECONDS)
        return True
