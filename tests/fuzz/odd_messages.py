"""Messages with arbitrary content, and bytes that were one before somebody damaged them."""

from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

MOST_DEPTH = 5
MOST_REPEATS = 3
_WORDS = ("", "bluff", "1", "\x1b[2J", "ü", "\N{GRINNING FACE}", "x" * 50, "0" * 300)
_WHOLES = (0, 1, 2, 3, 6, -1, 7, 100, 2**31 - 1, -(2**31))


def arbitrary(random: Random, message: Message, depth: int = MOST_DEPTH) -> Message:
    """The message, with arbitrary values in arbitrary fields."""
    for described in message.DESCRIPTOR.fields:
        if depth <= 0 or random.random() < 0.4:
            continue
        if described.is_repeated:
            _fill(random, getattr(message, described.name), described, depth)
        elif described.message_type is not None:
            part = getattr(message, described.name)
            part.SetInParent()
            arbitrary(random, part, depth - 1)
        else:
            setattr(message, described.name, _scalar(random, described))
    return message


def _fill(random: Random, repeated: Any, described: FieldDescriptor, depth: int) -> None:
    for _ in range(random.randint(0, MOST_REPEATS)):
        if described.message_type is not None:
            arbitrary(random, repeated.add(), depth - 1)
        else:
            repeated.append(_scalar(random, described))


def _scalar(random: Random, described: FieldDescriptor) -> Any:
    match described.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING if described.type == FieldDescriptor.TYPE_BYTES:
            return random.randbytes(random.choice((0, 1, 7, 8, 16, 64, 65)))
        case FieldDescriptor.CPPTYPE_STRING:
            return random.choice(_WORDS)
        case FieldDescriptor.CPPTYPE_BOOL:
            return random.random() < 0.5
        case FieldDescriptor.CPPTYPE_ENUM:
            return random.randint(-1, 9)
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return random.choice((0.0, -1.5, float("inf"), float("nan")))
        case _:
            return random.choice(_WHOLES)


def damaged(random: Random, data: bytes) -> bytes:
    """The bytes with some of them changed, left out, doubled or added."""
    bytes_left = bytearray(data)
    for _ in range(random.randint(1, 4)):
        place = random.randint(0, len(bytes_left))
        match random.randint(0, 3):
            case 0 if place < len(bytes_left):
                bytes_left[place] = random.randint(0, 255)
            case 1:
                del bytes_left[place : place + random.randint(1, 8)]
            case 2:
                bytes_left[place:place] = bytes_left[place : place + 8]
            case _:
                bytes_left[place:place] = random.randbytes(random.randint(1, 8))
    return bytes(bytes_left)
