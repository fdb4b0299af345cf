"""What several verbs share: option declarations, opening the store, reading a moment."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import click

from membound.cli.outcome import Failure
from membound.data_folder import holds_store
from membound.errors import InvalidInputError
from membound.excerpt import excerpt
from membound.fields import Authority, MemoryType, Scope
from membound.policy import MemoryPolicy
from membound.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from membound.tokens import Tokenizer

__all__ = [
    "AUTHORITIES",
    "SCOPES",
    "TYPES",
    "UNIT",
    "compose",
    "expected_revision",
    "expires",
    "filters",
    "given",
    "json_output",
    "moment",
    "noted",
    "now",
    "open_store",
    "policy",
    "require_store",
]

Decorator: TypeAlias = "Callable[[Callable[..., Any]], Callable[..., Any]]"

SCOPES = click.Choice(get_args(Scope))
TYPES = click.Choice(get_args(MemoryType))
AUTHORITIES = click.Choice(get_args(Authority))
UNIT = click.FloatRange(0, 1)


def moment(
    ctx: click.Context,  # noqa: ARG001 — click's signature
    param: click.Parameter,  # noqa: ARG001 — click's signature
    value: str | None,
) -> datetime | None:
    """Read an ISO 8601 time that names its zone; click calls this on the option's value."""
    if value is None:
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        message = f"{excerpt(value)} is no ISO 8601 time; write 2026-07-01T12:00:00Z"
        raise click.BadParameter(message) from None
    if read.tzinfo is None:
        message = f"{excerpt(value)} names no zone; add Z for UTC, or an offset such as +08:00"
        raise click.BadParameter(message)
    return read


def _policy(
    ctx: click.Context,  # noqa: ARG001 — click's signature
    param: click.Parameter,  # noqa: ARG001 — click's signature
    file: Path | None,
) -> MemoryPolicy | None:
    """Read a policy's file; click calls this on the option's value."""
    if file is None:
        return None
    try:
        return MemoryPolicy.from_json(file.read_bytes())
    except InvalidInputError as error:
        message = f"{excerpt(file.name)}: {error}"
        raise click.BadParameter(message) from None
    except OSError as error:
        message = f"{excerpt(file.name)}: {error.strerror}"
        raise click.BadParameter(message) from None


def compose(*decorators: Decorator) -> Decorator:
    """Return one decorator that applies several, the first one outermost."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


json_output = click.option("--json", "as_json", is_flag=True, help="Print strict JSON.")

expires = click.option(
    "--expires", "expires_at", metavar="TIME", callback=moment, help="When it ends to hold."
)

expected_revision = click.option(
    "--expected-revision",
    type=click.IntRange(min=1),
    metavar="N",
    help="Refuse if the record is at another revision.",
)

policy = click.option(
    "--policy",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=_policy,
    help="What is allowed, and how it is ranked: the JSON of a policy.",
)

# What the record's history keeps of the change.
noted = compose(
    click.option("--by", metavar="NAME", help="Who changes it, for its history."),
    click.option("--reason", metavar="TEXT", help="Why, for its history."),
)

# Which records: any of the scopes, types and authorities, and every tag.
filters = compose(
    click.option("--scope", type=SCOPES, multiple=True, help="Only this scope; repeatable."),
    click.option("--type", type=TYPES, multiple=True, help="Only this type; repeatable."),
    click.option("--authority", type=AUTHORITIES, multiple=True, help="Only this authority."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Carrying every such tag."),
)


def given(**values: object) -> dict[str, Any]:
    """Return the options that were given: neither None nor an empty repetition."""
    return {name: value for name, value in values.items() if value is not None and value != ()}


def now() -> datetime:
    """Return the present moment; a command line is a host, so it may ask."""
    return datetime.now(UTC)


def open_store(
    path: Path, *, create: bool = False, tokenizer: Tokenizer | None = None
) -> MemoryStore:
    """Open the store at `path`; only what writes new records creates one."""
    if not create:
        require_store(path)
    return MemoryStore.open(path, tokenizer=tokenizer)


def require_store(path: Path) -> None:
    """End the command where there is no store."""
    if not holds_store(path):
        message = f"there is no store at {path}; run `membound init`, or name one with --store"
        raise Failure(message)
