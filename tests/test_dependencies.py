"""What is built on: no unsafe code in the core, locked versions, licences that allow it."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.metadata import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ACCEPTED = {
    "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "MIT", "NCSA",
    "Unicode-3.0", "Unlicense", "Zlib",
}  # fmt: skip


def accepted(licence: str) -> bool:
    """Whether each part of an expression that `AND` joins has an alternative that is accepted."""
    parts = re.split(r" AND (?![^(]*\))", licence)
    return all(
        ACCEPTED & set(re.split(r" OR |/", part.strip().removeprefix("(").removesuffix(")")))
        for part in parts
    )


def test_the_core_forbids_unsafe_code() -> None:
    """`forbid`, unlike `deny`, cannot be taken back further down."""
    for root in ("core/src/lib.rs", "fuzz/src/lib.rs", "workload/src/main.rs"):
        lines = (ROOT / "rust" / root).read_text(encoding="utf-8").splitlines()
        assert "#![forbid(unsafe_code)]" in lines


def test_whatever_is_built_is_built_from_the_lock_file() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    build = re.compile(r"cargo (build|test|clippy|doc)|maturin ")
    builds = [line for line in makefile.splitlines() if build.search(line)]
    assert len(builds) > 5
    assert [line for line in builds if not re.search(r"--locked|\$\(FUZZ\)", line)] == []
    assert re.search(r"^FUZZ = --locked ", makefile, re.MULTILINE)


def test_the_licences_of_all_crates_are_accepted() -> None:
    asked = ["cargo", "metadata", "--locked", "--format-version", "1", "--all-features"]
    found = json.loads(subprocess.run(asked, cwd=ROOT, capture_output=True, check=True).stdout)
    licences = {package["name"]: package["license"] or "none" for package in found["packages"]}
    assert {"membound-core", "rusqlite", "libfuzzer-sys"} <= licences.keys()
    assert {name for name, licence in licences.items() if not accepted(licence)} == set()


PACKAGES = ["msgspec", "click", "rich", "markdown-it-py", "pygments"]
PACKAGES += ["platformdirs", "PyYAML", "ruamel.yaml", "mcp", "mcp-types", "tomlkit"]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_licences_of_all_packages_are_accepted(package: str) -> None:
    found = metadata(package)
    stated = [*found.get_all("License-Expression", []), *found.get_all("License", [])]
    classifiers = found.get_all("Classifier", [])
    assert (
        accepted(stated[0]) if stated else "License :: OSI Approved :: MIT License" in classifiers
    )


def test_another_licence_is_told() -> None:
    assert accepted("(MIT OR Apache-2.0) AND NCSA")
    for licence in ("GPL-3.0", "(MIT OR Apache-2.0) AND GPL-3.0", "none", "AGPL-3.0-only/GPL-3.0"):
        assert not accepted(licence)
