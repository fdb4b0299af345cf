"""Groups of turns: by time and shared terms, the same for the same turns, with reasons."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from membound.times import timestamp
from membound.workspace.detector import Candidate, Group, grouped
from membound.workspace.refine import refined
from membound.workspace.sessions.turn import Action, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

START = datetime(2026, 2, 20, 8, tzinfo=UTC)


def candidate(
    number: int,
    user: str,
    *,
    session: str = "a",
    minutes: float | None = 0,
    score: float = 1,
    files: tuple[str, ...] = (),
) -> Candidate:
    turn = Turn(
        session_id=f"session_{session}",
        turn_id=number,
        timestamp=None if minutes is None else timestamp(START + timedelta(minutes=minutes)),
        user=user,
        actions=(Action(name="Edit", files=files),) if files else (),
    )
    return Candidate(turn=turn, refined=refined(turn), score=score)


def places(groups: Sequence[Group]) -> list[list[tuple[str, int]]]:
    return [[(one.session_id[-1], one.turn_id) for one in group.members] for group in groups]


def test_turns_close_in_time_that_share_a_term_stand_together() -> None:
    groups = grouped(
        [
            candidate(1, "retry with jitter", minutes=0, score=3),
            candidate(2, "cap of the jitter", minutes=5),
            candidate(9, "retry of payments", minutes=600, score=2),
        ],
        ["retry"],
    )
    assert places(groups) == [[("a", 1), ("a", 2)], [("a", 9)]]
    assert groups[0].terms == ("jitter",)
    assert (groups[0].first, groups[0].last) == (
        "2026-02-20T08:00:00.000Z",
        "2026-02-20T08:05:00.000Z",
    )
    assert groups[0].reasons == (
        "share the terms jitter",
        "1 follow the one before in its session within 30 minutes",
    )
    assert groups[1].reasons == ("stands by itself: it shares too little with the others",)


def test_turns_of_other_sessions_that_share_several_terms_stand_together() -> None:
    groups = grouped(
        [
            candidate(1, "retry backoff jitter queue", session="a"),
            candidate(1, "jitter of the backoff queue", session="b", minutes=9_000),
        ]
    )
    assert places(groups) == [[("a", 1), ("b", 1)]]
    assert groups[0].terms == ("backoff", "jitter", "queue")
    assert "come from 2 sessions" in groups[0].reasons


def test_the_seed_alone_brings_no_turns_together() -> None:
    groups = grouped([candidate(1, "retry"), candidate(2, "retry")], ["retry"])
    assert places(groups) == [[("a", 1)], [("a", 2)]]


def test_words_that_every_text_has_bring_no_turns_together() -> None:
    texts = ("what about the cache, please?", "what about the frost, please?")
    groups = grouped([candidate(at, text) for at, text in enumerate(texts)])
    assert len(groups) == 2


def test_a_term_that_most_turns_have_brings_none_together() -> None:
    texts = ("orchard frost", "orchard queue", "orchard cache", "orchard retry")
    assert len(grouped([candidate(at, text) for at, text in enumerate(texts)])) == 4


def test_turns_that_change_one_file_share_it() -> None:
    file = ("src/retry.rs",)
    groups = grouped([candidate(1, "one", files=file), candidate(2, "other", files=file)])
    assert groups[0].files == file
    assert "name the files src/retry.rs" in groups[0].reasons


def test_chinese_turns_share_pairs_of_characters() -> None:
    groups = grouped([candidate(1, "重试的抖动"), candidate(2, "抖动太大")], ["重试"])
    assert groups[0].terms == ("抖动",)


def test_turns_without_times_are_close_to_their_neighbours() -> None:
    texts = {1: "jitter here", 2: "jitter there", 9: "jitter elsewhere"}
    found = grouped([candidate(at, text, minutes=None) for at, text in texts.items()])
    assert places(found) == [[("a", 1), ("a", 2)], [("a", 9)]]
    assert (found[0].first, found[0].last) == (None, None)


def test_a_turn_that_was_found_twice_counts_once_with_its_better_score() -> None:
    (group,) = grouped([candidate(1, "jitter", score=1), candidate(1, "jitter", score=2)])
    assert [one.score for one in group.members] == [2]


def test_no_turns_have_no_groups() -> None:
    assert grouped([], ["retry"]) == ()


WORDS = ["jitter", "frost", "queue", "cache", "抖动", "霜冻"]
CANDIDATES = st.builds(
    candidate,
    st.integers(0, 5),
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
    session=st.sampled_from("ab"),
    minutes=st.none() | st.integers(0, 90),
    score=st.integers(0, 3),
)


@given(
    st.lists(CANDIDATES, max_size=8, unique_by=lambda one: (one.turn.session_id, one.turn.turn_id)),
    st.randoms(),
)
def test_the_same_turns_give_the_same_groups(found: list[Candidate], random: object) -> None:
    groups = grouped(found, ["queue"])
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert grouped(shuffled, ["queue"]) == groups
    members = [(one.session_id, one.turn_id) for group in groups for one in group.members]
    assert sorted(members) == sorted((one.turn.session_id, one.turn.turn_id) for one in found)
    assert all(group.reasons for group in groups)
    assert [group.score for group in groups] == sorted((g.score for g in groups), reverse=True)
    assert msgspec.json.decode(msgspec.json.encode(groups), type=tuple[Group, ...]) == groups
