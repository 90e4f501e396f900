"""Messages and values whose members have the same names, filled from each other.

A moment of a value, `ended` or `ended_at`, is the field `ended_ms` of a message, in milliseconds
since 1970 and 0 where there is none. Of `banned_at` a message may say only whether there is one, in
`banned`.
"""

from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from google.protobuf.message import Message

from arena.moments import milliseconds, of_milliseconds

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MessageT = TypeVar("MessageT", bound=Message)
ValueT = TypeVar("ValueT", bound="DataclassInstance")


def message_of(kind: type[MessageT], value: object, **given: Any) -> MessageT:
    """Return a message whose fields are members of a value, but for those that are given.

    Raises TypeError if the value lacks one: given as None, a field stays empty.
    """
    found = {}
    for name in (field.name for field in kind.DESCRIPTOR.fields if field.name not in given):
        stem = name.removesuffix("_ms")
        if not (hasattr(value, stem) or hasattr(value, f"{stem}_at")):
            raise TypeError(f"{type(value).__name__} has no {name} for {kind.__name__}")
        member = getattr(value, stem if hasattr(value, stem) else f"{stem}_at")
        if isinstance(member, datetime):
            member = True if stem == name else milliseconds(member)
        found[name] = member
    return kind(**found, **given)


def value_of(kind: type[ValueT], message: Message, **given: Any) -> ValueT:
    """Return a dataclass of the fields of a message that it has members for, and of those given.

    A member that the message does not have keeps its default.
    """
    described = message.DESCRIPTOR.fields_by_name
    found: dict[str, Any] = {}
    for name in (member.name for member in fields(kind) if member.name not in given):
        moment = f"{name.removesuffix('_at')}_ms"
        if moment in described:
            passed = getattr(message, moment)
            found[name] = of_milliseconds(passed) if passed else None
        elif name in described:
            if not described[name].has_presence or message.HasField(name):
                member = getattr(message, name)
                found[name] = tuple(member) if described[name].is_repeated else member
            else:
                found[name] = None
    return kind(**found, **given)
