"""What is done to the index's files, and what a store answers at each moment after it.

A sample of each kind; `MEMBOUND_DAMAGES=N` tries N cases of each.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest

from membound import MemoryDraft
from tests import damages
from tests.damages import PAGE, answers, opened
from tests.foreign import INDEX, sql
from tests.golden_store import make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.pool import Pool
    from pathlib import Path

    Damage = Callable[[Path], object]

CASES = int(os.environ.get("MEMBOUND_DAMAGES", "0"))
SIDES = (f"{INDEX}-wal", f"{INDEX}-shm")


class Store:
    """One store, whose index can be put back as it was; its files are never written."""

    def __init__(self, folder: Path, copies: Path) -> None:
        self.folder = folder
        make(folder)
        drafts = [
            MemoryDraft(
                f"kiwi harvest {n} " + " ".join(f"w{n * 7 + k}" for k in range(20)),
                scope="user",
                id=f"k{n}",
                tags=["fruit"] if n % 3 == 0 else [],
                confidence=n % 10 / 10,
            )
            for n in range(120)
        ]
        with opened(folder) as store:
            store.remember_many(drafts[:100])
        copies.mkdir()
        self.older = copies / "older"
        shutil.copyfile(folder / INDEX, self.older)
        with opened(folder) as store:
            store.remember_many(drafts[100:])
        self.right = copies / "right"
        shutil.copyfile(folder / INDEX, self.right)
        with opened(folder, index=False) as store:
            self.answers = answers(store)
        with opened(copies / "another") as store:
            store.remember("kiwi harvest of another store", scope="user")
        self.another = copies / "another" / INDEX
        self.pages = self.right.stat().st_size // PAGE

    def restore(self) -> None:
        for name in SIDES:
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / INDEX).unlink(missing_ok=True)
        shutil.copyfile(self.right, self.folder / INDEX)

    def assert_right(self) -> None:
        """Opened anew, it answers from the first moment on, is healed, and is found in order."""
        with opened(self.folder) as store:
            assert answers(store) == self.answers
            assert store.wait_until_ready(30)
            assert answers(store) == self.answers
            if not store.verify().ok:  # what no question came across
                assert answers(store) == self.answers
                assert store.wait_until_ready(30)
                assert answers(store) == self.answers
                assert store.verify().ok
            assert store.retrieve("kiwi").trace.mode == "sqlite-fts5"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("corruption")
    return Store(path / "store", path / "copies")


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[Pool, Pool]]:
    """A process that does damage, and one that holds a store."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as hand, context.Pool(1) as holder:
        yield hand, holder


def bits(store: Store, rng: random.Random) -> Damage:
    at = rng.randrange(store.pages) * PAGE + rng.choice(
        [rng.randrange(PAGE), rng.randrange(100), PAGE - 1 - rng.randrange(8)]
    )
    return partial(damages.turn, at=at, mask=1 << rng.randrange(8))


def header(store: Store, rng: random.Random) -> Damage:
    del store
    return partial(damages.turn, at=rng.randrange(100), mask=rng.randrange(1, 256))


def zeros(store: Store, rng: random.Random) -> Damage:
    at = rng.randrange(store.pages) * PAGE
    return partial(damages.overwrite, at=at, data=bytes(PAGE * rng.choice([1, 1, 4])))


def noise(store: Store, rng: random.Random) -> Damage:
    at = rng.randrange(store.pages * PAGE)
    return partial(damages.overwrite, at=at, data=rng.randbytes(rng.randrange(1, 3 * PAGE)))


def cuts(store: Store, rng: random.Random) -> Damage:
    whole = store.pages * PAGE
    lengths = [0, 1, 99, 100, 511, PAGE - 1, PAGE, PAGE + 1, whole - PAGE, whole - 1]
    return partial(damages.cut, length=rng.choice([*lengths, rng.randrange(whole)]))


def garbage(store: Store, rng: random.Random) -> Damage:
    del store
    return partial(damages.append, data=rng.randbytes(rng.choice([1, 100, PAGE, 3 * PAGE + 7])))


def swaps(store: Store, rng: random.Random) -> Damage:
    one, other = rng.sample(range(store.pages), 2)
    return partial(damages.swap_pages, one=one, other=other)


def restores(store: Store, rng: random.Random) -> Damage:
    source = rng.choice([store.another, store.older])
    return partial(rng.choice([damages.put, damages.write_over]), source=source)


def others(store: Store, rng: random.Random) -> Damage:
    kinds = ["pipe", "socket"]
    name = rng.choice([INDEX, *SIDES])
    if name != INDEX:  # a link in the place of the index is left to whoever made it
        kinds += ["link to nothing", str(store.another), str(store.right)]
    return partial(damages.become, what=rng.choice(kinds), name=name)


def sides(store: Store, rng: random.Random) -> Damage:
    del store
    name = rng.choice(SIDES)
    return rng.choice(
        [
            partial(damages.append, data=rng.randbytes(rng.choice([1, 32, 9000])), name=name),
            partial(damages.append, data=bytes(40_000), name=name),
        ]
    )


