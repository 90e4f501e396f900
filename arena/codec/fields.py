"""Protobuf's wire format, as far as messages are put together from parts that are bytes already.

A message's bytes are the bytes of its fields, one after the other; a field that is a message is its
key, the length of its bytes and these. So what many messages share is written once and joined in,
for a quarter of what filling in message after message costs. Everything else is left to protobuf.

Source: https://protobuf.dev/programming-guides/encoding
"""

from google.protobuf.message import Message

_LENGTH_DELIMITED = 2


def varint(number: int) -> bytes:
    """A number from 0 in groups of seven bits, the lowest first."""
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


_VARINTS = tuple(varint(number) for number in range(1024))


def key(message: type[Message], field: str) -> bytes:
    """What stands before a member of this name, which is a message or a string."""
    return varint(message.DESCRIPTOR.fields_by_name[field].number << 3 | _LENGTH_DELIMITED)


def field(key: bytes, content: bytes) -> bytes:
    """A member of these bytes, as it stands in the bytes of the message that it is in."""
    length = len(content)
    return key + (_VARINTS[length] if length < 1024 else varint(length)) + content
