"""Strict JSON: what every reader of it understands alike, or a refusal that says where."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from membound.errors import InvalidRecordError
from membound.excerpt import excerpt

__all__ = ["json_object", "json_value"]


def json_object(data: bytes | str) -> dict[str, Any]:
    """Reads strict JSON: UTF-8, one object, no key twice, every number finite.

    Raises:
        InvalidRecordError: saying what is wrong and where.
    """
    tree = json_value(data)
    if not isinstance(tree, dict):
        raise InvalidRecordError("record", "an object", excerpt(tree))
    return tree


def json_value(data: bytes | str) -> Any:  # noqa: ANN401 — any JSON value
    """Reads strict JSON as `json_object` does, whatever its value.

    Raises:
        InvalidRecordError: saying what is wrong and where.
    """
    try:
        return _DECODER.decode(data if isinstance(data, str) else str(data, "utf-8"))
    except InvalidRecordError:
        raise
    except UnicodeDecodeError as fault:
        _refuse(f"bytes that are not UTF-8 at position {fault.start}")
    except json.JSONDecodeError as fault:
        _refuse(f"{fault.msg} at line {fault.lineno} column {fault.colno}")
    except RecursionError:
        _refuse("nesting that is too deep")
    except ValueError:
        _refuse("a number of too many digits")
    except TypeError:
        _refuse(excerpt(data))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidRecordError("record", "every key once", f"{excerpt(twice)} twice")
    return tree


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        _refuse("a number out of range")
    return number


def _refuse(got: str) -> NoReturn:
    raise InvalidRecordError("record", "a JSON text", got) from None


def _refuse_constant(name: str) -> NoReturn:
    _refuse(name)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once,
    parse_float=_finite,
    parse_constant=_refuse_constant,
)
