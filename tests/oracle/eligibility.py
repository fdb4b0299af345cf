"""Who may be considered: scope, agent, lifecycle, supersession, purpose and request filters."""

from __future__ import annotations

import ntpath
import posixpath
import re
import unicodedata
from typing import Any

from tests.oracle.dates import milliseconds, observed_at
from tests.oracle.tokens import SPACES, Record, comparable

ALL_SCOPES = ("user", "workspace", "project")


def normal_path(path: str | None) -> str | None:
    trimmed = (path or "").strip(SPACES)
    if not trimmed:
        return None
    if re.match(r"[A-Za-z]:[\\/]|\\\\[^\\/]", trimmed):
        return ntpath.normpath(trimmed).upper()
    normal = posixpath.normpath(trimmed)
    return "/" + normal.lstrip("/") if normal.startswith("/") else normal


def first_present(*values: str | None) -> str | None:
    """Return the first that is given; an empty text is given."""
    return next((value for value in values if value is not None), None)


def same_path(one: str | None, other: str | None) -> bool:
    return normal_path(one) is not None and normal_path(one) == normal_path(other)


def agent_visible(context: dict[str, Any] | None, access: dict[str, Any]) -> bool:
    agent = access.get("agent")
    if context is None or agent is None:
        return context is None and agent is None
    if context["agentId"] != agent["agentId"]:
        return False
    root = first_present(access.get("project"), access.get("workspace"), "")
    if (
        agent.get("manage")
        or context.get("shared")
        or (agent.get("conversationId") or "") in context.get("sharedConversationIds", [])
        or root in context.get("sharedProjectRoots", [])
    ):
        return True
    for source, key in (("sourceTaskId", "taskId"), ("sourceHandoffId", "handoffId")):
        if context.get(source):
            return bool(context[source] == agent.get(key))
    return bool(context.get("sourceConversationId") == agent.get("conversationId"))


def in_scope(record: Record, access: dict[str, Any], allowed: tuple[str, ...] = ALL_SCOPES) -> bool:
    if not agent_visible(record.get("agentContext"), access) or record["scope"] not in allowed:
        return False
    if record["scope"] == "user":
        return True
    if record["scope"] == "workspace":
        return same_path(record.get("workspace"), access.get("workspace"))
    if record.get("projectIdentity") is not None:
        return same_path(record["projectIdentity"], access.get("project_identity"))
    return same_path(
        first_present(record.get("project"), record.get("workspace")),
        first_present(access.get("project"), access.get("workspace")),
    )


def lifecycle(record: Record, now: int) -> str:
    for field, state in (
        ("deletedAt", "deleted"),
        ("disabledAt", "disabled"),
        ("supersededAt", "superseded"),
    ):
        if record.get(field):
            return state
    start = milliseconds(record.get("validFrom"))
    if start is not None and start > now:
        return "not-yet-valid"
    for field in ("validTo", "expiresAt"):
        end = milliseconds(record.get(field))
        if end is not None and end <= now:
            return "expired"
    return "active"


def without_superseded(eligible: list[Record]) -> list[Record]:
    replaced = {record.get("supersedes") for record in eligible}
    return [record for record in eligible if record["id"] not in replaced]


def one_or_many(value: str | list[str] | None) -> list[str] | None:
    return [value] if isinstance(value, str) else value


def lies_within(record: Record, folder: str) -> bool:
    asked = unicodedata.normalize("NFC", folder)
    files = [source for source in record["sources"] if source["kind"] == "file"]
    paths = [unicodedata.normalize("NFC", one["locator"]) for one in files if "locator" in one]
    return any(path == asked or path.startswith(f"{asked}/") for path in paths)


def was_observed(record: Record, since: str | None, until: str | None) -> bool:
    observed = observed_at(record)
    start, end = milliseconds(since), milliseconds(until)
    if observed is None:
        return start is None and end is None
    return (start is None or start <= observed) and (end is None or observed < end)


def wanted(record: Record, request: dict[str, Any]) -> bool:
    if request.get("within") is not None and not lies_within(record, request["within"]):
        return False
    if not was_observed(record, request.get("since"), request.get("until")):
        return False
    for field in ("scope", "type", "authority"):
        allowed = one_or_many(request.get(field))
        if allowed is not None and record[field] not in allowed:
            return False
    carried = {comparable(tag) for tag in record["tags"]}
    return all(comparable(tag) in carried for tag in request.get("tags") or [])


def candidates(
    records: list[Record], request: dict[str, Any], policy: dict[str, Any], now: int
) -> tuple[list[Record], dict[str, int]]:
    """Return what may be ranked and how many each stage took away."""
    records = records if policy["enabled"] else []
    scoped = [r for r in records if in_scope(r, request, tuple(policy["scopes"]))]
    least = request.get("min_confidence", 0.0)
    active = [r for r in scoped if lifecycle(r, now) == "active" and r["confidence"] >= least]
    current = without_superseded(active)
    tool = request.get("purpose") == "tool"
    meant = [r for r in current if tool or r["authority"] != "directive"]
    left = [r for r in meant if wanted(r, request)]
    counts = {
        "scope": len(records) - len(scoped),
        "lifecycle": len(scoped) - len(current),
        "purpose": len(current) - len(meant),
        "request": len(meant) - len(left),
    }
    return left, counts
