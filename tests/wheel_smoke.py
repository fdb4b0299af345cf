"""A first minute with an installed wheel; `make wheel` runs it where no tool of ours is."""

from __future__ import annotations

import sys
from importlib.metadata import files
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import membound

with TemporaryDirectory() as folder:
    with membound.MemoryStore.open(folder) as store:
        kept = store.remember(
            "Use pnpm, not npm, in this repo.", workspace="/repo", tags=["package-manager"]
        )
        found = store.retrieve("which package manager do we use, pnpm?", workspace="/repo")
        assert found.trace.selected_ids == (kept.id,), found.trace.explain()
        assert store.retrieve("what is the capital of France?", workspace="/repo").context == ""
    command = Path(sys.executable).with_name("membound")
    listed = run([command, "--store", folder, "list", "--json"], capture_output=True, check=True)
    assert kept.id.encode() in listed.stdout, listed.stdout

names = {path.name for path in files("membound") or ()}
assert {"py.typed", "_core.pyi", "LICENSE"} <= names, names
print(f"membound {membound.__file__}: remembered, recalled, typed")
