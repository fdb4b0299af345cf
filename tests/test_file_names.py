"""File names: every id has one, it is safe, and it leads back to the id."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.file_names import file_name, record_id

ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", fullmatch=True)
DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


@given(ids | st.text(min_size=1) | st.text(":.%=/\\~\0", min_size=1))
def test_a_name_leads_back_to_its_id(id: str) -> None:
    name = file_name(id)
    assert record_id(name) == id
    assert re.fullmatch(r"[A-Za-z0-9_%-][A-Za-z0-9._%=-]*\.json", name)
    assert not DEVICES.fullmatch(name)


@given(st.text() | st.from_regex(r"%?[A-Za-z0-9.%=:-]{1,12}\.json", fullmatch=True))
def test_only_the_one_name_of_an_id_is_a_name(name: str) -> None:
    id = record_id(name)
    assert id is None or file_name(id) == name


@given(ids)
def test_every_valid_id_fits_a_file_system(id: str) -> None:
    assert len(file_name(id)) <= 255


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("mem_1-A", "mem_1-A.json"),
        ("9a", "9a.json"),
        ("a.b", "a.b.json"),
        ("a.json", "a.json.json"),
        ("a:b", "a%3Ab.json"),
        ("a.", "a%2E.json"),
        (".a", "%2Ea.json"),
        ("..", "%2E%2E.json"),
        ("../a", "%2E.%2Fa.json"),
        ("con", "%63on.json"),
        ("NUL.txt", "%4EUL.txt.json"),
        ("console", "console.json"),
        ("é", "%C3%A9.json"),
        ("a" + ":" * 127, "%=a" + "=" * 127 + ".json"),
    ],
)
def test_the_names_that_are_on_disks(id: str, name: str) -> None:
    assert file_name(id) == name
    assert record_id(name) == id


def test_no_id_has_no_name() -> None:
    with pytest.raises(InvalidInputError):
        file_name("")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".json",
        "a",
        "a.txt",
        "%61.json",
        "a%3ab.json",
        "a b.json",
        "%=a.json",
        "%FF.json",
        "\udcff.json",
    ],
)
def test_other_names_have_no_id(name: str) -> None:
    assert record_id(name) is None
