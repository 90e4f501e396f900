"""`parsed`: the message of a request's bytes, if they are one and its text can be stored.

Postgres stores no NUL in text. Protobuf refuses what is not UTF-8, lone surrogates among it, when
it parses.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message

from arena.server.requests.errors import malformed

_NUL: Final = "\0"

MessageT = TypeVar("MessageT", bound=Message)


def parsed(kind: type[MessageT], data: bytes) -> MessageT:
    """Return the message of a `kind` that these bytes are.

    Raises ProtocolError INVALID_ARGUMENT for bytes that are none, and as `require_text`.
    """
    try:
        message = kind.FromString(data)
    except DecodeError:
        raise malformed(f"these bytes are no {kind.DESCRIPTOR.full_name}") from None
    require_text(message, data)
    return message


def require_text(message: Message, data: bytes) -> None:
    """Raise ProtocolError for a message with a NUL in a string, at any depth.

    The status is INVALID_ARGUMENT, with the field's name. It was parsed from `data`: most messages
    are not looked through.
    """
    if _NUL.encode() not in data:
        return
    for path, text in _texts("", message):
        if _NUL in text:
            raise malformed(f"`{path}` holds a NUL character (U+0000)")


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """All strings in a field's value, each with the path of its field."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Message):
        for field, inner in value.ListFields():
            yield from _texts(f"{path}.{field.name}" if path else field.name, inner)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for one in value:
            yield from _texts(path, one)