def gone(store: Store, rng: random.Random) -> Damage:
    del store
    names = [[INDEX], [SIDES[0]], [SIDES[1]], SIDES, [INDEX, *SIDES], [INDEX, SIDES[0]]]
    return _Gone(tuple(rng.choice(names)))


class _Gone:
    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def __call__(self, folder: Path) -> None:
        damages.remove(folder, *self.names)

    def __repr__(self) -> str:
        return f"remove {self.names}"


SCRIPTS = (
    "UPDATE search_data SET block = zeroblob(length(block))",
    "UPDATE search_data SET block = zeroblob(length(block)) WHERE id > 10",
    "UPDATE search_data SET block = substr(block, 1, length(block) / 2)",
    "DELETE FROM search_data",
    "DELETE FROM search_data WHERE id > 10",
    "DELETE FROM search_idx",
    "UPDATE search_idx SET term = term || x'00'",
    "DELETE FROM search_docsize",
    "UPDATE search_docsize SET id = id + 1000 WHERE id % 2",
    "DELETE FROM search_config",
    "UPDATE search_config SET v = 3",
    "INSERT INTO search (search) VALUES ('delete-all')",
    "DELETE FROM record",
    "DELETE FROM record WHERE row % 2",
    "DELETE FROM place",
    "DELETE FROM tag",
    "DELETE FROM census",
    "DELETE FROM meta",
    "UPDATE record SET json = x'7b'",
    "UPDATE record SET standing = 0",
    "UPDATE record SET standing = 99",
    "DELETE FROM change",
    "UPDATE change SET row = row + 1",
    "DELETE FROM words",
    "UPDATE words SET merged = merged - 1",
    "UPDATE words SET merged = merged + 1000",
    "UPDATE words SET newest = 0",
    "INSERT OR REPLACE INTO frequent SELECT term, 0 FROM (SELECT 'wkiwi' AS term)",
    "DROP TABLE search",
    "DROP TABLE search_idx",
    "DROP TABLE search_data",
    "DROP TABLE record",
    "DROP TABLE census",
    "DROP TABLE meta",
    "DROP INDEX record_census",
    "ALTER TABLE record DROP COLUMN confidence",
    "ALTER TABLE record RENAME TO records",
    "ALTER TABLE tag RENAME COLUMN tag TO label",
    "CREATE TABLE other (x)",
    "CREATE VIEW other AS SELECT 1",
    "CREATE TRIGGER other AFTER INSERT ON meta BEGIN DELETE FROM record; END",
    "DROP TABLE census; CREATE TABLE census (place, standing, records)",
    """DROP TABLE meta; CREATE VIEW meta AS WITH RECURSIVE n (name, value) AS
       (SELECT 1, 2 UNION ALL SELECT name + 1, 2 FROM n) SELECT name, value FROM n""",
    """DROP TABLE tag; CREATE VIEW tag AS WITH RECURSIVE n (tag, row) AS
       (SELECT 'fruit', 1 UNION ALL SELECT tag, row + 1 FROM n) SELECT tag, row FROM n""",
    """PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, 'json BLOB', 'json TEXT')
       WHERE name = 'record'""",
    "VACUUM",
    "PRAGMA user_version = 0",
    "PRAGMA page_size = 1024; PRAGMA journal_mode = DELETE; VACUUM",
)


def scripts(store: Store, rng: random.Random) -> Damage:
    del store
    return partial(sql, script=rng.choice(SCRIPTS))


def tables(store: Store, rng: random.Random) -> Damage:
    """What another program does to tables while a store is open."""
    del store
    changes = [script for script in SCRIPTS if script.startswith(("DROP", "ALTER", "CREATE"))]
    return partial(sql, script=rng.choice(changes))


CLOSED = [
    bits, header, zeros, noise, cuts, garbage, swaps, restores, others, sides, gone, scripts,
]  # fmt: skip
OPEN = [bits, header, zeros, noise, garbage, swaps, restores, others, gone, tables]


def rng_of(kind: Callable[..., Damage], number: int) -> random.Random:
    return random.Random(f"{kind.__name__} {number}")


@pytest.mark.parametrize("kind", CLOSED)
def test_a_closed_store(store: Store, kind: Callable[[Store, random.Random], Damage]) -> None:
    for number in range(CASES or 5):
        damage = kind(store, rng_of(kind, number))
        store.restore()
        print(number, damage)  # noqa: T201 — the one that fails
        damage(store.folder)
        store.assert_right()


@pytest.mark.parametrize("kind", OPEN)
def test_a_store_that_is_open_here_and_elsewhere(
    store: Store,
    workers: tuple[Pool, Pool],
    kind: Callable[[Store, random.Random], Damage],
) -> None:
    hand, holder = workers
    for number in range(CASES or 2):
        damage = kind(store, rng_of(kind, number))
        store.restore()
        assert holder.apply(damages.hold, (store.folder,)) == store.answers
        with opened(store.folder) as here:
            assert answers(here) == store.answers
            print(number, damage)  # noqa: T201 — the one that fails
            hand.apply(damage, (store.folder,))
            for _ in range(2):
                assert answers(here) == store.answers
                assert holder.apply(damages.held_answers) == store.answers
            assert here.wait_until_ready(30)
            assert answers(here) == store.answers
            holder.apply(damages.let_go)
        store.assert_right()
