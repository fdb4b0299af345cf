"""The layer of layer.c: compiled once, brought into a child by LD_PRELOAD, steered by ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from enum import IntFlag
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


class Kind(IntFlag):
    """What a call does; the numbers are those of layer.c."""

    LOOK = 1
    READ = 2
    NAME = 4
    WRITE = 8
    SYNC = 16
    CLOSE = 32
    LOCK = 64


ALL = Kind.LOOK | Kind.READ | Kind.NAME | Kind.WRITE | Kind.SYNC | Kind.CLOSE | Kind.LOCK


class Fault(NamedTuple):
    """A way in which calls fail: with which error, which ones, and whether all from then on."""

    error: int
    kinds: Kind
    lasting: bool = False
    short: bool = False


def missing() -> str | None:
    """Why the layer cannot be had here; None where it can."""
    if sys.platform != "linux":
        return "the layer is written for Linux"
    return None if shutil.which("cc") else "there is no C compiler"


def compiled(folder: Path) -> Path:
    """Compile the layer."""
    library = folder / "layer.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, "-o", library, HERE / "layer.c", "-ldl"], check=True)  # noqa: S607
    return library


def with_layer(
    library: Path, module: str, *arguments: object, around: tuple[object, ...] = ()
) -> list[str]:
    """Run a module of the tests in a child that has the layer; give its lines.

    ``around`` is a command that runs another one, with its options.
    """
    command = [*around, sys.executable, "-X", "faulthandler", "-m", module, *arguments]
    done = subprocess.run(
        list(map(str, command)),
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=3_600,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4_000:]}\n{done.stderr[-8_000:]}"
    return done.stdout.splitlines()


class Layer:
    """The layer of this process, watching the calls below one folder."""

    def __init__(self, folder: Path) -> None:
        self._library = ctypes.CDLL(None)
        self._library.layer_arm.argtypes = [ctypes.c_long, *[ctypes.c_int] * 4]
        self._library.layer_disarm.restype = self._library.layer_calls.restype = ctypes.c_long
        self._library.layer_watch(os.fsencode(folder))

    def arm(self, call: int, fault: Fault) -> None:
        """Have the given call, of those that the fault is for, fail."""
        short = int(fault.short)
        self._library.layer_arm(call, fault.error, int(fault.kinds), int(fault.lasting), short)

    def disarm(self) -> int:
        """Let every call succeed again; how many failed."""
        return int(self._library.layer_disarm())

    def calls(self) -> int:
        """How many calls there were that the fault is for, since it was armed."""
        return int(self._library.layer_calls())

    def record(self, log: Path, snapshots: Path) -> None:
        """Log what is done from now on, and keep the content of each file that is synced."""
        self._library.layer_record(os.fsencode(log), os.fsencode(snapshots))

    def mark(self, text: str) -> None:
        """Write a line of one's own into the log."""
        self._library.layer_mark(text.encode())
