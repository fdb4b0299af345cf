"""Wire files as a host writes them: one record a line, and lines that are none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Record = dict[str, Any]
START = int(datetime(2026, 2, 20, 8, tzinfo=UTC).timestamp()) * 1_000


def wire(records: Iterable[Record | str]) -> bytes:
    """Return the bytes of a wire file; a text is a line as it is."""
    lines = (one if isinstance(one, str) else written(one) for one in records)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def written(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False)


def prompt(text: str, *, kind: str = "user", time: object = START) -> Record:
    parts = [{"type": "text", "text": text}]
    return {"type": "turn.prompt", "input": parts, "origin": {"kind": kind}, "time": time}


def steer(text: str) -> Record:
    return {"type": "turn.steer", "input": [{"type": "text", "text": text}]}


def event(kind: str, **fields: object) -> Record:
    inner = {"type": kind, **fields}
    return {"type": "context.append_loop_event", "event": inner, "time": START}


def step(uuid: str, **fields: object) -> Record:
    return event("step.begin", uuid=uuid, **fields)


def said(text: str, **fields: object) -> Record:
    return event("content.part", part={"type": "text", "text": text}, **fields)


def called(id: str, **fields: object) -> Record:
    return event("tool.call", **{"toolCallId": id, "name": "Bash", "args": {}, **fields})


def given(id: str, output: str) -> Record:
    return event("tool.result", toolCallId=id, result={"output": output})


def cancelled(number: int) -> Record:
    return {"type": "turn.cancel", "target": "queued", "turnId": number}


def undo(count: int) -> Record:
    return {"type": "context.undo", "count": count}


def compaction(summary: str) -> Record:
    return {"type": "context.apply_compaction", "summary": summary, "time": START}


CLEAR: Record = {"type": "context.clear"}


def a_session(turns: int, characters: int = 3_600) -> Iterator[Record]:
    """Yield a session in which everything is as it should be, of about 4.5 KB a turn."""
    yield {"type": "metadata", "protocol_version": "1.5", "created_at": START}
    output = "line of a file that a tool has read\n" * (characters // 72)
    for turn in range(turns):
        name, at = str(turn), START + turn * 60_000
        question = f"Question {turn}: how does part {turn % 7} retry?"
        yield prompt(question, time=at)
        message = {"role": "user", "content": [{"type": "text", "text": question}]}
        yield {"type": "context.append_message", "message": message, "time": at}
        for part in range(2):
            step_id = f"s{turn}.{part}"
            call = f"{step_id}c"
            yield step(step_id, turnId=name)
            yield said("thinking " * 20, turnId=name, stepUuid=step_id)
            yield called(call, turnId=name, args={"path": f"src/part{turn % 7}.rs"})
            yield given(call, output)
        yield said(f"Decided: part {turn % 7} waits.", turnId=name)
        yield {"type": "turn.ended", "turnId": turn, "reason": "completed", "time": at}


_NUMBERS = st.integers(0, 6)
_NAMES = st.sampled_from("abc")
_TEXTS = st.text("aé茶🚀\u2028", max_size=4)
_HOMES: st.SearchStrategy[Record] = st.one_of(
    st.just({}),
    _NUMBERS.map(lambda number: {"turnId": str(number)}),
    _NAMES.map(lambda name: {"stepUuid": name}),
)


def _homed(kind: Any, *values: st.SearchStrategy[str]) -> st.SearchStrategy[Record]:  # noqa: ANN401 — one of the makers above
    return st.builds(lambda home, *got: kind(*got, **home), _HOMES, *values)


_NONE = ["", "  ", "null", "[]", '"text"', "5", '{"type":', "garbage 茶"]
"""Lines that are no records."""

RECORDS = st.one_of(
    st.builds(prompt, _TEXTS, kind=st.sampled_from(["user", "user", "user", "cron_job"])),
    _homed(said, _TEXTS),
    st.builds(steer, _TEXTS),
    st.builds(step, _NAMES, turnId=_NUMBERS.map(str)),
    st.builds(step, _NAMES),
    _homed(called, _NAMES),
    st.builds(given, _NAMES, _TEXTS),
    st.builds(cancelled, _NUMBERS),
    st.builds(undo, st.integers(1, 3)),
    st.just(CLEAR),
    st.builds(compaction, st.text("xy", min_size=1, max_size=2)),
    st.sampled_from(_NONE),
)
"""Records in any order: hosts write few such files, and none may be misread."""


def _turn(number: int) -> st.SearchStrategy[list[Record | str]]:
    """Draw what a host writes of one turn, and what a person does after it."""
    name, uuid, call = str(number), f"s{number}", f"c{number}"
    inner = st.one_of(
        st.builds(said, _TEXTS, turnId=st.just(name)),
        st.builds(said, _TEXTS, stepUuid=st.just(uuid)),
        st.builds(said, _TEXTS),
        st.builds(steer, _TEXTS),
        _TEXTS.map(lambda text: given(call, text)),
        st.sampled_from(_NONE),
    )
    after = st.one_of(
        st.builds(undo, st.integers(1, 3)),
        st.just(CLEAR),
        st.builds(compaction, st.text("xy", min_size=1, max_size=2)),
    )
    begun = [step(uuid, turnId=name), called(call, stepUuid=uuid)]
    return st.builds(
        lambda asked, told, then: [asked, *begun, *told, *then],
        st.builds(prompt, _TEXTS, kind=st.sampled_from(["user", "user", "cron_job"])),
        st.lists(inner, max_size=4),
        st.lists(after, max_size=1),
    )


@st.composite
def _orderly(draw: st.DrawFn) -> list[Record | str]:
    """Draw a session as hosts write most of them."""
    records: list[Record | str] = []
    number = 0
    for is_cancelled in draw(st.lists(st.booleans(), max_size=6)):
        records += draw(_turn(number))
        number += 1
        if is_cancelled:
            records.append(cancelled(number))
            number += 1
    return records


ORDERLY_WIRES = _orderly().map(wire)
WIRES = st.lists(RECORDS, max_size=14).map(wire)
