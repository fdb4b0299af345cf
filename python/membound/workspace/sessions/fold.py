"""Records of a wire file, folded into turns by the host's own clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from membound.workspace.sessions.clock import Clock, clock_of, stacked
from membound.workspace.sessions.turn import Action, Compaction, Turn
from membound.workspace.sessions.wire import (
    Line,
    action,
    mapping,
    moment,
    name_of,
    result_text,
    texts,
    turn_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from membound.workspace.sessions.clock import State

__all__ = ["Fold"]

_COMPACTIONS: Final = 3
"""The last ones are kept."""
_TOLD: Final = ("step.begin", "content.part", "tool.call")
"""Events that belong to a turn."""
_SHELL: Final = "shell_command"
_PEOPLE: Final = (None, "user", _SHELL)
_COMMANDS: Final = ("skill_activation", "plugin_command")
_BY_HAND: Final = (None, "user-slash")


class _Open:
    """A turn that is still told of."""

    __slots__ = ("actions", "agent", "named", "timestamp", "user")

    def __init__(self) -> None:
        self.timestamp: str | None = None
        self.user: list[str] = []
        self.agent: list[str] = []
        self.actions: list[Action] = []
        self.named = False


class Fold:
    """Makes turns of lines.

    A prompt takes the next number, and an event with a later number moves the clock on. What has
    no number belongs to the turn of its step, or else to the one that runs. What a person withdrew
    is gone, with everything said since.

    Args:
        session_id: the session.
        clock: what was known before the first line that is fed; None for the start of the file.

    Attributes:
        start: where the line lies that began the last turn; 0 without one.
        reaches_back: whether a line tells of a turn from before the first line: only all lines
            together say what it means.
    """

    def __init__(self, session_id: str, clock: Clock | None = None) -> None:
        known = clock or Clock()
        self.start = 0
        self.reaches_back = False
        self._session_id = session_id
        self._whole = clock is None
        self._next = known.next
        self._live = stacked(known.live)
        self._undoable = stacked(known.undoable)
        self._withdrawn = stacked(known.withdrawn)
        self._gone = set(known.withdrawn)
        self._earlier = frozenset(known.live)
        self._compactions = known.compactions
        self._skipped = known.skipped
        self._before = self._state()
        self._at = 0
        self._current = -1
        self._turns: dict[int, _Open] = {}
        self._names: dict[str, int] = {}
        self._steps: dict[str, int] = {}
        self._calls: dict[str, tuple[int, int]] = {}

    def feed(self, line: bytes, at: int) -> None:
        """Takes the next line, which lies at a place of the file. It never raises.

        A last line without an end is taken when it is a record; until then it is being written.
        """
        self._at = at
        record = Line.read(line)
        if record is not None:
            if handle := self._RECORDS.get(record.type):
                handle(self, record)
        elif line.endswith(b"\n") and not line.isspace():
            self._skipped += 1

    def clock(self) -> Clock:
        """Gives what is known now."""
        return clock_of(self._state())

    def before(self) -> Clock:
        """Gives what was known before the line that began the last turn."""
        return clock_of(self._before)

    def turns(self) -> tuple[Turn, ...]:
        """Gives the turns that the lines told of and that stand, in the order of their numbers."""
        return tuple(
            Turn(
                session_id=self._session_id,
                turn_id=number,
                timestamp=turn.timestamp,
                user="\n".join(turn.user),
                agent="".join(turn.agent),
                actions=tuple(turn.actions),
            )
            for number, turn in sorted(self._turns.items())
        )

    def _state(self) -> State:
        return (
            self._next,
            self._live,
            self._undoable,
            self._withdrawn,
            self._compactions,
            self._skipped,
        )

    def _begin(self, number: int, *, undoable: bool = False) -> _Open:
        self.start, self._before = self._at, self._state()
        self._next = max(self._next, number + 1)
        self._live = (number, self._live)
        if undoable:
            self._undoable = (number, self._undoable)
        self._current = number
        turn = self._turns[number] = _Open()
        return turn

    def _prompt(self, record: Line) -> None:
        by_hand = _is_by_hand(record.origin)
        turn = self._begin(self._next, undoable=by_hand and not _is_shell(record.origin))
        turn.timestamp = moment(record.time)
        if by_hand:
            turn.user.extend(texts(record.input))

    def _steer(self, record: Line) -> None:
        if (turn := self._turns.get(self._current)) and _is_by_hand(record.origin):
            turn.user.extend(texts(record.input))

    def _cancel(self, record: Line) -> None:
        number = turn_number(record.turnId)
        if record.target == "queued" and number is not None:
            self._next = max(self._next, number + 1)

    def _undo(self, record: Line) -> None:
        count, first = record.count, None
        if isinstance(count, int) and not isinstance(count, bool):
            while count > 0 and self._undoable is not None:
                first, self._undoable = self._undoable
                count -= 1
        if first is not None:
            self._withdraw(first)

    def _clear(self, _: Line) -> None:
        self._undoable, self._compactions = None, ()
        self._withdraw(None)

    def _withdraw(self, first: int | None) -> None:
        """Withdraws the turns from one on, or all."""
        number = None
        while self._live is not None and (first is None or number != first):
            number, self._live = self._live
            self._turns.pop(number, None)
            self._withdrawn = (number, self._withdrawn)
            self._gone.add(number)

    def _compact(self, record: Line) -> None:
        self._undoable = None
        if isinstance(record.summary, str) and record.summary:
            told = Compaction(time=moment(record.time), summary=record.summary)
            self._compactions = (*self._compactions, told)[-_COMPACTIONS:]

    def _event(self, record: Line) -> None:
        event = mapping(record.event)
        kind = event.get("type")
        if kind == "tool.result":
            self._result(event)
        elif kind in _TOLD and (found := self._number_of(event)) is not None:
            number, turn = found
            if kind == "step.begin":
                self._step(event, number, turn, record.time)
            elif kind == "tool.call":
                self._call(event, number, turn)
            else:
                turn.agent.extend(texts([event.get("part")]))

    def _step(self, event: Mapping[str, object], number: int, turn: _Open, time: object) -> None:
        self._current = number
        if turn.timestamp is None:
            turn.timestamp = moment(time)
        if step := name_of(event.get("uuid")):
            self._steps[step] = number

    def _call(self, event: dict[str, object], number: int, turn: _Open) -> None:
        for call in map(name_of, (event.get("uuid"), event.get("toolCallId"))):
            if call:
                self._calls[call] = (number, len(turn.actions))
        turn.actions.append(action(event))

    def _result(self, event: Mapping[str, object]) -> None:
        ids = [name_of(event.get("toolCallId")), name_of(event.get("parentUuid"))]
        for number, at in (self._calls[id] for id in ids if id in self._calls):
            if turn := self._turns.get(number):
                text = result_text(event.get("result"))
                turn.actions[at] = msgspec.structs.replace(turn.actions[at], result=text)
            return
        self._miss()

    def _number_of(self, event: Mapping[str, object]) -> tuple[int, _Open] | None:
        """Gives the turn that an event belongs to; None where it was withdrawn, or is not known."""
        given = event.get("turnId")
        number = turn_number(given)
        if number is None:
            name, step = name_of(given), name_of(event.get("stepUuid"))
            number = self._named(name) if name else self._of_step(step)
        elif number not in self._turns and number not in self._gone:
            if number in self._earlier:
                self._miss()
            else:
                self._begin(number)
        turn = self._turns.get(number)
        return None if turn is None else (number, turn)

    def _of_step(self, step: str | None) -> int:
        """Gives the turn of a step, or else the one that runs."""
        if step is None or step in self._steps:
            return self._steps[step] if step else self._current
        self._miss()
        return self._current

    def _named(self, name: str) -> int:
        """Gives the turn of a name that is no number: the one that runs, unless it has another."""
        if name not in self._names:
            self._miss()
            turn = self._turns.get(self._current)
            if turn is None or turn.named:
                turn = self._begin(self._next)
            turn.named = True
            self._names[name] = self._current
        return self._names[name]

    def _miss(self) -> None:
        """Notes that a line tells of what the lines before it did not."""
        self.reaches_back = self.reaches_back or not self._whole

    _RECORDS: ClassVar[Mapping[str, Callable[[Fold, Line], None]]] = {
        "turn.prompt": _prompt,
        "turn.steer": _steer,
        "turn.cancel": _cancel,
        "context.undo": _undo,
        "context.clear": _clear,
        "context.apply_compaction": _compact,
        "context.append_loop_event": _event,
    }


def _is_by_hand(origin: object) -> bool:
    """Tells whether a person asked, rather than the host itself."""
    fields = mapping(origin)
    kind = fields.get("kind")
    return kind in _PEOPLE or (kind in _COMMANDS and fields.get("trigger") in _BY_HAND)


def _is_shell(origin: object) -> bool:
    """Tells whether a person ran a command, which an undo does not count."""
    return mapping(origin).get("kind") == _SHELL
