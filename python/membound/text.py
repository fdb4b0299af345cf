"""Text that callers pass, made fit to be encoded."""

from __future__ import annotations

__all__ = ["well_formed"]


def well_formed(text: str) -> str:
    """Joins surrogate pairs and replaces lone surrogates by U+FFFD, which no word contains."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
