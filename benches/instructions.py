"""Count the instructions of a fixed workload, and hold them against budgets that are committed.

Unlike a time, a count does not depend on what else the machine does. `make instructions` compares;
`make instructions UPDATE=1` makes the budgets what is counted now.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGETS = ROOT / "benches" / "instructions.json"
# Named from the root: the length of an argument moves the stack, and with it a count by a little.
WORKLOAD = "target/release/membound-workload"
FOLDER = "target/instructions"
COUNTED = "membound_workload::counted"
PERCENT = 10
RAISE = (
    "If it has to be so, `make instructions UPDATE=1` makes the budgets what is counted now, and"
    " the commit says why: see Instructions in CONTRIBUTING.md."
)
LOWER = (
    f"Fallen by more than {PERCENT} %: lower the budgets with `make instructions UPDATE=1`, lest it"
    " grows back unseen."
)


@dataclass(frozen=True)
class Counts:
    """Instructions per operation of each part, and what they were counted with."""

    machine: str
    vectors: str
    libc: str
    rustc: str
    valgrind: str
    parts: dict[str, int]

    @property
    def code(self) -> str:
        """What decides which code runs: counts of different code are not comparable."""
        return f"{self.machine} with vectors {self.vectors}"

    @property
    def tools(self) -> str:
        """What may move a count without a change of ours."""
        return f"libc {self.libc}, rustc {self.rustc}, valgrind {self.valgrind}"


@dataclass(frozen=True)
class Comparison:
    """One part's count beside its budget, where it has both."""

    part: str
    counted: int | None
    budget: int | None

    @property
    def verdict(self) -> str:
        """What is to be said of it; nothing while the count is near its budget."""
        if self.counted is None:
            return "not counted"
        if self.budget is None:
            return "no budget"
        if self.counted * 100 > self.budget * (100 + PERCENT):
            return "over"
        if self.counted * 100 < self.budget * (100 - PERCENT):
            return "fallen"
        return ""

    @property
    def row(self) -> str:
        """Its line of the table."""
        counted, budget = (
            "-" if number is None else f"{number:,}" for number in (self.counted, self.budget)
        )
        ratio = f"{self.counted / self.budget:.2f}" if self.counted and self.budget else "-"
        return _line(self.part, counted, budget, ratio, self.verdict)


def _line(part: str, counted: str, budget: str, ratio: str, verdict: str = "") -> str:
    return f"{part:24}{counted:>16}{budget:>16}{ratio:>8}  {verdict}".rstrip()


def report(counted: Counts, budgets: Counts) -> tuple[str, bool]:
    """Tell how counts compare with budgets, and whether that passes."""
    if counted.code != budgets.code:
        told = f"Not compared: counted on {counted.code}, the budgets are of {budgets.code}."
        return told, True
    parts = dict.fromkeys([*counted.parts, *budgets.parts])
    compared = [
        Comparison(part, counted.parts.get(part), budgets.parts.get(part)) for part in parts
    ]
    lines = [_line("part, per operation", "instructions", "budget", "ratio")]
    lines += [comparison.row for comparison in compared]
    if counted.tools != budgets.tools:
        lines.append(f"Counted with {counted.tools}; the budgets with {budgets.tools}.")
    verdicts = [comparison.verdict for comparison in compared]
    for number, verdict in enumerate(verdicts, 1):
        if verdict == "over":
            profile = f"{FOLDER}/profile.{number}"
            lines.append(
                f"Over by more than {PERCENT} %: callgrind_annotate --inclusive=yes {profile}"
            )
    if "fallen" in verdicts:
        lines.append(LOWER)
    passes = {"", "fallen"}.issuperset(verdicts)
    return "\n".join(lines if passes else [*lines, RAISE]), passes


def read(printed: str, profiles: list[str]) -> tuple[str, dict[str, int]]:
    """Put together what the workload printed and the profiles of its parts, in their order."""
    vectors, *parts = printed.splitlines()
    counted = {}
    for part, profile in zip(parts, profiles, strict=True):
        name, _, operations = part.rpartition(": ")
        (total,) = re.findall(r"^summary: (\d+)$", profile, re.MULTILINE)
        counted[name] = round(int(total) / int(operations))
    return vectors, counted


def run(*command: str, environment: dict[str, str] | None = None) -> str:
    """Run a command in the root; what it printed."""
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def count() -> Counts:
    """Build the workload, fill its index, and run the rest under callgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        sys.exit("missing: valgrind, to count instructions (on Debian: apt-get install valgrind).")
    run("cargo", "build", "--locked", "--quiet", "--release", "--package", "membound-workload")
    folder = ROOT / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(WORKLOAD, "prepare", FOLDER)
    printed = run(
        valgrind, "--quiet", "--tool=callgrind", f"--callgrind-out-file={FOLDER}/profile",
        "--collect-atstart=no", f"--toggle-collect={COUNTED}", f"--dump-after={COUNTED}",
        WORKLOAD, "measure", FOLDER,
        environment={},
    )  # fmt: skip
    # The last profile, without a number, is of what is not counted.
    profiles = [
        (folder / f"profile.{number}").read_text(encoding="utf-8")
        for number in range(1, len(list(folder.glob("profile.*"))) + 1)
    ]
    vectors, parts = read(printed, profiles)
    return Counts(
        machine=platform.machine(),
        vectors=vectors,
        libc=" ".join(platform.libc_ver()),
        rustc=run("rustc", "--version").split()[1],
        valgrind=run(valgrind, "--version").strip().removeprefix("valgrind-"),
        parts=parts,
    )


def main(*, update: bool) -> int:
    """Count, make that the budgets if it is asked for, and compare with them."""
    counted = count()
    if update:
        BUDGETS.write_text(json.dumps(asdict(counted), indent=2) + "\n", encoding="utf-8")
    told, passes = report(counted, Counts(**json.loads(BUDGETS.read_text(encoding="utf-8"))))
    print(told)
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main(update="--update" in sys.argv[1:]))
