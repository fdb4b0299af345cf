"""The `membound` command group: its verbs, and what becomes of an error."""

from __future__ import annotations

import errno
import sys
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membound.errors import MemboundError, MissingExtraError, StoreError

try:
    import click
    import rich  # noqa: F401 — tables and progress need it: say so before the work begins
except ImportError as error:
    raise MissingExtraError("cli", error.name or "click") from error

from membound.cli.outcome import Failure, Interrupted, Unavailable
from membound.cli.text import examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["commands", "run"]

# A verb's module is imported when the verb is used, so that a recall pays for no table.
_VERBS = {
    "init": "maintenance",
    "remember": "remember",
    "recall": "recall",
    "list": "browse",
    "show": "browse",
    "history": "history",
    "edit": "change",
    "rollback": "history",
    "disable": "change",
    "forget": "change",
    "import": "transfer",
    "export": "transfer",
    "rebuild": "maintenance",
    "doctor": "maintenance",
    "upgrade": "upgrade",
    "evaluate": "evaluate",
    "tune": "tune",
    "bench": "measure",
    "workspace": "workspace",
    "mcp": "mcp",
}


class Commands(click.Group):
    """The verbs, loaded one by one, with every error of ours turned into a line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 — click's signature
        """Return the verbs in the order in which a reader meets them."""
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 — click's signature
        """Import the verb's module and return its command."""
        if cmd_name not in _VERBS:
            return None
        module = import_module(f"membound.cli.{_VERBS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401 — click's signature
        """Read the words; a help text is written meanwhile."""
        with _told():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 — click's signature
        """Run the verb."""
        with _told():
            return super().invoke(ctx)


@contextmanager
def _told() -> Iterator[None]:
    """Turn every error of ours, and of the system's, into the line and the code it ends with."""
    try:
        yield
    except StoreError as error:
        raise Unavailable(str(error)) from error
    except MemboundError as error:
        raise Failure(str(error)) from error
    except (KeyboardInterrupt, click.Abort) as error:
        raise Interrupted("interrupted") from error
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise Failure(str(error)) from error
        # The reader of the pipe has seen enough.
        raise click.exceptions.Exit(0) from error


_EXAMPLES = examples(
    "membound init",
    'membound remember "Use pnpm, not npm, in this repo." --tag package-manager',
    'membound recall "which package manager do we use?"',
)
_EXIT_CODES = examples(
    "0    done",
    "1    an honest no: problems found, lines or files left out, nothing found with --exit-code",
    "2    usage or bad input",
    "3    the store is busy or cannot be used",
    "130  interrupted",
    heading="Exit codes",
)


@click.group(
    cls=Commands,
    epilog=f"{_EXAMPLES}\n\n{_EXIT_CODES}",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="membound", message="%(prog)s %(version)s")
@click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="MEMBOUND_STORE",
    default=Path(".membound"),
    show_default=True,
    show_envvar=True,
    help="The folder that holds the store.",
)
@click.pass_context
def commands(ctx: click.Context, store: Path) -> None:
    """Long-term memory for agents: bounded, scoped, deterministic, explainable recall."""
    ctx.obj = store


def run(arguments: Iterable[str] | None = None) -> None:
    """Run the command line for a terminal and end the process."""
    for stream in (sys.stdout, sys.stderr):
        # An ASCII terminal shows an escape where it lacks a character.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        commands.main(None if arguments is None else list(arguments), prog_name="membound")
    except OSError as error:  # click could not print what was wrong with the words
        failure = Failure(str(error))
        failure.show()
        raise SystemExit(failure.exit_code) from error
