"""JSON as people write it: one entry of an object set or taken out, and every other byte kept.

Comments and trailing commas are let stand. What is put in follows the layout of what is there, and
taking it out again gives the text from before.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from membound.errors import InternalError, InvalidInputError
from membound.excerpt import excerpt
from membound.mcp.json_nodes import COMMENT, Member, Node, gap, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["entry_of", "with_entry", "without_entry"]

_SPACE: Final = " \t\r\n"


def entry_of(text: str, section: str, name: str) -> object:
    """Gives what an entry of the section holds; None where there is none.

    Raises:
        InvalidInputError: the text is no JSON, or the section no object.
    """
    _, servers = _section(text, section)
    own = None if servers is None else _member(servers.node, name)
    return None if own is None else own.node.value


def with_entry(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """Gives the text with the entry, in the place of the one of that name if there is one.

    Raises:
        InvalidInputError: the text is no JSON, or the section no object.
    """
    text = text if text.strip(_SPACE) else "{}\n"  # a new file
    root, servers = _section(text, section)
    if servers is None:
        changed = _inserted(text, root, root, section, {name: entry})
    elif (own := _member(servers.node, name)) is None:
        changed = _inserted(text, root, servers.node, name, entry)
    else:
        margin = _margin(text, own.start)
        shown = _shown(text, root, entry, margin if "\n" in _before(text, own.start) else None)
        changed = text[: own.node.start] + shown + text[own.end :]
    if entry_of(changed, section, name) != entry:
        raise InternalError(f"an entry of {section} was not put in; the file is left as it is")
    return changed


def without_entry(text: str, section: str, name: str) -> str:
    """Gives the text without the entry; with it goes the section that was made for it alone.

    Raises:
        InvalidInputError: the text is no JSON, or the section no object.
    """
    root, servers = _section(text, section)
    own = None if servers is None else _member(servers.node, name)
    if servers is None or own is None:
        return text
    # Where a section was there, but empty, the entry stands right behind the brace.
    made = _alone(text, servers.node)
    changed = _removed(text, root, servers) if made else _removed(text, servers.node, own)
    if entry_of(changed, section, name) is not None:
        raise InternalError(f"an entry of {section} was not taken out; the file is left as it is")
    return changed


def _section(text: str, section: str) -> tuple[Node, Member | None]:
    """Gives the root and the section in it."""
    root = parsed(text if text.strip(_SPACE) else "{}")
    if not isinstance(root.value, dict):
        raise InvalidInputError("JSON", "an object", excerpt(root.value))
    found = _member(root, section)
    if found is not None and not isinstance(found.node.value, dict):
        raise InvalidInputError(section, "an object", excerpt(found.node.value))
    return root, found


def _member(node: Node, name: str) -> Member | None:
    found = [member for member in node.members if member.name == name]
    if len(found) > 1:
        raise InvalidInputError(name, "one member of that name", f"{len(found):,}")
    return found[0] if found else None


def _inserted(text: str, root: Node, node: Node, name: str, value: Mapping[str, object]) -> str:
    """Puts a member behind the last one of an object."""
    line_end = _line_end(text)
    inner = _margin(text, node.start) + _unit(text, root)
    if not node.members:
        apart = node is root and node.end - node.start == len("{}")
        shown = _shown(text, root, value, inner if node is root else None)
        put = f"{json.dumps(name)}: {shown}"
        if apart:
            put = f"{line_end}{inner}{put}{line_end}"
        return text[: node.start + 1] + put + text[node.start + 1 :]
    last = node.members[-1]
    comma = gap(text, last.end)
    trailing = text[comma] == ","
    tail = comma + 1 if trailing else last.end
    comments = list(COMMENT.finditer(text, tail, node.end - 1)) if tail < node.end - 1 else []
    place = comments[-1].end() if comments else tail
    before = _before(text, last.start)
    apart = "\n" in before or any(found[0].startswith("//") for found in comments)
    margin = before[before.rindex("\n") + 1 :] if "\n" in before else inner
    shown = _shown(text, root, value, margin if apart or node is root else None)
    put = (f"{line_end}{margin}" if apart else " ") + f"{json.dumps(name)}: {shown}"
    if trailing:
        return f"{text[:place]}{put},{text[place:]}"
    return f"{text[: last.end]},{text[last.end : place]}{put}{text[place:]}"


def _removed(text: str, node: Node, member: Member) -> str:
    """Takes a member out of an object, with one comma and the white space before its name."""
    if _alone(text, node):
        return text[: node.start + 1] + text[node.end - 1 :]
    at = node.members.index(member)
    comma = gap(text, member.end)
    followed = text[comma] == ","
    rest = comma + 1 if followed else member.end
    start = member.start - len(_before(text, member.start))
    behind = node.members[at - 1].end if at else node.start + 1
    for comment in COMMENT.finditer(text, behind, member.start):
        if comment.end() >= start:
            start = comment.end()  # blanks at the end of a comment are of it
            if comment[0].startswith("//") and not text.startswith(("\n", "\r\n"), rest):
                start = member.start  # what is left must not become part of it
    kept = text[:start], text[member.end : comma] if followed else "", text[rest:]
    if not followed and at:
        previous = gap(text, behind)
        kept = (text[:previous] + text[previous + 1 : start], *kept[1:])
    return "".join(kept)


def _alone(text: str, node: Node) -> bool:
    """Tells whether an object has one member that stands apart from both braces, and no more."""
    if len(node.members) != 1:
        return False
    (member,) = node.members
    around = text[node.start + 1 : member.start], text[member.end : node.end - 1]
    return bool(around[0]) and not "".join(around).strip(_SPACE)


def _shown(text: str, root: Node, value: Mapping[str, object], margin: str | None) -> str:
    """Writes a value, on lines of its own where there is a margin."""
    if margin is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text, root)).split("\n")
    return (_line_end(text) + margin).join(lines)


def _unit(text: str, root: Node) -> str:
    """Gives the step by which the text is indented."""
    if root.members and "\n" in (before := _before(text, root.members[0].start)):
        return before[before.rindex("\n") + 1 :] or "  "
    return "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _margin(text: str, at: int) -> str:
    """Gives the white space at the head of a line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _before(text: str, at: int) -> str:
    """Gives the white space that ends at a place."""
    start = at
    while start and text[start - 1] in _SPACE:
        start -= 1
    return text[start:at]
