"""`python -m benches.compare`: run the comparison, and write its table, data and figure."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import msgspec

from benches.compare.measure import Options, Run, compare
from benches.compare.report import page
from membound._core import build_profile


def main(arguments: list[str]) -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benches.compare", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--million", action="store_true", help="1,000,000 records too")
    parser.add_argument("--questions", type=int, default=200, help="asked at each size")
    parser.add_argument("--seconds", type=float, default=60, help="most of an engine at a size")
    parser.add_argument("--only", nargs="+", default=[], help="engines whose name has one of these")
    parser.add_argument("--out", type=Path, default=Path("docs/figures"), help="folder for results")
    given = parser.parse_args(arguments)
    if build_profile != "release":
        _tell("not a release build: these timings say nothing; run `make compare`")
    options = Options(
        sizes=(*given.sizes, *([1_000_000] if given.million else [])),
        questions=given.questions,
        seconds=given.seconds,
        only=tuple(given.only),
    )
    command = shlex.join(("python", "-m", "benches.compare", *arguments))
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        # Written while the stores are still there: taking a million files away takes minutes.
        _write(compare(options, command, Path(folder), _tell), given.out)


def _write(run: Run, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(run))
    (folder / "compare.json").write_bytes(data + b"\n")
    (folder / "compare.md").write_text(page(run), encoding="utf-8")
    if find_spec("matplotlib"):
        from benches.compare.plot import draw  # noqa: PLC0415 — its package may not be there

        draw(run, (folder / "compare.svg", folder / "compare.png"))


def _tell(doing: str) -> None:
    sys.stderr.write(f"{doing}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
