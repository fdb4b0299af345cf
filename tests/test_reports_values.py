"""Faults that users met, by class: text, ids, numbers and times that are refused or read alike."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from membound import MemoryRecord
from membound.errors import CanonicalFileError, InvalidInputError, NotFoundError
from tests.command import Command
from tests.stores import NOW, recalled, say

if TYPE_CHECKING:
    from membound import MemoryStore


def test_dedupe_unicode(store: MemoryStore) -> None:
    ids = {say(store, text) for text in ("鳥が好き", "虫が苦手", "???", "…")}
    assert len({record.id for record in store.list()} & ids) == 4


def test_unicode_ids(store: MemoryStore) -> None:
    """An id is ASCII, so that no two look alike; a place is one in either form."""
    for id in ("na\u00efve", "nai\u0308ve", "ｋ1", "k\u200b1"):
        with pytest.raises(InvalidInputError, match="id"):
            say(store, "a look-alike", id=id)
        with pytest.raises(NotFoundError):
            store.get(id)
    say(store, "kept in NFC", scope="workspace", workspace="/na\u00efve")
    say(store, "kept in NFD", scope="workspace", workspace="/nai\u0308ve")
    for place in ("/na\u00efve", "/nai\u0308ve"):
        assert sorted(recalled(store, "kept", workspace=place)) == ["kept in NFC", "kept in NFD"]
    assert len(store.list(workspace="/nai\u0308ve")) == 2
    assert recalled(store, "kept", workspace="/naive") == []


def test_surrogate(store: MemoryStore) -> None:
    drafts = [{"content": text, "scope": "user"} for text in ("good", "bad \ud83d", "fine")]
    with pytest.raises(ValueError, match=r"drafts\.1\.content.*position 4") as refused:
        store.remember_many(drafts)
    assert isinstance(refused.value, InvalidInputError)
    assert store.list() == ()  # all or nothing
    for field in ({"tags": ["\ud83d"]}, {"workspace": "/\udc00"}):
        with pytest.raises(InvalidInputError):
            say(store, "good", **field)
    say(store, "bad apple")
    assert recalled(store, "\udc00 bad") == ["bad apple"]


def test_nul(store: MemoryStore) -> None:
    with pytest.raises(InvalidInputError, match="NUL at position 5"):
        say(store, "gamma\0delta")
    say(store, "gamma delta", id="g")
    with pytest.raises(InvalidInputError, match="NUL"):
        store.update("g", content="gamma\0")
    with pytest.raises(InvalidInputError, match="tags"):
        store.update("g", tags=["a\0"])
    assert store.get("g").content == "gamma delta"


def test_nul_in_what_is_imported(store: MemoryStore, tmp_path: Path) -> None:
    say(store, "gamma delta", id="g")
    tree = {**store.get("g").to_dict(), "id": "h", "content": "gamma\0delta"}
    with pytest.raises(InvalidInputError, match="NUL at position 5"):
        MemoryRecord.from_dict(tree)
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps(tree) + "\n" + json.dumps({"content": "delta\0", "scope": "user"}))
    told = Command(Path(store.diagnostics().path))("import", str(lines))
    assert told.exit_code == 1
    assert all(f"jsonl:{line}: " in told.output for line in (1, 2)), told.output
    (Path(store.diagnostics().path) / "memory" / "h.json").write_text(json.dumps(tree))
    assert recalled(store, "delta") == ["gamma delta"]
    with pytest.raises(CanonicalFileError, match="NUL"):
        store.get("h")


@pytest.mark.parametrize("piece", ["息", "é", "👩\u200d👩\u200d👧", "🇩🇪"], ids=ascii)
def test_char_boundary(store: MemoryStore, piece: str) -> None:
    say(store, f"note {piece * 1600}")
    found = store.retrieve(f"note {piece}", character_budget=1500)
    (record,) = found.records
    assert len(found.context) <= 1500
    assert record.content.removeprefix("note ").replace(piece, "") == ""
    assert found.trace.truncated_ids == (record.id,)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -0.0, 1.01, "1"])
def test_json_nan(store: MemoryStore, number: float) -> None:
    id = say(store, "a note")
    for field in ("confidence", "importance"):
        with pytest.raises(InvalidInputError, match=field):
            say(store, "a note", **{field: number})
        with pytest.raises(InvalidInputError, match=field):
            store.update(id, **{field: number})  # type: ignore[arg-type]
    for record in store.export():
        json.loads(record.to_json(), parse_constant=pytest.fail)
    trace = store.retrieve("note").trace.to_dict()
    json.loads(json.dumps(trace, allow_nan=False))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "-0.0"])
def test_json_nan_in_what_is_read(store: MemoryStore, tmp_path: Path, number: str) -> None:
    id = say(store, "a note")
    json_text = store.get(id).to_json().decode()
    assert '"confidence": 1.0' in json_text
    bad = json_text.replace('"confidence": 1.0', f'"confidence": {number}').replace(id, "other")
    with pytest.raises(InvalidInputError):
        MemoryRecord.from_json(bad.encode())
    lines = tmp_path / "lines.jsonl"
    lines.write_text(" ".join(bad.split("\n")))
    told = Command(Path(store.diagnostics().path))("import", str(lines))
    assert told.exit_code == 1
    assert [record.id for record in store.export()] == [id]


def test_time_zone(store: MemoryStore) -> None:
    local = datetime(2031, 1, 1, tzinfo=timezone(timedelta(hours=-5)))
    say(store, "seasonal price", valid_from=local)
    assert store.list(include_inactive=True)[0].valid_from == "2031-01-01T05:00:00.000Z"
    utc = datetime(2031, 1, 1, 5, tzinfo=UTC)
    assert recalled(store, "seasonal price", now=utc - timedelta(milliseconds=1)) == []
    assert recalled(store, "seasonal price", now=utc) == ["seasonal price"]
    assert recalled(store, "seasonal price", now=local) == ["seasonal price"]


def test_time_naive(store: MemoryStore) -> None:
    naive = NOW.replace(tzinfo=None)
    for verb in (
        lambda: say(store, "x", now=naive),
        lambda: say(store, "x", expires_at=naive),
        lambda: store.retrieve("x", now=naive),
        lambda: store.list(now=naive),
        lambda: store.list_directives(now=naive),
    ):
        with pytest.raises(InvalidInputError, match=r"astimezone"):
            verb()
    assert store.list(include_inactive=True) == ()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/St_Johns", "XYZ+12:34"])
def test_time_naive_under_any_zone(tmp_path: Path, zone: str) -> None:
    script = """
import sys
from datetime import UTC, datetime, timedelta
from membound import MemoryStore
with MemoryStore.open(sys.argv[1], durability="relaxed") as store:
    kept = store.remember("the tram leaves at nine", scope="user")
    now, hour = datetime.now(UTC), timedelta(hours=1)
    assert now - hour < datetime.fromisoformat(kept.created_at) <= now + hour, kept.created_at
    for moment in (now - hour, now, now + hour, now.astimezone()):
        assert store.retrieve("tram nine", now=moment).trace.selected_ids == (kept.id,)
    passing = store.remember("the bus leaves soon", scope="user", expires_at=now + hour)
    assert store.retrieve("bus soon", now=now + hour).records == ()
    assert store.retrieve("bus soon", now=now).records
"""
    words = [sys.executable, "-c", script, str(tmp_path)]
    subprocess.run(words, env={**os.environ, "TZ": zone}, check=True, timeout=60)


@pytest.mark.parametrize("year", [1, 1969, 9999])
def test_clock_skew(store: MemoryStore, year: int) -> None:
    then = datetime(year, 6, 1, tzinfo=UTC)
    id = say(store, "old clock", now=then)
    (ranking,) = store.retrieve("old clock").trace.rankings
    assert 0 <= ranking.features.freshness <= 1
    assert store.retrieve("old clock", now=then).trace.rankings[0].features.freshness == 1
    assert store.list()[0].id == id
    assert store.update(id, content="new clock").revision == 2
