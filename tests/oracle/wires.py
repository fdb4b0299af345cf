"""The slow, obvious reading of a wire file: all lines, one rule after the other."""

from __future__ import annotations

import json
from typing import Any

Record = dict[str, Any]


class Reading:
    """What the lines so far say."""

    def __init__(self) -> None:
        self.turns: dict[int, Record] = {}  # in the order in which they began
        self.gone: set[int] = set()
        self.by_hand: list[int] = []
        self.summaries: list[str] = []
        self.steps: dict[str, int] = {}
        self.calls: dict[str, tuple[int, int]] = {}
        self.clock = 0
        self.current = -1
        self.skipped = 0

    def begin(self, number: int) -> Record:
        self.clock = max(self.clock, number + 1)
        self.current = number
        turn = self.turns[number] = {"user": [], "agent": "", "actions": []}
        return turn

    def withdraw_from(self, at: int) -> None:
        for number in list(self.turns)[at:]:
            self.gone.add(number)
            del self.turns[number]

    def take(self, record: Record) -> None:
        kind = record["type"]
        if kind == "context.append_loop_event":
            self.happened(record["event"])
        elif kind in ("turn.prompt", "turn.steer"):
            self.asked(record)
        elif kind == "turn.cancel":
            self.clock = max(self.clock, record["turnId"] + 1)
        elif kind == "context.undo":
            if self.by_hand:
                first = self.by_hand[-record["count"] :][0]
                self.by_hand = self.by_hand[: self.by_hand.index(first)]
                self.withdraw_from(list(self.turns).index(first))
        elif kind == "context.clear":
            self.by_hand, self.summaries = [], []
            self.withdraw_from(0)
        elif kind == "context.apply_compaction":
            self.by_hand = []
            self.summaries = [*self.summaries, record["summary"]][-3:]

    def asked(self, record: Record) -> None:
        text = record["input"][0]["text"]
        if record["type"] == "turn.steer":
            if self.current in self.turns:
                self.turns[self.current]["user"].append(text)
            return
        turn = self.begin(self.clock)
        if record["origin"]["kind"] == "user":
            self.by_hand.append(self.current)
            turn["user"].append(text)

    def happened(self, event: Record) -> None:
        if event["type"] == "tool.result":
            number, place = self.calls.get(event["toolCallId"], (-1, 0))
            if number in self.turns:
                self.turns[number]["actions"][place] = "success: " + event["result"]["output"]
            return
        number = self.home(event)
        if number not in self.turns:
            return
        turn = self.turns[number]
        if event["type"] == "step.begin":
            self.current = self.steps[event["uuid"]] = number
        elif event["type"] == "tool.call":
            self.calls[event["toolCallId"]] = (number, len(turn["actions"]))
            turn["actions"].append("")
        else:
            turn["agent"] += event["part"]["text"]

    def home(self, event: Record) -> int:
        if "turnId" not in event:
            return self.steps.get(event.get("stepUuid", ""), self.current)
        number = int(event["turnId"])
        if number not in self.turns and number not in self.gone:
            self.begin(number)
        return number


def told(data: bytes) -> Record:
    """Return the turns of a wire file, those withdrawn, the last summaries, and lines skipped."""
    reading = Reading()
    *lines, rest = data.split(b"\n")
    for line in (*lines, rest):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict):
            reading.take(record)
        elif line.strip() and line is not rest:
            reading.skipped += 1
    turns = reading.turns.items()
    return {
        "turns": {n: {**turn, "user": "\n".join(turn["user"])} for n, turn in turns},
        "gone": reading.gone,
        "summaries": reading.summaries,
        "skipped": reading.skipped,
    }
