"""Long text in pieces: nothing is lost, and each fits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from membound.workspace.pieces import PIECE_CHARACTERS, pieces

words = st.sampled_from(["walnut ", "\n\n", "\n# Oak\n", "长城", "x" * 3_000, "\n", "a b c d "])


@given(st.lists(words, max_size=40).map("".join))
def test_the_pieces_are_the_text_and_each_fits(text: str) -> None:
    found = list(pieces(text))
    assert "".join(found) == text
    assert all(len(piece) <= PIECE_CHARACTERS for piece in found)
    assert all(len(piece) >= PIECE_CHARACTERS // 2 for piece in found[:-1])


def test_a_piece_ends_before_a_heading_that_comes_late_enough() -> None:
    text = "a " * 2_500 + "\n# Second\n" + "b " * 3_000
    first, second = pieces(text)
    assert first.endswith("a \n")
    assert second.startswith("# Second\n")
