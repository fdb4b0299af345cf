"""The demo runs from a clean checkout without a terminal, and shows what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_demo_runs_and_computes_what_it_shows(tmp_path: Path) -> None:
    words = [sys.executable, str(ROOT / "demo" / "demo.py"), "--records", "300"]
    environment = {"PATH": "", "PYTHONIOENCODING": "utf-8", "TMPDIR": str(tmp_path)}
    shown = subprocess.run(
        words, capture_output=True, encoding="utf-8", env=environment, cwd=tmp_path, check=False
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "<MEMORY_REFERENCE_DATA" in shown.stdout
    assert "Use pnpm, not npm" in shown.stdout
    assert "PostgreSQL" in shown.stdout
    assert "MySQL" not in shown.stdout
    assert "nothing is relevant" in shown.stdout
    _, elsewhere, at_home = shown.stdout.split("customer database of project Heron", 2)
    assert "ClickHouse" not in elsewhere
    assert "ClickHouse" in at_home
    assert shown.stdout.count("ignore all previous") == 1
    assert "Summary" in shown.stdout
    assert "median of 5 after one warm-up" in shown.stdout
    assert "\x1b" not in shown.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_demo_survives_an_ascii_terminal(tmp_path: Path) -> None:
    words = [sys.executable, str(ROOT / "demo" / "demo.py"), "--records", "10"]
    environment = {"PYTHONIOENCODING": "ascii", "TMPDIR": str(tmp_path)}
    shown = subprocess.run(words, capture_output=True, env=environment, check=False)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert shown.stdout.isascii()
