"""What people do to a workspace by hand, and what befalls its folder while it is open."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from membound.errors import InvalidNameError
from membound.workspace import Workspace
from membound.workspace.tools.registry import TOOLS, call

if TYPE_CHECKING:
    from collections.abc import Iterator

NFC, NFD = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")


def opened(folder: Path) -> Workspace:
    return Workspace.open(folder, root=folder / "stores", environment={})


@pytest.fixture(name="workspace")
def empty_workspace(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path) as workspace:
        yield workspace


def written(workspace: Workspace, path: str, text: str) -> Path:
    file = workspace.path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ("memory/x\\y/n.md", "memory/x/y/n.md"),
        (f"memory/{NFD}.md", f"memory/{NFC}.md"),
        (f"memory/{NFD}/n.md", f"memory/{NFC}/n.md"),
        (f"memory/{NFC}.md", f"memory/{NFD}.md"),
    ],
)
def test_the_address_of_a_hit_is_that_of_the_file(
    workspace: Workspace, mine: str, other: str
) -> None:
    files = written(workspace, mine, "the quince"), written(workspace, other, "the jitter")
    (hit,) = workspace.search("quince").items
    found = workspace.recall(hit.key, folder=hit.folder)
    assert found is not None
    assert found.content == "the quince"
    assert workspace.delete(hit.key, folder=hit.folder)
    assert [file.exists() for file in files] == [False, True]
    assert workspace.search("quince").items == ()


@pytest.mark.parametrize("key", ["a\\b", "长" * 80, "tab\there", "two\nlines", "nul.", " x "])
def test_what_is_listed_can_be_read_moved_and_deleted(workspace: Workspace, key: str) -> None:
    written(workspace, f"memory/{key}.md", "the quince")
    (listed,) = workspace.list().items
    note = workspace.recall(listed.key, folder=listed.folder)
    assert note is not None
    assert note.content == "the quince"
    assert workspace.remember(listed.key, "the jitter", folder=listed.folder).created is False
    workspace.move(listed.key, "memory/kept", folder=listed.folder, new_key="sound")
    assert [one.key for one in workspace.list().items] == ["sound"]
    written(workspace, f"memory/{key}.md", "the quince")
    assert workspace.delete(listed.key, folder=listed.folder)


@pytest.mark.parametrize("hidden", "\u3164\u034f\ufe0f\u115f\U000e0100\u17b5\u200b\u202e")
def test_no_new_name_is_another_ones_unseen_twin(workspace: Workspace, hidden: str) -> None:
    workspace.remember("deploy", "the quince")
    for key, folder in ((f"deploy{hidden}", None), (hidden, None), ("x", f"memory/{hidden}")):
        with pytest.raises(InvalidNameError):
            workspace.remember(key, "the jitter", folder=folder)
    assert [one.key for one in workspace.list().items] == ["deploy"]


def test_tags_are_changed_and_the_text_is_kept(workspace: Workspace) -> None:
    workspace.remember("a", "Long precious text.\r\n", tags=["x"])
    workspace.remember("a", tags=["decision"])
    note = workspace.recall("a")
    assert note is not None
    assert (note.content, note.tags) == ("Long precious text.\r\n", ("decision",))
    workspace.remember("a", "")
    assert getattr(workspace.recall("a"), "content", None) == ""
    assert workspace.remember("new").created


def test_a_key_that_lies_elsewhere_is_told(workspace: Workspace) -> None:
    workspace.remember("use-queue", "the quince", folder="memory/decisions")
    for key in ("use-queue", "use-queue.md", "Use-Queue"):
        reply = call(TOOLS["recall"], {"key": key}, lambda: workspace)
        assert reply.fields["found"] is False
        assert reply.fields["elsewhere"] == ["memory/decisions/use-queue.md"]
    assert "elsewhere" not in call(TOOLS["recall"], {"key": "none"}, lambda: workspace).fields


@pytest.mark.parametrize(
    "query", ["锁", "为什么部署用队列", "What do we know of queues?", "quince?"]
)
def test_what_was_searched_says_of_each_word_whether_any_note_has_it(
    workspace: Workspace, query: str
) -> None:
    workspace.remember("部署", "周五不部署。锁在哪里？")
    searched = workspace.search(query).searched
    assert set(searched.missed) <= set(searched.words)
    for word in searched.words:
        alone = workspace.search(word).searched
        assert (word in searched.missed) == (word in alone.missed)


def test_every_hit_shows_something(workspace: Workspace) -> None:
    workspace.remember("支付", "支付先锁单，再扣库存。")
    (hit,) = workspace.search("锁").items
    assert hit.matches == ("支付先锁单，再扣库存。",)


@pytest.mark.parametrize("gone", ["", ".membound", ".membound/index.sqlite3", "memory"])
def test_a_folder_that_was_removed_is_made_again(workspace: Workspace, gone: str) -> None:
    workspace.remember("frost", "the frost alarm")
    shutil.rmtree(workspace.path / gone) if (workspace.path / gone).is_dir() else (
        workspace.path / gone
    ).unlink()
    kept = gone.startswith(".membound")
    assert bool(workspace.search("frost alarm").items) == kept
    workspace.remember("quince", "the quince harvest")
    assert [one.key for one in workspace.search("quince").items] == ["quince"]
    assert {one.key for one in workspace.list().items} == {"quince", *(["frost"] if kept else [])}


def test_a_note_is_written_whatever_becomes_of_the_index(workspace: Workspace) -> None:
    workspace.remember("frost", "the frost alarm")
    workspace.search("frost")
    (workspace.path / ".membound/index.sqlite3-wal").write_bytes(b"zzzz" * 9_000)
    assert workspace.remember("quince", "the quince harvest", themes=["fruit"]).created
    assert [one.key for one in workspace.search("quince").items] == ["quince"]
    assert [one.key for one in workspace.search("frost alarm").items] == ["frost"]
    assert workspace.trace_theme("fruit").memory_count == 1
    assert b"quince.md" in (workspace.path / "index.json").read_bytes()


def test_the_last_day_there_is_ends_no_search(workspace: Workspace) -> None:
    for day in ("9999-12-31", "0001-01-01"):
        assert workspace.search_context("frost", date_from=day, date_to=day).matches == ()


READ_ONLY = """
import json, sys
from pathlib import Path
from membound.workspace import Workspace
from membound.workspace.tools.registry import TOOLS, call
folder = Path(sys.argv[1])
with Workspace.open(folder, root=folder / "stores", environment={}) as workspace:
    print(json.dumps([
        [one.key for one in workspace.list().items],
        [one.key for one in workspace.search("frost alarm").items],
        bool(workspace.retrieve("frost alarm").context),
        "frost" in workspace.bootstrap().memory_index_tree,
        workspace.sync().search_index,
        call(TOOLS["remember"], {"key": "x", "content": "y"}, lambda: workspace).failed,
    ]))
"""


def test_what_is_read_only_is_read_listed_and_searched(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        workspace.remember("frost", "The frost alarm rings at dawn.")
        store = str(workspace.path)
    mounted = subprocess.run(  # in a name space of its own, that ends with it
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c"),
            'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"',
            *(store, sys.executable, "-c", READ_ONLY, str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1] / "python")},
    )
    if mounted.returncode and "mount" in mounted.stderr + "unshare" in mounted.stderr:
        pytest.skip("no folder can be mounted read-only")
    assert mounted.stdout, mounted.stderr
    told: Any = json.loads(mounted.stdout)
    assert told == [["frost"], ["frost"], True, True, "memory", True]
