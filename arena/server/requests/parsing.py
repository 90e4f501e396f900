"""`parsed`: parses the bytes of a request, and refuses text that cannot be stored.

Postgres stores no NUL in text. Protobuf itself refuses text that is not UTF-8, lone surrogates
included, when it parses.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Final, TypeVar

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from arena.server.requests.errors import malformed

_NUL: Final = "\0"

MessageT = TypeVar("MessageT", bound=Message)


def parsed(kind: type[MessageT], data: bytes) -> MessageT:
    """Return the message of `kind` that these bytes encode.

    Raises ProtocolError INVALID_ARGUMENT for malformed bytes, and as `require_text` does.
    """
    try:
        message = kind.FromString(data)
    except DecodeError:
        raise malformed(f"these bytes are no {kind.DESCRIPTOR.full_name}") from None
    require_text(message, data)
    return message


def require_text(message: Message, data: bytes) -> None:
    """Raise ProtocolError for a message with a NUL in a string, at any depth.

    The status is INVALID_ARGUMENT, with the field's name. `data` are the message's bytes: if they
    hold no NUL, no string does.
    """
    if _NUL.encode() in data and (path := _path_of_nul([message])) is not None:
        raise malformed(f"`{path}` holds a NUL character (U+0000)")


def _path_of_nul(messages: Sequence[Message]) -> str | None:
    """Return the path of the first string with a NUL in messages of one kind, or None.

    All messages of a field are checked at once, because a PlayRequest has dozens of answers.
    """
    for name, is_text, repeated in _fields_with_text(messages[0].DESCRIPTOR):
        having = (
            messages if is_text or repeated else [one for one in messages if one.HasField(name)]
        )
        held = list(map(attrgetter(name), having))
        if repeated:
            held = list(chain.from_iterable(held))
        if is_text:
            if _NUL in "".join(held):
                return name
        elif held and (path := _path_of_nul(held)) is not None:
            return f"{name}.{path}"
    return None


@cache
def _fields_with_text(kind: Descriptor) -> tuple[tuple[str, bool, bool], ...]:
    """Return the fields that are or hold strings: name, whether it is a string, and repeated.

    Other fields are skipped to save time. An empty message, such as a doubt, puts a NUL into the
    bytes of nearly every PlayRequest, and few of its fields hold text.
    """
    found = []
    for field in kind.fields:
        is_text = field.type == field.TYPE_STRING
        if is_text or (field.message_type is not None and _fields_with_text(field.message_type)):
            found.append((field.name, is_text, field.is_repeated))
    return tuple(found)
