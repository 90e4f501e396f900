"""Conversion between messages and dataclasses whose members have the same names.

A time in a dataclass, such as `ended` or `ended_at`, is the field `ended_ms` of the message, in
milliseconds since 1970, or 0 for None. A message may also have only a truth value, such as `banned`
for `banned_at`: whether there is a time.
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
    """Return a message whose fields have the values of `given`, else of the members of `value`.

    Raises TypeError if a field has neither. A field given as None stays empty.
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
    """Return a dataclass whose members have the values of `given`, else of the message's fields.

    A member that the message lacks keeps its default.
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
