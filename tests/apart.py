"""Scripts of ours under other conditions: another user, or where a folder is mounted read-only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MOUNTED = """
import subprocess, sys
run = lambda *words: subprocess.run(words, check=True)
folder = sys.argv.pop(1)
run("mount", "--bind", folder, folder)
run("mount", "-o", "remount,bind,ro", folder)
exec(sys.argv.pop(1))
"""


@dataclass(frozen=True)
class State:
    """What is seen of a file or folder without reading it, and its bytes."""

    mode: int
    owner: int
    size: int
    changed: int
    links: int
    data: bytes | str | None


def tree(*folders: Path) -> dict[str, State]:
    """All that lies in folders: names, modes, times and bytes; links are not followed."""
    paths = [path for folder in folders for path in (folder, *sorted(folder.rglob("*")))]
    return {str(path): _state(path) for path in paths}


def _state(path: Path) -> State:
    found = path.lstat()
    data: bytes | str | None = None
    if path.is_symlink():
        data = str(path.readlink())
    elif path.is_file():
        data = path.read_bytes()
    return State(
        found.st_mode, found.st_uid, found.st_size, found.st_mtime_ns, found.st_nlink, data
    )


def without_privileges(script: str, *arguments: object) -> str:
    """Run a script as a user for whom modes count: root without what makes it root."""
    drop: list[str] = []
    if os.geteuid() == 0:
        if (setpriv := shutil.which("setpriv")) is None:
            pytest.skip("root cannot become an ordinary user here: there is no setpriv")
        drop = [setpriv, "--bounding-set=-all", "--inh-caps=-all"]
    return _run([*drop, sys.executable, "-c", script], arguments)


def on_read_only_mount(folder: Path, script: str, *arguments: object) -> str:
    """Run a script in a name space where a folder is mounted read-only; skip where none can be."""
    unshare = [shutil.which("unshare") or "unshare", "-rm"]
    try:
        subprocess.run([*unshare, "mount", "--bind", folder, folder], check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"nothing can be mounted here: {error}")
    return _run([*unshare, sys.executable, "-c", _MOUNTED, str(folder), script], arguments)


def _run(words: list[str], arguments: Iterable[object]) -> str:
    words = [*words, *map(str, arguments)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout
