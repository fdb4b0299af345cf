"""Faults that users met, by class: what is in a package, for whom it is built, and its types."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import membound
from membound import _core

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
from datetime import UTC, datetime
from membound import MemoryRecord, MemoryStore, RetrievalResult, resolve_turn_context

def ask(store: MemoryStore, question: str) -> list[str]:
    kept: MemoryRecord = store.remember("the tram leaves at nine", scope="user", tags=["tram"])
    found: RetrievalResult = store.retrieve(question, now=datetime.now(UTC), limit=3)
    turn = resolve_turn_context(store, question, workspace="/srv/app")
    return [record.content for record in found.records] + [kept.id, *turn.blocks]
"""
WRONG = """
from membound import MemoryStore

def ask(store: MemoryStore) -> int:
    store.retrieve("tram", limti=3)
    store.remember("tram", scope="everywhere")
    return store.retrieve(7).context
"""


def manifest(path: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


def test_install() -> None:
    """One wheel serves every CPython from the oldest on; what has none is stated."""
    project = manifest("pyproject.toml")["project"]
    oldest = str(project["requires-python"]).removeprefix(">=")
    assert f'"abi3-py{oldest.replace(".", "")}"' in (ROOT / "Cargo.toml").read_text("utf-8")
    assert str(_core.__file__).endswith(".abi3.so")
    _, _, told = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Install\n")
    told = told.partition("\n## ")[0]
    for word in (oldest, "abi3", "musl", "free-threaded", "PyPy", "Windows", "Rust"):
        assert word in told, word


def test_typing(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache")]
    for name, faults in (("right", 0), ("wrong", 4)):
        told = subprocess.run(
            [*mypy, str(tmp_path / f"{name}.py")],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        assert len(re.findall(r": error: ", told.stdout)) == faults, told.stdout
    types = Path(str(membound.__file__)).parent
    assert (types / "py.typed").is_file()
    assert (types / "_core.pyi").is_file()


def test_typing_of_a_source_package(tmp_path: Path) -> None:
    """`make wheel` looks into the wheel; the sdist holds the same, and all that builds it."""
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "sdist", "--out", tmp_path], cwd=ROOT, check=True, capture_output=True)
    (package,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(package) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    wanted = {"PKG-INFO", "pyproject.toml", "Cargo.lock", "LICENSE", "README.md"}
    wanted |= {"python/membound/py.typed", "python/membound/_core.pyi"}
    for folder in ("python/membound", "rust/core/src", "rust/python/src"):
        sources = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".rs")]
        wanted |= {path.relative_to(ROOT).as_posix() for path in sources}
    assert wanted <= names, wanted - names
    # What a build from it asks cargo for, offline: the crates are those of this build.
    (unpacked,) = tmp_path.glob("*/Cargo.toml")
    maturin_table = manifest("pyproject.toml")["tool"]["maturin"]
    options = ["--locked"] if maturin_table.get("locked") else []
    asked = ["cargo", "metadata", "--offline", "--format-version", "1", *options]
    subprocess.run(asked, cwd=unpacked.parent, check=True, capture_output=True)
