"""Where workspaces and sessions lie, and the file of settings that may be anything."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.workspace.config import Config, places, read

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "cache"
HOME = Path("/home/ada")


def test_a_peers_settings_are_read() -> None:
    data = (FIXTURES / "sessions-seed" / "mcp-config.json").read_bytes()
    assert read(data) == Config(
        detailed_rounds=3, summary_rounds=2, more_rounds=5, recent_changes=5
    )


def test_a_person_may_set_numbers_which_are_cut_as_peers_do() -> None:
    data = b"""{"contextWindow": {"detailedRounds": 7.9, "defaultSummaryRounds": -3},
        "recentChangeLimit": 0, "unknown": [1]}"""
    assert read(data) == Config(
        detailed_rounds=7, summary_rounds=0, more_rounds=5, recent_changes=0
    )


@pytest.mark.parametrize(
    ("data", "notices"),
    [
        (b"{not json", ["is no JSON object"]),
        (b"", ["is no JSON object"]),
        (b"[]", ["is no JSON object"]),
        (b"[" * 100_000, ["is no JSON object"]),
        (b'{"contextWindow": 7}', ["contextWindow has its default: expected an object, got 7"]),
        (b'{"recentChangeLimit": "5"}', ["recentChangeLimit has its default: expected a number"]),
        (b'{"recentChangeLimit": true}', ["got true"]),
        (b'{"recentChangeLimit": null, "contextWindow": {"detailedRounds": {}}}', ["deta", "null"]),
    ],
)
def test_what_is_wrong_has_its_default_and_is_told(data: bytes, notices: list[str]) -> None:
    config = read(data)
    assert len(config.notices) == len(notices)
    assert all(part in told for part, told in zip(notices, config.notices, strict=True))
    assert all(told.startswith("mcp-config.json") for told in config.notices)
    usual = Config()
    assert (config.detailed_rounds, config.recent_changes) == (
        usual.detailed_rounds,
        usual.recent_changes,
    )


def test_no_settings_are_the_usual_ones() -> None:
    assert read(None) == Config()


@given(st.binary() | st.sampled_from([b'{"recentChangeLimit": 1e400}', b'{"contextWindow": 1e99}']))
def test_no_settings_are_too_odd(data: bytes) -> None:
    config = read(data)
    assert config.recent_changes == Config().recent_changes
    assert len(config.notices) <= 2


def test_without_a_word_all_lies_where_this_system_keeps_data() -> None:
    found = places({}, HOME)
    usual = platformdirs.user_data_path("membound", appauthor=False)
    assert found.store_root == usual / "workspaces"
    assert found.sessions_root == HOME / ".kimi-code" / "sessions"


def test_the_environment_says_where_and_ours_wins() -> None:
    environment = {
        "MEMORY_STORE_ROOT": "/peer/store",
        "MEMORY_SESSIONS_ROOT": "/peer/sessions",
        "KIMI_CODE_HOME": "/host",
    }
    found = places(environment, HOME)
    assert (found.store_root, found.sessions_root) == (Path("/peer/store"), Path("/peer/sessions"))
    ours = {"MEMBOUND_WORKSPACE_ROOT": "/our/store", "MEMBOUND_SESSIONS_ROOT": "/our/sessions"}
    found = places({**environment, **ours}, HOME)
    assert (found.store_root, found.sessions_root) == (Path("/our/store"), Path("/our/sessions"))
    found = places({**environment, **ours}, HOME, root="/said", sessions_root=Path("/said/s"))
    assert (found.store_root, found.sessions_root) == (Path("/said"), Path("/said/s"))
    found = places({"KIMI_CODE_HOME": "/host", "MEMBOUND_SESSIONS_ROOT": ""}, HOME)
    assert found.sessions_root == Path("/host/sessions")


def test_a_path_is_made_absolute() -> None:
    """Where a relative one was taken for one beside the package."""
    environment = {"MEMBOUND_WORKSPACE_ROOT": "memories", "KIMI_CODE_HOME": "~/host"}
    found = places(environment, HOME)
    assert found.store_root == Path.cwd() / "memories"
    assert found.sessions_root == HOME / "host" / "sessions"
    assert places({"MEMORY_STORE_ROOT": "~"}, HOME).store_root == HOME


@pytest.mark.parametrize("path", ["a\0b", "C:\\Users\\ada", "C:/Users/ada", "\ud800"])
def test_what_is_no_path_here_is_refused_by_the_name_of_its_variable(path: str) -> None:
    for name in ("MEMBOUND_WORKSPACE_ROOT", "MEMORY_SESSIONS_ROOT", "KIMI_CODE_HOME"):
        with pytest.raises(InvalidInputError, match=f"^{name}: expected a path"):
            places({name: path}, HOME)
    with pytest.raises(InvalidInputError, match=r"^root: expected a path"):
        places({}, HOME, root=path)


@pytest.mark.parametrize("path", ["", 7, ["x"]])
def test_what_is_no_path_at_all_is_refused(path: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^sessions_root: expected a path"):
        places({}, HOME, sessions_root=path)
