"""Loading the SDK: what a server needs of it at once, the rest when something first asks for it."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Final

from membound.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["loading"]

_PACKAGES: Final = ("mcp", "mcp.server")
"""What their names re-export is the client and a framework: a third of a second, needed by none."""


@contextmanager
def loading() -> Iterator[None]:
    """Makes what is imported within load quickly: a client waits for it before it can say a word.

    The garbage collector rests meanwhile, as next to nothing of a module is garbage.

    Raises:
        MissingExtraError: the extra ``mcp`` is not installed.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for name in _PACKAGES:
            _put_off(name)
        yield
    except ModuleNotFoundError as fault:
        package = (fault.name or "mcp").partition(".")[0]
        if package == "membound":
            raise
        raise MissingExtraError("mcp", package) from None
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _put_off(name: str) -> None:
    """Registers a package whose own code runs when a name is asked for that it would define."""
    spec = find_spec(name) if name not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    loader = spec.loader
    module = module_from_spec(spec)

    def complete(attribute: str) -> object:
        del module.__dict__["__getattr__"]
        loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = complete
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
