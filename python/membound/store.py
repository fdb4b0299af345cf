"""The store: canonical files, their index, and the verbs that a host calls."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NoReturn, Self, Unpack, get_args

from membound.arguments import require, require_callback
from membound.context import DirectiveSelection, selected_directives
from membound.data_folder import store_path
from membound.errors import InvalidInputError
from membound.feedback import FeedbackLog
from membound.inspection import diagnose, verify
from membound.layout import LOCK
from membound.listing import Cursor, listed
from membound.numbers import seconds, whole
from membound.policy import AgentAccess, MemoryPolicy
from membound.request import RetrievalOptions, retrieval_request, scope_request
from membound.session import BUSY_SECONDS, Session
from membound.settings import Settings
from membound.text import PathText, word
from membound.threads import in_thread
from membound.tokens import TOKENIZERS, Tokenizer
from membound.upgrading import Upgrading
from membound.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from membound.draft import DraftFields
    from membound.fields import Authority, MemoryType, Scope
    from membound.projection import Progress
    from membound.records import MemoryRecord
    from membound.reports import Diagnostics, VerifyReport
    from membound.retrieval import RetrievalResult

__all__ = ["Durability", "MemoryStore"]

Durability = Literal["full", "relaxed"]


class MemoryStore(Upgrading):
    """A folder of records with an index; open one with `MemoryStore.open`.

    One store serves many threads. One process at a time writes; readers are never blocked. A child
    process opens the store anew.
    """

    def __init__(self, session: Session) -> None:
        require(session, Session, "session", "what MemoryStore.open makes")
        super().__init__(session)
        self.feedback = FeedbackLog(session.path, session.policy.feedback)

    @classmethod
    def open(
        cls,
        path: PathText,
        *,
        policy: MemoryPolicy | None = None,
        clock: Callable[[], datetime] | None = None,
        index: bool = True,
        durability: Durability = "full",
        postings_bytes: int = 512 * 2**20,
        tokenizer: Tokenizer | None = None,
    ) -> Self:
        """Opens the store in a data folder, making one where there is nothing.

        Args:
            path: the data folder: ``memory/<id>.json`` and ``memory-index.sqlite3`` lie in it.
            policy: what may be recalled; by default everything, 8 records.
            clock: gives the aware ``now`` where a verb is not given one.
            index: whether to keep an index; without one every recall reads all files.
            durability: ``full`` syncs every change to disk before a verb returns, ``relaxed``
                leaves that to the operating system.
            postings_bytes: most memory for postings, from which a process that goes on recalling
                answers in microseconds; where they need more, and with 0, it answers from the file.
            tokenizer: the version of the rules that make search tokens, for a new store, which has
                ``v2`` where nothing is said. A store keeps what it was made with, until `upgrade`;
                one that is older than settings has ``v1``.

        Raises:
            InvalidInputError: naming the argument that is not acceptable.
            CanonicalFileError: the folder cannot be made, or its settings not be read or written.
            StoreBusyError: another process is making the store, and does not end.
        """
        rules = MemoryPolicy() if policy is None else policy
        require(rules, MemoryPolicy, "policy", "a MemoryPolicy or None")
        require_callback(clock, "clock")
        require(index, bool, "index", "True or False")
        durable = word(durability, "durability", get_args(Durability)) == "full"
        wanted = None if tokenizer is None else word(tokenizer, "tokenizer", TOKENIZERS)
        most = whole(postings_bytes, "postings_bytes")
        folder = store_path(path, durable=durable)
        writer = Writer(folder / LOCK, BUSY_SECONDS)
        session = Session(
            folder,
            rules,
            _utc_now if clock is None else clock,
            index=index,
            durable=durable,
            postings_bytes=most,
            settings=Settings.of(folder, writer, wanted, durable=durable),
        )
        return cls(session)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<MemoryStore {str(self._session.path)!r} index={self._session.state}>"

    def __reduce__(self) -> NoReturn:
        expected = "the path of the store, to open it in the other process"
        raise InvalidInputError("store", expected, "an open store")

    def close(self) -> None:
        """Closes the store; a second call does nothing."""
        self._session.close()

    def get(self, id: str) -> MemoryRecord:
        """Reads one record, whatever its state.

        Raises:
            NotFoundError: there is none.
            CanonicalFileError: its file cannot be used.
        """
        self._session.check()
        return self._session.canonical.require(id)

    def list(
        self,
        *,
        scope: Scope | Iterable[Scope] | None = None,
        type: MemoryType | Iterable[MemoryType] | None = None,
        authority: Authority | Iterable[Authority] | None = None,
        workspace: PathText | None = None,
        tags: Iterable[str] | None = None,
        include_inactive: bool = False,
        limit: float | None = None,
        before: Cursor | None = None,
        now: datetime | None = None,
    ) -> tuple[MemoryRecord, ...]:
        """Lists records, the last changed first, then by id.

        Args:
            scope: only this scope or these.
            type: only this type or these.
            authority: only this authority or these.
            workspace: only records of this workspace.
            tags: only records that carry every one.
            include_inactive: also deleted, disabled, superseded, expired and not yet valid ones.
            limit: most records; 0 gives none, None all.
            before: ``(updated_at, id)`` of the last record of the page before: a stable cursor.
            now: the aware moment at which lifecycles are judged.

        Raises:
            InvalidInputError: naming the argument that is not acceptable.
        """
        self._session.check()
        require(include_inactive, bool, "include_inactive", "True or False")
        request = retrieval_request(
            "",
            now=self.now() if now is None else now,
            workspace=workspace,
            scope=scope,
            type=type,
            authority=authority,
            tags=tags,
            policy=self._session.policy,
        )
        return listed(
            self._session,
            request,
            include_inactive=include_inactive,
            limit=limit,
            before=before,
        )

    def export(self) -> Iterator[MemoryRecord]:
        """Yields every record, whatever its state, in the order of file names."""
        self._session.check()
        return self._session.records()

    def retrieve(
        self,
        query: str,
        *,
        now: datetime | None = None,
        policy: MemoryPolicy | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> RetrievalResult:
        """Recalls the relevant few; the options are those of `retrieve_records`.

        The relevance mode is by default that of the tokenizer: ``foundation-v2`` of ``v2``.
        ``now`` and ``policy`` are the store's own where they are left out. A recall for injection
        is what `diagnostics` then shows as the last one.

        Raises:
            InvalidInputError: naming the argument that is not acceptable.
            StoreClosedError: the store is closed, or another process's.
        """
        session = self._session
        session.check()
        request = retrieval_request(
            query,
            now=self.now() if now is None else now,
            policy=session.policy if policy is None else policy,
            tokenizer=session.settings.tokenizer,
            **options,
        )
        result = session.answer(request)
        if request.purpose == "injection":
            session.last_injected = result
        return result

    async def aretrieve(
        self,
        query: str,
        *,
        now: datetime | None = None,
        policy: MemoryPolicy | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> RetrievalResult:
        """Runs `retrieve` in a worker thread; the event loop goes on."""
        return await in_thread(self.retrieve, query, now=now, policy=policy, **options)

    async def aremember(
        self,
        content: str,
        *,
        id: str | None = None,
        now: datetime | None = None,
        **fields: Unpack[DraftFields],
    ) -> MemoryRecord:
        """Runs `remember` in a worker thread; the event loop goes on."""
        return await in_thread(self.remember, content, id=id, now=now, **fields)

    def list_directives(
        self,
        *,
        now: datetime | None = None,
        workspace: PathText | None = None,
        project: PathText | None = None,
        project_identity: PathText | None = None,
        agent: AgentAccess | None = None,
        policy: MemoryPolicy | None = None,
    ) -> DirectiveSelection:
        """Selects the standing rules that hold, as `select_directives` does among records."""
        session = self._session
        session.check()
        request = scope_request(
            now=self.now() if now is None else now,
            workspace=workspace,
            project=project,
            project_identity=project_identity,
            agent=agent,
            policy=session.policy if policy is None else policy,
        )
        return selected_directives(request, session.directives(request))

    def diagnostics(self) -> Diagnostics:
        """Tells the state of the store; cheap enough for a status page, not for every turn."""
        self._session.check()
        return diagnose(self._session, self.feedback)

    def verify(self) -> VerifyReport:
        """Compares every file with the index, byte for byte, and has differences mended.

        Raises:
            CanonicalFileError: the folder cannot be listed.
        """
        self._session.check()
        return verify(self._session)

    def rebuild_index(self, *, progress: Progress | None = None) -> None:
        """Makes the index anew from the canonical files.

        Raises:
            StoreBusyError: another writer would not yield.
            IndexUnavailableError: the index cannot be written, or the store has none.
        """
        self._session.check()
        require_callback(progress, "progress")
        self._session.require_projection().rebuild(progress)

    def backfill(self, max_records: float = 256) -> bool:
        """Brings up to ``max_records`` more files into the index; whether it is now complete."""
        self._session.check()
        return self._session.require_projection().step(whole(max_records, "max_records"))

    def wait_until_ready(self, timeout: float = 60.0) -> bool:
        """Waits for the index to be filled; whether it answers.

        Recall works meanwhile, from the files.
        """
        self._session.check()
        return self._session.require_projection().wait(seconds(timeout, "timeout"))

    def warm_up(self, timeout: float = 60.0) -> bool:
        """Reads the postings into memory here and now; whether recall answers from there.

        A store that goes on recalling does it by itself, behind the first recalls.
        """
        self._session.check()
        return self._session.require_projection().warm_up(seconds(timeout, "timeout"))


def _utc_now() -> datetime:
    return datetime.now(UTC)
