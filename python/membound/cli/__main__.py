"""`python -m membound.cli`: the same as the console script."""

from __future__ import annotations

from membound.cli import main

main()
