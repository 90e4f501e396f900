"""Error messages for invalid JSON values: the path, the value found, the values allowed.

    steps[12].action.quantity: found "3"; allowed is a whole number

Paths count steps from 1, as everywhere in the arena: `steps[12]` is step 12. All other lists count
from 0, as seats do.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from arena.errors import any_failure
from arena.printable import printable

FieldPath: TypeAlias = Sequence[int | str]
"""Names of members and indices of lists; all indices in it count from 0."""

_COUNTED_FROM_ONE: Final = "steps"
_LONGEST: Final = 60
"""The largest number of characters of a value that a message shows."""
_LONGEST_SHOWN: Final = 200
"""The largest number of characters of a Python repr that a message shows."""

_ALLOWED: Final = {
    "datetime_from_date_parsing": "a date or a time, such as 2026-03-04T10:00",
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "a whole number"
    ),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(("string_type", "string_unicode"), "a text"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type", "dataclass_type"), "an object"),
}
"""The allowed values in words, by pydantic's error type."""


def path_text(path: FieldPath) -> str:
    """Return a path as printable text, such as `steps[12].action.quantity`."""
    text = ""
    for before, part in zip(("", *path), path, strict=False):
        if isinstance(part, int):
            text += f"[{part + (before == _COUNTED_FROM_ONE)}]"
        else:
            member = printable(part)
            text += f".{member}" if text else member
    return text


def shown(value: object) -> str:
    """Return the repr of a value from an untrusted program, shortened if it is long."""
    try:
        text = repr(value)
    except any_failure() as error:  # in its own `__repr__`, or a number of thousands of digits
        text = f"a {type(value).__name__} that cannot be shown ({type(error).__name__})"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def json_excerpt(value: object) -> str:
    """Return a value as JSON, shortened if it is long; return its repr if it has no JSON form."""
    try:
        text = json.dumps(
            value, ensure_ascii=False, separators=(", ", ": "), default=shown, allow_nan=False
        )
    except (TypeError, ValueError, RecursionError):
        text = shown(value)
    # A lone surrogate cannot be printed.
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def error_text(error: ValidationError, within: FieldPath = (), whole: str = "the value") -> str:
    """Return a message about the first error.

    Args:
        error: The error of a pydantic validation.
        within: The path to the validated value.
        whole: The name of the value if the path is empty.
    """
    first = error.errors(include_url=False)[0]
    where = path_text((*within, *first["loc"])) or whole
    kind, found = first["type"], first["input"]
    if kind in ("missing", "missing_argument"):
        return f"{where} is missing"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{where}: there is no such member"
    reason = reason_text(first)
    if kind == "value_error" and isinstance(found, dict):
        return f"{where}: {reason}"
    return f"{where}: {found_text(found)}; {reason}"


def found_text(value: object) -> str:
    """Return the part of a message that shows the value found."""
    return f"found {json_excerpt(value)}"


def reason_text(fault: ErrorDetails) -> str:
    """Return why a value is refused, without the value: usually the allowed values."""
    context = fault.get("ctx", {})
    if fault["type"] == "value_error":
        return str(context["error"])
    return f"allowed is {_allowed(fault['type'], context, fault['msg'])}"


def _allowed(kind: str, context: dict[str, Any], message: str) -> str:
    """Return the allowed values in words; pydantic's message if the error type is unknown."""
    match kind:
        case "greater_than_equal":
            return f"{_number(context['ge'])} or more"
        case "less_than_equal":
            return f"{_number(context['le'])} or less"
        case "greater_than":
            return f"more than {_number(context['gt'])}"
        case "string_too_short":
            return f"a text of {context['min_length']} or more characters"
        case "literal_error" | "enum":
            # From Python's notation to JSON's.
            expected = str(context["expected"]).replace("'", '"')
            return {"True": "true", "False": "false"}.get(expected, expected)
        case "too_short":
            return f"a list of {context['min_length']} or more"
        case "too_long":
            return f"a list of {context['max_length']} or fewer"
        case _:
            return _ALLOWED.get(kind, message)


def _number(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else str(bound)
