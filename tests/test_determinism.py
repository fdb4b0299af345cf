"""Five processes with different hash seeds give the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import membound
from tests.adapters import options_of, records_of
from tests.wordings import KINDS

ROOT = Path(__file__).parent.parent
SEEDS = range(5)
ROUNDS = 20


def bytes_of(result: membound.RetrievalResult) -> bytes:
    trace = json.dumps(result.trace.to_dict(), ensure_ascii=False)
    return f"{result.context}\n{trace}\n".encode()


def digest(folder: Path) -> str:
    """Answer generated requests through the pure function and through fresh stores."""
    told = hashlib.sha256()
    for kind in KINDS:
        chance = random.Random("determinism")
        made = kind.records(chance, 120)
        records = records_of(made)
        path = folder / kind.tokenizer
        with membound.MemoryStore.open(
            path, durability="relaxed", tokenizer=kind.tokenizer
        ) as store:
            store.import_records(records)
            store.wait_until_ready(60)
            for _ in range(ROUNDS):
                request = kind.request(chance, made)
                query, options = request["query"], options_of(request)
                told.update(bytes_of(membound.retrieve_records(records, query, **options)))
                told.update(bytes_of(store.retrieve(query, **options)))
    return told.hexdigest()


def run(folder: Path, seed: int) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_determinism", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_hash_seeds_do_not_matter(tmp_path: Path) -> None:
    told = {run(tmp_path / str(seed), seed) for seed in SEEDS}
    assert len(told) == 1
    assert len(told.pop().strip()) == 64


if __name__ == "__main__":
    sys.stdout.write(digest(Path(sys.argv[1])))
