"""What a tool is: its name, its arguments, its function, and what a client may know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from membound.workspace.tools.arguments import Arguments
from membound.workspace.tools.fitting import Fields
from membound.workspace.tools.schema import Schema, input_schema

__all__ = ["Tool"]


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of the workspace.

    Attributes:
        name: what clients call it by.
        title: what people read.
        description: what it does and when to use it, for a model.
        arguments: what it takes.
        run: takes the workspace and these, and gives the fields of the reply, within the budget.
        missed: what the fields begin with where the call fails.
        echoed: the arguments, by the names of the JSON, that a failure tells back.
        read_only: whether it changes nothing.
        destructive: whether it may take something away, or put it elsewhere.
        idempotent: whether a second call like the first changes nothing more.
        recalls: whether its reply carries text out of memory.
        long: whether it may take seconds, so that the client is told that it is at work.
        counts: whether it tells how far it is, to a function that is its third argument.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    run: Callable[..., Fields]
    missed: Mapping[str, object] = {}
    echoed: tuple[str, ...] = ()
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    recalls: bool = True
    long: bool = False
    counts: bool = False

    @property
    def schema(self) -> Schema:
        """The JSON Schema of its arguments."""
        return input_schema(self.arguments)
