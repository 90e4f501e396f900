"""JSON texts as RFC 8259 has them, and what differs between two JSON values.

Python's reader takes more than that: NaN, UTF-16, and of a member that is there twice the last.
"""

import json
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

from arena.games.validation_errors import path_text

JsonPath: TypeAlias = tuple[int | str, ...]
Difference: TypeAlias = tuple[JsonPath, tuple[Any] | None, tuple[Any] | None]
"""Where, and what stands there in the one and in the other value; None is nothing at all."""


class JsonTextError(ValueError):
    """Bytes that are no JSON text; the message says why."""


class _Twice(dict[str, Any]):
    """An object with a member that is there twice."""

    name: str


def parse(text: bytes) -> Any:
    """The value of a JSON text. Raises JsonTextError."""
    repeated: list[_Twice] = []

    def members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        twice = _Twice(pairs)
        names = [name for name, _ in pairs]
        twice.name = next(name for name in names if names.count(name) > 1)
        repeated.append(twice)
        return twice

    try:
        value = json.loads(
            _decoded(text), object_pairs_hook=members, parse_constant=_refuse_constant
        )
        if repeated:
            where = path_text((*_path_to(repeated[0], value), repeated[0].name))
            raise JsonTextError(f"{where} is there twice")
    except json.JSONDecodeError as error:
        raise JsonTextError(
            f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from error
    except RecursionError:
        raise JsonTextError("not a transcript: lists or objects are nested too deeply") from None
    except JsonTextError:
        raise
    except ValueError as error:  # Python reads no number of more than some thousand digits
        raise JsonTextError("not a transcript: it holds a number of thousands of digits") from error
    return value


def _decoded(text: bytes) -> str:
    if not text.strip():
        raise JsonTextError("there is nothing in it")
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise JsonTextError("not JSON: the text is UTF-16; allowed is UTF-8")
    if text.startswith(b"\xef\xbb\xbf"):
        raise JsonTextError("not JSON: the text begins with a byte order mark; allowed is none")
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonTextError(f"not JSON: byte {error.start + 1} is not UTF-8") from error


def _refuse_constant(name: str) -> NoReturn:
    raise JsonTextError(f"not JSON: found {name}; allowed are numbers")


def _path_to(target: object, value: Any, path: JsonPath = ()) -> JsonPath:
    """Where in `value` the object `target` stands; () where it stands in nothing else."""
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


def difference(one: Any, other: Any) -> Difference | None:
    """The first place where two JSON values differ, in type or value; None if nowhere."""
    return _difference(one, other, ())


def _difference(one: Any, other: Any, path: JsonPath) -> Difference | None:
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
        found = _difference(here[0], there[0], (*path, key))
        if found is not None:
            return found
    return None


def _at(value: Any, key: Any) -> tuple[Any] | None:
    there = key in value if isinstance(value, dict) else key < len(value)
    return (value[key],) if there else None
