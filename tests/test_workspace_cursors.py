"""Cursors: what one stands for is read back, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membound.errors import InvalidInputError
from membound.workspace.cursors import cursor_of, key_of
from membound.workspace.search import Key


@given(st.floats(0, 1), st.integers(-(2**53), 2**53), st.text())
def test_a_cursor_is_read_back(score: float, updated: int, id: str) -> None:
    key = Key(score, updated, id)
    assert key_of(cursor_of(key), Key) == key


@given(st.one_of(st.text(), st.integers(), st.none(), st.binary().map(lambda b: b.hex())))
def test_anything_else_is_refused_by_name(made_up: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^cursor: expected the next_cursor"):
        key_of(made_up, Key)
