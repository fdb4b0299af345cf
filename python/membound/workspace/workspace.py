"""The workspace: an open garden of Markdown, with its index, essence, themes and sessions."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self, final

from membound.text import PathText, system_path
from membound.workspace import config
from membound.workspace.location import located
from membound.workspace.verbs.digest import DigestVerbs
from membound.workspace.verbs.lists import ListVerbs
from membound.workspace.verbs.notes import NoteVerbs
from membound.workspace.verbs.themes import ThemeVerbs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

__all__ = ["Workspace"]


@final
class Workspace(NoteVerbs, ListVerbs, DigestVerbs, ThemeVerbs):
    """The memory of one workspace: Markdown files that people and agents edit freely.

    Truth is the files. The search index beside them is a projection: every look brings it in line
    with what lies on disk, whoever wrote it. Any number of processes may have one workspace open,
    and any number of threads one `Workspace`.
    """

    @classmethod
    def open(
        cls,
        cwd: PathText | None = None,
        *,
        root: PathText | None = None,
        sessions_root: PathText | None = None,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Opens the memory of a folder, which is made where there is none.

        Args:
            cwd: the folder; the current one if left out.
            root: where all workspaces' memories lie; left out, ``MEMBOUND_WORKSPACE_ROOT`` says so,
                else the folder that the system has for a user's data.
            sessions_root: where the host keeps its sessions; left out, the environment says so.
            environment: the variables to read; those of the process if left out.
            clock: tells the time, aware; the system's if left out.

        Raises:
            InvalidInputError: a path is none of this system.
            CanonicalFileError: the folder cannot be made.
        """
        here = os.path.abspath("." if cwd is None else system_path(cwd, "cwd"))  # noqa: PTH100 — as it is written, links and all
        places = config.places(
            os.environ if environment is None else environment,
            Path.home(),
            root=root,
            sessions_root=sessions_root,
        )
        return cls(located(here, places), clock=clock or _system_time)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _system_time() -> datetime:
    return datetime.now(UTC)
