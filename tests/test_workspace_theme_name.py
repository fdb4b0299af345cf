"""The names of themes and of their files: safe, as peers give them, and never shared."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidNameError
from membound.workspace.paths import folded
from membound.workspace.theme_name import checked_name, stems, theme_path

FIXTURES = Path(__file__).parent.parent / "fixtures" / "workspace" / "cache"
VECTORS: list[dict[str, str]] = json.loads((FIXTURES / "sanitize_key.json").read_text("utf-8"))
HOSTILE = [
    "../index", "../../../../victim", "..", ".", ".hidden", "/etc/passwd", "C:\\x", "CON", "nul.x",
    "a/b", "dot.", " x ", "🚀" * 100, "茶" * 120, "é", "Foo", "foo", "a:b", "a b", "a_b", "~", "-",
]  # fmt: skip


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: repr(vector["in"][:12]))
def test_a_file_has_the_name_that_peers_give_it(vector: dict[str, str]) -> None:
    """Unless the name is none that a file of ours has; D2 and W27: ``..`` for one."""
    name, expected = vector["in"], vector["out"]
    if not name.strip() or "\t" in name:
        with pytest.raises(InvalidNameError):
            checked_name(name)
    elif expected == "..":
        assert ".." not in next(stems(checked_name(name)))
    elif len(expected.encode()) > 200:
        assert len(next(stems(checked_name(name))).encode()) <= 200
    else:
        assert next(stems(checked_name(name))) == expected


@pytest.mark.parametrize(
    "name", [None, 7, "", "  ", "a\0b", "a\nb", "a\u2028b", "\ud800", "x" * 201]
)
def test_what_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(InvalidNameError, match="theme: expected text of 1 to 200 characters"):
        checked_name(name)


@given(st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1)))
def test_every_file_is_one_in_the_folder_of_themes(name: str) -> None:
    try:
        plain = checked_name(name)
    except InvalidNameError:
        return
    for stem in islice(stems(plain), 3):
        path = theme_path(stem)
        assert path.split("/") == ["themes", f"{stem}.json"]
        assert not set(stem) & set('/\\:*?"<>|\0\n')
        assert stem.strip(".") == stem
        assert len(path.encode()) < 240


@given(st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1)), unique=True))
def test_the_longer_names_of_two_themes_differ(names: list[str]) -> None:
    """W10: also where a file system takes no notice of case."""
    plain = set()
    for name in names:
        try:
            plain.add(checked_name(name))
        except InvalidNameError:
            continue
    longer = [stem for name in plain for stem in islice(stems(name), 1, 3)]
    assert len({folded(stem) for stem in longer}) == 2 * len(plain)
