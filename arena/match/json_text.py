"""Strict parsing of JSON texts (RFC 8259), and the difference of two JSON values.

Python's reader accepts more: NaN, UTF-16, and repeated members, of which it keeps the last.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn, TypeAlias

from arena.validation_errors import path_text

JsonPath: TypeAlias = tuple[int | str, ...]
Difference: TypeAlias = tuple[JsonPath, tuple[Any] | None, tuple[Any] | None]
"""(path, first value there, second value there); each value is a 1-tuple, or None if missing."""

_MINUS_ZERO: Final = re.compile(r"(?<![^\s:,\[])-0(?![\d.eE])")
"""Finds every number -0, and some texts that look like it."""


class JsonTextError(ValueError):
    """Bytes are not a valid JSON text; the message says why."""


class _Twice(dict[str, Any]):
    """A JSON object with a repeated member."""

    name: str


def parse(text: bytes) -> Any:
    """Return the value of a JSON text. Raises JsonTextError."""
    repeated: list[_Twice] = []

    def members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        twice = _Twice(pairs)
        seen = set[str]()
        for twice.name, _ in pairs:
            if twice.name in seen:
                break
            seen.add(twice.name)
        repeated.append(twice)
        return twice

    try:
        decoded = _decoded(text)
        value = json.loads(
            decoded,
            object_pairs_hook=members,
            parse_constant=_refuse_constant,
            # `parse_int` makes parsing slower, so it is used only if a -0 may occur.
            parse_int=_whole if _MINUS_ZERO.search(decoded) else None,
        )
        if repeated:
            where = path_text((*_path_to(repeated[0], value), repeated[0].name))
            raise JsonTextError(f"{where} occurs twice")
    except json.JSONDecodeError as error:
        raise JsonTextError(
            f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from error
    except RecursionError:
        raise JsonTextError("lists or objects are nested too deeply") from None
    except JsonTextError:
        raise
    except ValueError as error:  # Python refuses numbers of more than a few thousand digits
        raise JsonTextError("it holds a number of thousands of digits") from error
    return value


def _decoded(text: bytes) -> str:
    if not text.strip():
        raise JsonTextError("the text is empty")
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise JsonTextError("not JSON: the text is UTF-16; allowed is UTF-8")
    if text.startswith(b"\xef\xbb\xbf"):
        raise JsonTextError("not JSON: the text begins with a byte order mark; allowed is none")
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonTextError(f"not JSON: byte {error.start + 1} is not UTF-8") from error


def _whole(digits: str) -> int:
    if digits == "-0":
        raise JsonTextError("found -0; allowed is 0")
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise JsonTextError(f"not JSON: found {name}; allowed are numbers")


def _path_to(target: object, value: Any, path: JsonPath = ()) -> JsonPath:
    """Return the path of the object `target` inside `value`; () if `value` is the target itself."""
    if value is not target:
        for key, inner in _entries(value):
            found = _path_to(target, inner, (*path, key))
            if found:
                return found
        return ()
    return path


def _entries(value: Any) -> Sequence[tuple[int | str, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else ()


def difference(one: Any, other: Any, path: JsonPath = ()) -> Difference | None:
    """Return the first place where two JSON values at a path differ in type or value.

    None if they are equal.
    """
    if type(one) is not type(other):
        return path, (one,), (other,)
    if isinstance(one, dict):
        keys: Sequence[int | str] = list(one | other)
    elif isinstance(one, list):
        keys = range(max(len(one), len(other)))
    else:
        return None if one == other else (path, (one,), (other,))
    for key in keys:
        here, there = _at(one, key), _at(other, key)
        if here is None or there is None:
            return (*path, key), here, there
        found = difference(here[0], there[0], (*path, key))
        if found is not None:
            return found
    return None


def _at(value: Any, key: Any) -> tuple[Any] | None:
    there = key in value if isinstance(value, dict) else key < len(value)
    return (value[key],) if there else None
